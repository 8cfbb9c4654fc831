"""One of each command with every field set, and one of each event as a table produced it."""

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import chips, commands, corrections, pit_calls, reports
from punto.table.records.commands import Command
from punto.table.records.events import Event, OrderRevealed, Payout
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits, ContinuousShuffler
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    DEALER,
    HOUSE,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    dealing,
    drawn_to,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
PILES = (chips.ChipPile(1_000_00, 20), chips.ChipPile(25_00, 8))


def commands_by(rules: Rulebook, by: str, position: Position, who: str) -> tuple[Command, ...]:
    """One of each command."""
    actor = (by, position)
    held = settings(rules, least=10_00, most=500_00, side=BetLimits(1_00), automations=ALL_AUTOMATIONS)
    return (
        commands.OpenTable(*actor, held, 1_000_00, {"chips:ann": 5_00}),
        commands.ChangeSettings(*actor, held),
        commands.CloseTable(*actor),
        commands.LoadShoe(*actor, "s9", 6),
        commands.BurnCards(*actor, Card("5h")),
        commands.CutCardOut(*actor),
        commands.EndShoe(*actor, 14),
        commands.StartBoard(*actor),
        commands.BuyIn(*actor, who, 100_00),
        commands.CashOut(*actor, who, 50_00),
        commands.Sit(*actor, who, 5),
        commands.StandBehind(*actor, who, 2),
        commands.Leave(*actor, who),
        commands.IdentifyPlayer(*actor, who, "P000123"),
        commands.OpenBetting(*actor),
        commands.PlaceBet(*actor, who, 1, "banker", 100_00),
        commands.ConfirmBets(*actor),
        commands.WithdrawBet(*actor, who, 1, "banker", 50_00),
        commands.RejectExcess(*actor, 1),
        commands.AdviseMinimum(*actor, who, 1, "banker"),
        commands.CloseBetting(*actor),
        commands.RequestSqueeze(*actor, who, Side.PLAYER),
        commands.GrantSqueeze(*actor, Side.BANKER),
        commands.RefuseSqueeze(*actor, Side.PLAYER),
        commands.WaiveThirdCardInsurance(*actor, who),
        commands.DealCard(*actor, Card("Td")),
        commands.SqueezeCard(*actor, 3, who),
        commands.TurnCard(*actor, 3, Card("As")),
        commands.OpenInsurance(*actor),
        commands.TakeInsurance(*actor, who, 1, 25_00),
        commands.CallInsurance(*actor, who, 1, 25_00),
        commands.PassInsurance(*actor, who, 1),
        commands.CloseInsurance(*actor),
        commands.Settle(*actor),
        commands.VerifyPayouts(*actor),
        commands.MarkPaid(*actor, (Payout(who, 1, "banker", 95_00),)),
        pit_calls.CallPit(*actor),
        pit_calls.AnswerCall(*actor),
        chips.RequestSlip(*actor, chips.SlipKind.FILL, PILES),
        chips.SendSlip(*actor, 1),
        chips.ReceiveSlip(*actor, 1),
        chips.VoidSlip(*actor, 1, "asked for twice"),
        chips.CountTray(*actor, chips.CountPurpose.CLOSER, PILES),
        *_reports_by(actor, who),
        *_corrections_by(actor, who),
    )


def _corrections_by(actor: tuple[str, Position], who: str) -> tuple[Command, ...]:
    return (
        corrections.CorrectBet(*actor, who, 1, "banker", 150_00, "counted again"),
        corrections.CorrectInsurance(*actor, Stage.FOUR, who, 1, 5_00, True, "counted again"),  # noqa: FBT003 - every field
        corrections.CorrectOption(*actor, who, Choice.CONTINUE),
        corrections.CorrectPayment(*actor, who, 1, "banker", 150_00, "seen on film", 5_00),
        corrections.ReopenBetting(*actor, "too early"),
        corrections.CancelRound(*actor),
    )


def _reports_by(actor: tuple[str, Position], who: str) -> tuple[Command, ...]:
    cards = (Card("5h"), None)
    bet = reports.RuledBet(who, 1, "banker")
    return (
        reports.ReportInterruption(*actor, "no light"),
        reports.ReportForeignCard(*actor, "a red back"),
        reports.ReportCardCount(*actor, "a ninth ace"),
        reports.ReportNotShuffled(*actor, "in order"),
        reports.ReportShoeRunOut(*actor, "no card for Banker"),
        reports.ReportWrongNumber(*actor, cards, True, Side.PLAYER, "four cards there"),  # noqa: FBT003 - every field
        reports.ReportExcessCard(*actor, cards, Side.BANKER, False, "mixed up"),  # noqa: FBT003 - as above
        reports.ReportWrongSide(*actor, (Side.BANKER,), True, False, "mixed up"),  # noqa: FBT003 - as above
        reports.ReportFaceUpCard(*actor, 1, Card("5h")),
        reports.ReportSimultaneousCards(*actor, cards),
        reports.RuleCardOrder(*actor, (2, 1)),
        reports.ReplaceShoe(*actor, "s9", 6, True, "s7"),  # noqa: FBT003 - as above
        reports.InspectShoe(*actor, "s7", "all 416 cards are there"),
        reports.ReportDealingError(*actor, "it fell", False),  # noqa: FBT003 - as above
        reports.DismissIrregularity(*actor, "misread"),
        reports.ChooseOption(*actor, who, Choice.RETURN),
        reports.CallTime(*actor),
        reports.OfferLateInsurance(*actor),
        reports.ReturnUninsuredBets(*actor, who, 1, Side.BANKER, "the player had asked"),
        reports.ReportRestart(*actor, 1_000_000, 9_000_000),
        reports.ExchangeShoe(*actor, "s8", 6),
        reports.ResumeRound(*actor),
        reports.ReportLateBet(*actor, who, 1, "banker", Late.INCREASED, 5_00),
        reports.ReportLaterError(*actor, 1, "a card misread"),
        reports.Rule(*actor, "the roof", Effect.RETURN, (bet,), {who: 5}),
        corrections.CorrectCard(*actor, "s1", 3, Card("5h"), "misread"),
    )


COMMANDS = commands_by(RULES, "ann", Position.PLAYER, "ann")


def _evenings() -> tuple[Evening, ...]:
    insured = dealing(RULES, ("ann", "banker", 100_00), forgone_for_the_round=True).deal(BANKER_ON_FIVE)
    insured.do(commands.OpenInsurance(*DEALER))
    insured.do(commands.PassInsurance("ann", Position.PLAYER, "ann", 1))
    insured.do(insured.insuring("ann", 10_00))
    insured.deal("4c 2h").settle()
    insured.do(commands.ChangeSettings(*SUPERVISOR, settings(RULES, least=5_00)))
    insured.do(commands.CashOut(*DEALER, "ann", 5_00))
    insured.do(commands.IdentifyPlayer(*DEALER, "ann", "P000123"))
    insured.do(commands.CloseTable(*SUPERVISOR))

    observing = ready(RULES, least=50_00, differential_minor=100_00, observing=True).open_betting()
    observing.bet("ann", "banker", 10_00)
    observing.do(commands.AdviseMinimum(*DEALER, "ann", 1, "banker"))
    observing.bet("ann", "banker", 140_00)
    observing.do(observing.withdrawing("ann", "banker", 10_00))
    observing.do(commands.RejectExcess(*DEALER, 1))
    observing.do(commands.PlaceBet(*DEALER, "ben", 2, "tie", 5_00, assumed=True))
    observing.do(commands.ConfirmBets(*DEALER))
    observing.do(commands.Leave("ann", Position.PLAYER, "ann"))
    observing.close_betting().deal(BANKER_ON_FIVE)
    observing.do(commands.TakeInsurance(*DEALER, "ann", 1, 1_00))

    squeezed = ready(RULES, face_down=True).open_betting()
    squeezed.bet("ben", "player", 50_00)
    squeezed.do(commands.RequestSqueeze("ben", Position.PLAYER, "ben", Side.PLAYER))
    squeezed.bet("ann", "player", 100_00)
    squeezed.close_betting()
    for answer in (commands.RefuseSqueeze, commands.GrantSqueeze):
        squeezed.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.PLAYER))
        squeezed.do(answer(*SUPERVISOR, Side.PLAYER))
    squeezed.deal_unseen(4)
    squeezed.do(commands.SqueezeCard("ann", Position.PLAYER, 3))
    squeezed.turn("As Kh Ad Ac")
    squeezed.do(commands.WaiveThirdCardInsurance(*SUPERVISOR, "ann"))

    missed = dealing(RULES, observing=True).deal(BANKER_ON_FIVE).deal("4c")
    burned = opened(RULES, burn=True)
    burned.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    burned.do(commands.BurnCards(*DEALER, Card("5h")))
    burned.do(commands.EndShoe(*DEALER, 400))
    paid = dealing(RULES, ("ann", "player", 100_00), observing=True, payout_supervised_minor=50_00)
    paid.deal(NATURAL).settle().do(commands.VerifyPayouts(*SUPERVISOR))
    paid.do(commands.MarkPaid(*DEALER))
    paid.open_betting().bet("ann", "player", 100_00)
    paid.close_betting().deal(NATURAL).settle().open_betting()
    machine = ready(RULES, continuous=ContinuousShuffler()).open_betting().close_betting().deal(NATURAL).settle()
    machine.do(commands.StartBoard(*SUPERVISOR))
    machine.open_betting()
    return insured, observing, squeezed, missed, burned, paid, machine, drawn_to(RULES, 14), *_irregular_evenings()


def _irregular_evenings() -> tuple[Evening, ...]:
    misread = dealing(RULES).deal(NATURAL)
    misread.do(commands.DealCard(*DEALER, Card("5h")))
    misread.do(reports.DismissIrregularity(*SUPERVISOR, "it stayed in the shoe"))
    misread.do(reports.ReportLateBet(*DEALER, "ann", 1, "banker", Late.WITHDRAWN, 5_00))
    misread.settle()
    misread.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    misread.do(reports.ReportNotShuffled(*SUPERVISOR))
    misread.do(reports.InspectShoe(*SUPERVISOR, "s1", "shuffled again"))

    chosen = dealing(RULES, ("ann", "banker", 100_00), ("ben", "player", 100_00))
    chosen.do(reports.ReportSimultaneousCards(*DEALER, (Card("5h"), None)))
    chosen.do(reports.RuleCardOrder(*SUPERVISOR, (2, 1)))
    chosen.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8))
    chosen.do(reports.ChooseOption("ann", Position.PLAYER, "ann", Choice.RETURN))
    chosen.do(reports.CallTime(*SUPERVISOR))
    chosen.do(reports.Rule(*SHIFT, "the roof", Effect.RETURN, (reports.RuledBet("ben", 2, "player"),)))

    uninsured = dealing(RULES, observing=True).deal(BANKER_ON_FIVE).deal("7c 2h")
    uninsured.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "the player had asked"))
    uninsured.do(corrections.CorrectCard(*SUPERVISOR, "s1", 3, Card("Ad")))

    reordered = dealing(RULES, ("ann", "player", 100_00)).deal("As 2s Ad 4d 6h")
    reordered.do(commands.OpenInsurance(*DEALER))
    reordered.do(reordered.insuring("ann", 14_00))
    reordered.do(reports.ReportSimultaneousCards(*DEALER, (Card("Kh"),), 1))
    reordered.do(reports.RuleCardOrder(*SUPERVISOR, (6, 5)))

    away = dealing(RULES)
    away.do(pit_calls.CallPit(*DEALER))
    away.do(pit_calls.AnswerCall(*SUPERVISOR))
    away.do(chips.RequestSlip(*DEALER, chips.SlipKind.CREDIT, PILES))
    away.do(chips.SendSlip(*SUPERVISOR, 1))
    away.do(chips.ReceiveSlip(*SUPERVISOR, 1))
    away.do(chips.RequestSlip(*DEALER, chips.SlipKind.FILL, PILES))
    away.do(chips.VoidSlip(*SUPERVISOR, 2, "asked for twice"))
    away.do(chips.CountTray(*SUPERVISOR, chips.CountPurpose.CHECK, PILES))
    away.do(reports.ReportRestart(*HOUSE, 1_000_000, 9_000_000))
    away.do(reports.ResumeRound(*DEALER))

    exchanged = ready(RULES, face_down=True).open_betting().close_betting().deal_unseen(4)
    exchanged.do(reports.ExchangeShoe(*HOUSE, "s2", 8))

    exposed = ready(RULES, observing=True).open_betting()
    exposed.do(reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),)))
    exposed.bet("ann", "banker", 100_00)
    return misread, chosen, uninsured, reordered, away, exchanged, exposed, *_corrected_evenings()


def _corrected_evenings() -> tuple[Evening, ...]:
    bets = ready(RULES, observing=True).open_betting()
    bets.bet("ann", "banker", 100_00)
    bets.close_betting().do(corrections.ReopenBetting(*DEALER))
    bets.close_betting().do(corrections.CorrectBet(*DEALER, "ann", 1, "banker", 50_00))
    bets.deal(BANKER_ON_FIVE)
    bets.do(corrections.CorrectInsurance(*DEALER, Stage.FOUR, "ann", 1, 90_00))
    bets.do(reports.ReportDealingError(*SUPERVISOR, "it fell"))
    for kind, choice in ((reports.ChooseOption, Choice.RETURN), (corrections.CorrectOption, Choice.CONTINUE)):
        bets.do(kind(*DEALER, "ann", choice))
    bets.deal("7c 2h").settle()
    bets.do(corrections.CorrectPayment(*SUPERVISOR, "ann", 1, "banker", 5_00, "seen on film"))

    missed = dealing(RULES, observing=True).deal(BANKER_ON_FIVE).deal("7c 2h")
    missed.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "the player had asked"))
    missed.settle()
    missed.do(corrections.CorrectInsurance(*SUPERVISOR, Stage.FOUR, offered=True))

    cancelled = ready(RULES).open_betting()
    cancelled.do(corrections.CancelRound(*DEALER))
    return bets, missed, cancelled


BY_THE_FLOOR = (OrderRevealed("s1", 0, 1, 0, "ab" * 32, "As1 Kd2", "", ("cd" * 32,) * 6),)
"""Events that no command leads to: the floor adds them."""
EVENTS: tuple[Event, ...] = (
    *{type(each): each for one in _evenings() for each in one.events}.values(),
    *BY_THE_FLOOR,
)
