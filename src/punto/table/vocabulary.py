"""All commands and all events: the closed sets that journals and programs speak."""

from punto.table.records import commands, events, findings, reports

AnyCommand = (
    commands.OpenTable
    | commands.ChangeSettings
    | commands.CloseTable
    | commands.LoadShoe
    | commands.BurnCards
    | commands.BuyIn
    | commands.CashOut
    | commands.Sit
    | commands.StandBehind
    | commands.Leave
    | commands.OpenBetting
    | commands.PlaceBet
    | commands.WithdrawBet
    | commands.RejectExcess
    | commands.AdviseMinimum
    | commands.CloseBetting
    | commands.RequestSqueeze
    | commands.GrantSqueeze
    | commands.RefuseSqueeze
    | commands.WaiveThirdCardInsurance
    | commands.DealCard
    | commands.SqueezeCard
    | commands.TurnCard
    | commands.OpenInsurance
    | commands.TakeInsurance
    | commands.CloseInsurance
    | commands.Settle
    | reports.ReportInterruption
    | reports.ReportForeignCard
    | reports.ReportCardCount
    | reports.ReportNotShuffled
    | reports.ReportWrongNumber
    | reports.ReportExcessCard
    | reports.ReportWrongSide
    | reports.ReportFaceUpCard
    | reports.ReportSimultaneousCards
    | reports.RuleCardOrder
    | reports.ReplaceShoe
    | reports.ReportDealingError
    | reports.DismissIrregularity
    | reports.ChooseOption
    | reports.CallTime
    | reports.OfferLateInsurance
    | reports.ReturnUninsuredBets
    | reports.ReportLateBet
    | reports.ReportLaterError
    | reports.Rule
)

AnyEvent = (
    events.TableOpened
    | events.SettingsChanged
    | events.TableClosed
    | events.ShoeLoaded
    | events.CardsBurned
    | events.CutCardReached
    | events.ChipsBought
    | events.ChipsCashed
    | events.PlayerSat
    | events.PlayerStood
    | events.PlayerLeft
    | events.BettingOpened
    | events.BetPlaced
    | events.BetWithdrawn
    | events.BetRejected
    | events.LimitFlagged
    | events.MinimumAdvised
    | events.BettingClosed
    | events.SqueezeRequested
    | events.SqueezeGranted
    | events.SqueezeRefused
    | events.CardSqueezed
    | events.ThirdCardInsuranceWaived
    | events.CardDealt
    | events.CardTurned
    | events.InsuranceOffered
    | events.InsuranceMissed
    | events.InsuranceTaken
    | events.InsuranceClosed
    | events.RoundSettled
    | findings.IrregularityRaised
    | findings.IrregularityDismissed
    | findings.IrregularityReported
    | findings.CardsDrawnOutOfTurn
    | findings.OrderLost
    | findings.CardOrderRuled
    | findings.OptionsGiven
    | findings.OptionChosen
    | findings.OptionsClosed
    | findings.SettlementReversed
    | findings.RoundVoided
    | findings.ShoeTakenOff
    | findings.ShoeReplaced
    | findings.UninsuredBetReturned
    | findings.LateBetRefused
    | findings.Ruled
)
