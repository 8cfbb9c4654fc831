"""A hand that cannot be reconstructed: first the players choose, then a supervisor rules the order of the cards."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card, read_card, read_cards
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.events import InsuranceOffered, RoundSettled
from punto.table.records.findings import (
    CardOrderRuled,
    Hands,
    IrregularityReported,
    OptionsGiven,
    OrderLost,
    RoundVoided,
)
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.ledger import FELT
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    SUPERVISOR,
    dealing,
)

LOST = having("options", "goes_on_as_it_is", "reconstruction")
MIXED = reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False)
TIME = reports.CallTime(*SUPERVISOR)
STOPPED = reports.ReportInterruption(*SUPERVISOR, "no light")
REPORTS: list[Command] = [
    MIXED,
    reports.ReportWrongSide(*SUPERVISOR, (Side.BANKER, Side.PLAYER), False, False, "all mixed up"),  # noqa: FBT003
]
"""Each way to lose the order of a hand."""


def order(*places: int) -> reports.RuleCardOrder:
    return reports.RuleCardOrder(*SUPERVISOR, places)


def chooses(who: str, choice: Choice) -> reports.ChooseOption:
    return reports.ChooseOption(who, Position.PLAYER, who, choice)


# ---- first the players choose


@reading("order_by_ruling", "when_options_arise")
@pytest.mark.parametrize("rules", LOST)
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: type(report).__name__)
def test_nobody_rules_the_order_before_all_have_chosen(rules: Rulebook, report: Command) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 70_00)).deal("2d 9s")
    evening.do(report)
    (lost,) = evening.happened(OrderLost)
    ruling = order(*reversed(lost.places))
    dealt = commands.DealCard(*DEALER, Card("Kh"))
    for who, left in (("ann", "ann and ben"), ("ben", "ben")):
        for refused in (ruling, dealt):  # the refusal names the options, not the order
            detail = evening.refuse(refused, TableCode.IRREGULARITY_OPEN, *cited(rules, "options")).message
            assert detail.startswith(f"{left} can still choose")
            assert "rule_card_order" not in detail
        evening.do(chooses(who, Choice.CONTINUE))
    hand = cited(rules, "goes_on_as_it_is")
    assert "rule_card_order" in evening.refuse(dealt, TableCode.IRREGULARITY_OPEN, *hand).message
    assert evening.do(ruling) == (CardOrderRuled(ruling.order, hand),)  # and nobody is asked again
    assert len(evening.happened(OptionsGiven)) == 1


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", LOST)
def test_the_ruled_order_does_not_affect_a_player_who_took_their_bets_back(rules: Rulebook) -> None:
    for ruled in permutations((1, 2)):
        evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 70_00)).deal("2d 9s")
        evening.do(MIXED)
        evening.do(chooses("ann", Choice.RETURN))
        evening.do(chooses("ben", Choice.CONTINUE))
        evening.do(order(*ruled))
        evening.deal("Kh Qc").settle()  # 9 against 2, one way or the other
        assert evening.chips["ann"] == CHIPS_MINOR
        assert evening.chips["ben"] == CHIPS_MINOR + (70_00 if ruled == (2, 1) else -70_00)


@pytest.mark.parametrize("rules", LOST)
def test_where_nobody_is_left_to_choose_the_order_is_ruled_at_once(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2d 9s")
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.do(MIXED)
    assert not evening.happened(OptionsGiven)
    evening.do(order(2, 1))


@pytest.mark.parametrize("rules", having("options", "reconstruction"))
def test_a_table_that_goes_by_itself_calls_time_before_the_order_is_ruled(rules: Rulebook) -> None:
    evening = dealing(rules, automations=ALL_AUTOMATIONS).deal("2d 9s")
    evening.do(MIXED)
    step = next_step(rules, evening.table)
    assert step is not None
    assert step.automation is Automation.CALL_TIME


@pytest.mark.parametrize("rules", LOST)
def test_a_table_that_goes_by_itself_waits_for_the_ruling(rules: Rulebook) -> None:
    evening = dealing(rules, automations=ALL_AUTOMATIONS).deal("2d 9s")
    evening.do(MIXED)
    evening.do(TIME)
    assert next_step(rules, evening.table) is None  # this needs people
    evening.do(order(2, 1))
    step = next_step(rules, evening.table)
    assert step is not None
    assert step.automation is Automation.DEAL


@reading("order_by_ruling", "when_options_arise")
@pytest.mark.parametrize("rules", having("at_once", "at_once_options", "options"))
def test_after_cards_drawn_at_once_the_order_is_ruled_first(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2d")
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("9s"), None)))
    evening.refuse(chooses("ann", Choice.RETURN), TableCode.NO_OPTIONS, *cited(rules, "options"))
    evening.refuse(TIME, TableCode.NO_OPTIONS, *cited(rules, "options"))
    ruled, given = evening.do(order(3, 2))
    assert (type(ruled), type(given)) == (CardOrderRuled, OptionsGiven)
    assert evening.table.round is not None
    assert evening.table.round.irregularities.order_lost == ()


@pytest.mark.parametrize("rules", having("at_once", "options", "goes_on_as_it_is"))
def test_a_hand_lost_after_cards_drawn_at_once_gives_one_more_choice(rules: Rulebook) -> None:
    evening = dealing(rules)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("2d"), Card("9s"))))
    evening.do(order(1, 2))
    evening.do(TIME)
    evening.deal("2d 9s")
    evening.do(MIXED)
    assert len(evening.happened(OptionsGiven)) == 2
    evening.do(TIME)
    assert evening.do(order(2, 1)) == (CardOrderRuled((2, 1), cited(rules, "goes_on_as_it_is")),)


# ---- then the order is ruled


@pytest.mark.parametrize("rules", LOST)
@reading("order_by_ruling")
def test_the_order_that_is_ruled_is_the_coup(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00)).deal("2s 9d 7h Kc")
    evening.do(MIXED)
    evening.do(chooses("ann", Choice.CONTINUE))
    evening.do(order(2, 1, 4, 3))  # Player 9d Kc, Banker 2s 7h
    evening.settle()
    settled = evening.happened(RoundSettled)[0]
    assert (settled.player, settled.banker) == (9, 9)


@pytest.mark.parametrize("rules", LOST)
@reading("order_by_ruling", "left_over_cards")
def test_a_dealt_card_that_the_ruled_order_turns_out_not_to_need_opens_the_next_round(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00), face_down=True).deal_unseen(4)
    evening.turn("2s 7d 3h Kc").deal_unseen(1)  # Player draws on 5, Banker stands on 7
    evening.do(MIXED)
    evening.do(TIME)
    evening.do(order(1, 2, 5, 4, 3))  # Player has the 2s and the card that nobody has seen
    evening.refuse(order(1, 2, 5, 4, 3), TableCode.NO_ORDER_LOST, *cited(rules, "at_once"))
    evening.do(commands.TurnCard(*DEALER, 3, Card("7c")))  # a natural
    evening.settle()
    settled = evening.happened(RoundSettled)[0]
    assert (settled.player, settled.banker, settled.left_over) == (9, 7, 1)
    assert [carried.card for carried in evening.table.carried] == [Card("3h")]


@pytest.mark.parametrize("rules", having("options", "wrong_number", "void"))
@pytest.mark.parametrize("chosen", [False, True], ids=["while they choose", "after it"])
@reading("order_by_ruling")
def test_if_no_order_is_lawful_the_round_is_void_for_the_number_of_cards(rules: Rulebook, *, chosen: bool) -> None:
    evening = dealing(rules).deal("2s 9d 7h Kc")
    evening.do(MIXED)
    if chosen:
        evening.do(TIME)
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="no order gives lawful hands"))
    assert [void.ground for void in evening.happened(RoundVoided)] == [Irregularity.WRONG_NUMBER]
    assert evening.chips["ann"] == CHIPS_MINOR
    assert FELT not in evening.table.balances


@pytest.mark.parametrize("rules", having("at_once", "wrong_number", where="options"))
def test_the_report_is_named_only_if_a_card_was_dealt(rules: Rulebook) -> None:
    wrong = reports.ReportWrongNumber(*SUPERVISOR, reason="no order gives lawful hands")
    for dealt in ("", "2s"):
        evening = dealing(rules).deal(dealt)
        evening.do(reports.ReportSimultaneousCards(*DEALER, (None, None)))
        stops = commands.DealCard(*DEALER)
        detail = evening.refuse(stops, TableCode.IRREGULARITY_OPEN, *cited(rules, "at_once")).message
        assert "rule_card_order" in detail
        assert ("report_wrong_number" in detail) is bool(dealt)
        if dealt:
            evening.do(wrong)
        else:
            evening.refuse(wrong, TableCode.NO_ROUND, *cited(rules, "wrong_number"))


@pytest.mark.parametrize("rules", having("options"))
def test_what_was_squeezed_stays_with_its_card(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.PLAYER))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    evening.deal_unseen(4)
    evening.do(commands.SqueezeCard("ann", Position.PLAYER, 3))
    evening.do(replace(MIXED, reason="crossed"))
    evening.do(TIME)
    evening.do(order(3, 2, 1, 4))
    assert evening.table.round is not None
    assert evening.table.round.squeezed == {1}


# ---- insurance


@reading("order_by_ruling", "insurance_while_a_card_is_to_come")
@pytest.mark.parametrize("rules", having("insurance", "goes_on_as_it_is", among=INSURED))
def test_the_line_of_the_ruled_hand_is_due_though_there_was_an_offer_before(rules: Rulebook) -> None:
    evening = dealing(rules).deal("As 3s 3d 4d")  # Player 4, Banker 7
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(MIXED)
    evening.do(TIME)
    evening.do(order(1, 2, 4, 3))  # Player 5, Banker 6
    drawing = commands.DealCard(*DEALER, Card("Kh"))
    evening.refuse(drawing, TableCode.INSURANCE_DUE, *cited(rules, "insurance"))
    evening.do(commands.OpenInsurance(*DEALER))
    odds = {"commission-insurance": ["4", "3"]}.get(rules.id, ["4", "5/2"])
    assert [(one.stage, one.odds) for one in evening.happened(InsuranceOffered)] == [(Stage.FOUR, o) for o in odds]
    evening.do(evening.insuring("ann", 1_00))
    evening.do(drawing)


@pytest.mark.parametrize("rules", having("insurance", "at_once", among=INSURED))
def test_cards_drawn_at_once_change_no_hand_and_bring_no_second_offer(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(reports.ReportSimultaneousCards(*DEALER, (None, None)))
    evening.do(order(6, 5))
    evening.do(TIME)
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    assert len(evening.happened(InsuranceOffered)) == 1


# ---- without a known order nothing is established


@reading("established", "interruptions")
@pytest.mark.parametrize("rules", having("interruption", "interruption_voids", "options"))
def test_a_hand_whose_order_is_lost_establishes_nothing_when_the_lights_go_out(rules: Rulebook) -> None:
    for lost in (False, True):
        evening = dealing(rules).deal("2s 9d 2h")  # a pair, if that is the order
        evening.do(replace(MIXED, reconstructable=not lost))
        evening.do(STOPPED)
        assert bool(evening.happened(IrregularityReported)[-1].established) is not lost
        assert bool(evening.happened(RoundVoided)) is lost


@reading("established", "interruptions")
@pytest.mark.parametrize("rules", having("interruption", "interruption_voids", "at_once"))
def test_cards_drawn_at_once_establish_nothing_before_their_order_is_ruled(rules: Rulebook) -> None:
    for ruled in (False, True):
        evening = dealing(rules).deal("2s 9d")
        evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("2h"), Card("5c"))))
        if ruled:
            evening.do(order(3, 4))
        evening.do(STOPPED)
        assert bool(evening.happened(IrregularityReported)[-1].established) is ruled
        assert bool(evening.happened(RoundVoided)) is not ruled


# ---- without a hand there is no order


@reading("left_over_cards")
@pytest.mark.parametrize("rules", having("excess"))
def test_where_no_hand_is_dealt_the_cards_are_reported_in_the_order_they_are_to_have(rules: Rulebook) -> None:
    mixed = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"), None), None, False, "all mixed up")  # noqa: FBT003
    evening = dealing(rules).deal("9s 2d Kh 3c").settle()
    for betting in (False, True):
        if betting:
            evening.open_betting()
        refusal = evening.refuse(mixed, TableCode.NOT_DEALING, *cited(rules, "excess"))
        assert "order" in refusal.message
        reported, _ = evening.do(replace(mixed, reconstructable=True))
        assert isinstance(reported, IrregularityReported)
        assert reported.reconstructable is True
    assert [carried.card for carried in evening.table.carried] == [read_card("5h"), None] * 2


@pytest.mark.parametrize("rules", having("excess", "wrong_number"))
def test_with_a_hand_too_there_is_none_while_betting_is_open(rules: Rulebook) -> None:
    """It is about the round that has no cards yet. The settled one is reported by its wrong number of cards."""
    extra = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),), Side.PLAYER, False, "all mixed up")  # noqa: FBT003
    evening = dealing(rules).deal("9s 2d Kh 3c").settle().open_betting()
    assert evening.refuse(extra, TableCode.NOT_DEALING, *cited(rules, "excess")).variant == "no_hand"
    number = reports.ReportWrongNumber(*SUPERVISOR, reason="all mixed up")
    evening.refuse(number, TableCode.TOO_LATE, *cited(rules, "wrong_number"))


@pytest.mark.parametrize("kind", [reports.ReportExcessCard, reports.ReportWrongNumber])
@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("rules", having("excess", "wrong_number"))
def test_a_void_hand_is_on_record_with_its_extra_cards(
    rules: Rulebook, kind: type[reports.ReportExcessCard | reports.ReportWrongNumber], *, settled: bool
) -> None:
    for to, player, banker in ((Side.PLAYER, "9s Kh 5h", "2d 3c"), (Side.BANKER, "9s Kh", "2d 3c 5h")):
        evening = dealing(rules).deal("9s 2d Kh 3c")
        if settled:
            evening.settle()
        evening.do(kind(*SUPERVISOR, cards=(Card("5h"),), to=to, reconstructable=False, reason="all mixed up"))
        (report,) = evening.happened(IrregularityReported)
        assert report.as_dealt == Hands(tuple(read_cards(player)), tuple(read_cards(banker)))
        assert report.should_be is None


def test_a_void_round_without_a_named_hand_says_nothing_about_its_hands() -> None:
    evening = dealing(book("super-six-plus")).deal("9s 2d Kh 3c")
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    (report,) = evening.happened(IrregularityReported)
    assert report.as_dealt is None


def test_it_voids_a_settled_hand() -> None:
    evening = dealing(book("super-six-plus")).deal("9s 2d Kh 3c").settle()
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    assert evening.happened(RoundVoided)
