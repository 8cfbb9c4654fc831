"""``decide`` judges a command; ``evolve`` carries out what was decided, and never judges."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Decision
from punto.table.irregularities import misdeals, ordering, rulings, uninsured
from punto.table.play import betting, dealing, insuring, opening, options, raising, seating, settling, voiding
from punto.table.records import commands, events, findings, reports
from punto.table.records.commands import Command
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.ledger import posted
from punto.table.records.positions import PIT, PIT_OR_PLAYER, Position, at_least
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse

_DECIDERS: dict[type[Command], Callable[[Rulebook, Table, Any], Decision]] = {
    commands.OpenTable: opening.open_table,
    commands.ChangeSettings: opening.change_settings,
    commands.CloseTable: opening.close_table,
    commands.LoadShoe: opening.load_shoe,
    commands.BurnCards: opening.burn_cards,
    commands.BuyIn: seating.buy_in,
    commands.CashOut: seating.cash_out,
    commands.Sit: seating.sit,
    commands.StandBehind: seating.stand_behind,
    commands.Leave: seating.leave,
    commands.OpenBetting: betting.open_betting,
    commands.PlaceBet: betting.place_bet,
    commands.WithdrawBet: betting.withdraw_bet,
    commands.RejectExcess: betting.reject_excess,
    commands.AdviseMinimum: betting.advise_minimum,
    commands.CloseBetting: betting.close_betting,
    commands.RequestSqueeze: dealing.request_squeeze,
    commands.GrantSqueeze: dealing.grant_squeeze,
    commands.RefuseSqueeze: dealing.refuse_squeeze,
    commands.WaiveThirdCardInsurance: dealing.waive_third_card_insurance,
    commands.DealCard: dealing.deal_card,
    commands.SqueezeCard: dealing.squeeze_card,
    commands.TurnCard: dealing.turn_card,
    commands.OpenInsurance: insuring.open_insurance,
    commands.TakeInsurance: insuring.take_insurance,
    commands.CloseInsurance: insuring.close_insurance,
    commands.Settle: settling.settle,
    reports.ReportInterruption: voiding.report_interruption,
    reports.ReportForeignCard: voiding.report_bad_shoe,
    reports.ReportCardCount: voiding.report_bad_shoe,
    reports.ReportNotShuffled: voiding.report_bad_shoe,
    reports.ReportWrongNumber: misdeals.report_wrong_number,
    reports.ReportExcessCard: misdeals.report_excess_card,
    reports.ReportWrongSide: misdeals.report_wrong_side,
    reports.ReportFaceUpCard: misdeals.report_face_up_card,
    reports.ReportSimultaneousCards: misdeals.report_simultaneous_cards,
    reports.ReportDealingError: misdeals.report_dealing_error,
    reports.RuleCardOrder: ordering.rule_card_order,
    reports.ReplaceShoe: ordering.replace_shoe,
    reports.DismissIrregularity: raising.dismiss_irregularity,
    reports.ChooseOption: options.choose_option,
    reports.CallTime: options.call_time,
    reports.OfferLateInsurance: uninsured.offer_late_insurance,
    reports.ReturnUninsuredBets: uninsured.return_uninsured_bets,
    reports.ReportLateBet: rulings.report_late_bet,
    reports.ReportLaterError: rulings.report_later_error,
    reports.Rule: rulings.rule,
}

_EVOLVERS: dict[type[Event], Callable[[Table, Any], Table]] = {
    events.TableOpened: opening.on_table_opened,
    events.SettingsChanged: opening.on_settings_changed,
    events.TableClosed: opening.on_table_closed,
    events.ShoeLoaded: opening.on_shoe_loaded,
    events.CardsBurned: opening.on_cards_burned,
    events.CutCardReached: opening.on_cut_card_reached,
    events.ChipsBought: seating.on_chips_bought,
    events.ChipsCashed: seating.on_chips_cashed,
    events.PlayerSat: seating.on_player_sat,
    events.PlayerStood: seating.on_player_stood,
    events.PlayerLeft: seating.on_player_left,
    events.BettingOpened: betting.on_betting_opened,
    events.BetPlaced: betting.on_bet_placed,
    events.BetWithdrawn: betting.on_bet_withdrawn,
    events.BetRejected: betting.on_bet_rejected,
    events.LimitFlagged: betting.on_limit_flagged,
    events.MinimumAdvised: betting.on_minimum_advised,
    events.BettingClosed: betting.on_betting_closed,
    events.SqueezeRequested: dealing.on_squeeze_requested,
    events.SqueezeGranted: dealing.on_squeeze_granted,
    events.SqueezeRefused: dealing.on_squeeze_refused,
    events.CardSqueezed: dealing.on_card_squeezed,
    events.ThirdCardInsuranceWaived: dealing.on_third_card_insurance_waived,
    events.CardDealt: dealing.on_card_dealt,
    events.CardTurned: dealing.on_card_turned,
    events.InsuranceOffered: insuring.on_insurance_offered,
    events.InsuranceMissed: insuring.on_insurance_missed,
    events.InsuranceTaken: insuring.on_insurance_taken,
    events.InsuranceClosed: insuring.on_insurance_closed,
    events.RoundSettled: settling.on_round_settled,
    findings.IrregularityRaised: raising.on_irregularity_raised,
    findings.IrregularityDismissed: raising.on_irregularity_dismissed,
    findings.IrregularityReported: misdeals.on_irregularity_reported,
    findings.CardsDrawnOutOfTurn: misdeals.on_cards_drawn_out_of_turn,
    findings.OrderLost: ordering.on_order_lost,
    findings.CardOrderRuled: ordering.on_card_order_ruled,
    findings.OptionsGiven: options.on_options_given,
    findings.OptionChosen: options.on_option_chosen,
    findings.OptionsClosed: options.on_options_closed,
    findings.SettlementReversed: voiding.on_settlement_reversed,
    findings.RoundVoided: voiding.on_round_voided,
    findings.ShoeTakenOff: voiding.on_shoe_taken_off,
    findings.ShoeReplaced: ordering.on_shoe_replaced,
    findings.UninsuredBetReturned: uninsured.on_uninsured_bet_returned,
    findings.LateBetRefused: rulings.on_late_bet_refused,
    findings.Ruled: rulings.on_ruled,
}

_BY_THE_HOUSE = frozenset({commands.GrantSqueeze, commands.RefuseSqueeze, commands.WaiveThirdCardInsurance})
"""Where the clause says only house: the position in the settings, or above."""


def decide(book: Rulebook, table: Table, command: Command) -> Decision:
    """What happens on this command, or why nothing does."""
    refusal = not_allowed(book, table, command)
    return refusal or _DECIDERS[type(command)](book, table, command)


def evolve(table: Table, event: Event) -> Table:
    """The table after the event: first the money has moved, then the rest follows."""
    if isinstance(event, MoneyEvent):
        table = replace(table, balances=posted(table.balances, event.postings))
    return _EVOLVERS[type(event)](table, event)


def handle(book: Rulebook, table: Table, command: Command) -> tuple[Table, Decision]:
    """Decide, and carry out what was decided."""
    decision = decide(book, table, command)
    if not isinstance(decision, Refusal):
        for event in decision:
            table = evolve(table, event)
    return table, decision


def not_allowed(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Why this person cannot give this command at this table at all."""
    kind = type(command)
    topic = kind.topic
    if table.law_hash and table.law_hash != book.law_hash:
        return refuse(book, TableCode.WRONG_BOOK, law=table.book)
    if topic is not None and not book.topics[topic]:
        return refuse(book, TableCode.NOT_IN_BOOK, variant="topic", book=book.id, subject=topic)
    if table.phase is Phase.CLOSED and kind is not commands.OpenTable:
        return refuse(book, TableCode.TABLE_CLOSED)
    may, position = kind.may, command.position
    if (kind in _BY_THE_HOUSE or issubclass(kind, reports.Report)) and table.settings is not None:
        may = at_least(table.settings.house) | (may & {Position.HOUSE})
    if position not in may:
        cited = Topic.STAFF_BETS if may == PIT_OR_PLAYER else Topic.RULING if kind is reports.Rule else topic
        return refuse(book, TableCode.NOT_AUTHORISED, cited, positions=tuple(sorted(may)), position=position)
    who = getattr(command, "who", None)
    if who is None:
        return None
    if position is Position.PLAYER and who != command.by:
        return refuse(book, TableCode.NOT_YOUR_OWN, topic, variant="act", by=command.by[:40], who=who[:40])
    if kind.may == PIT_OR_PLAYER and position in PIT and not book.topics[Topic.STAFF_BETS]:
        return refuse(book, TableCode.NOT_IN_BOOK, variant="staff_bets", book=book.id)
    return None
