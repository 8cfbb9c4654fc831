"""A hand with extra cards that cannot be reconstructed: void, whichever command reports it."""

import pytest
from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.events import CutCardReached, InsuranceClosed, InsuranceMissed
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    IrregularityRaised,
    IrregularityReported,
    OptionsGiven,
    OrderLost,
    RoundVoided,
    SettlementReversed,
)
from punto.table.records.kinds import Irregularity
from punto.table.records.state import CARD_AT
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import BANKER_ON_FIVE, CHIPS_MINOR, DEALER, NATURAL, SUPERVISOR, Evening, dealing

WHY = "it slid among the others"
Cards = tuple[Card | None, ...]
FIVE: Cards = (Card("5h"),)
BOTH = ("excess", "wrong_number")


def _report(way: str, cards: Cards = FIVE, to: Side | None = Side.PLAYER) -> Command:
    if way == "excess":
        return reports.ReportExcessCard(*SUPERVISOR, cards, to, reconstructable=False, reason=WHY)
    return reports.ReportWrongNumber(*SUPERVISOR, cards, to=to, reason=WHY)


def _counted(evening: Evening) -> tuple[int, int]:
    """The cards that have left the shoe, and how many fives of hearts were seen."""
    shoe = evening.table.shoe
    assert shoe is not None
    return shoe.drawn, shoe.seen[CARD_AT[Card("5h")]]


@reading("order_by_ruling", "void_returns_everything")
@pytest.mark.parametrize("rules", having("excess", "wrong_number", "void"))
@pytest.mark.parametrize(
    ("dealt", "settled"), [("2s 9d", False), (NATURAL, False), (NATURAL, True)], ids=["open", "decided", "settled"]
)
def test_both_reports_give_the_same_events(rules: Rulebook, dealt: str, *, settled: bool) -> None:
    decisions = []
    for way in BOTH:
        evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 50_00)).deal(dealt)
        if settled:
            evening.settle()
        before = _counted(evening)
        decisions.append(evening.do(_report(way)))
        assert set(evening.chips.values()) == {CHIPS_MINOR}
        assert _counted(evening) == (before[0] + 1, before[1] + 1)
        assert evening.table.carried == ()  # discarded with the round
    assert decisions[0] == decisions[1]
    kinds = [IrregularityReported, *([SettlementReversed] if settled else []), CardsDrawnOutOfTurn, RoundVoided]
    assert [type(event) for event in decisions[0]] == kinds
    (report,) = evening.happened(IrregularityReported)
    assert (report.kind, report.reconstructable, report.reason) == (Irregularity.WRONG_NUMBER, False, WHY)
    assert not evening.happened(OptionsGiven)
    assert not evening.happened(OrderLost)


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", having("excess", "wrong_number", "options"))
@pytest.mark.parametrize("to", [None, *Side], ids=str)
@pytest.mark.parametrize("reconstructable", [True, False], ids=["restored", "not"])
def test_it_is_void_only_if_the_card_lies_with_a_hand_and_cannot_be_put_in_order(
    rules: Rulebook, to: Side | None, *, reconstructable: bool
) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, FIVE, to, reconstructable, WHY))
    assert bool(evening.happened(RoundVoided)) is (to is not None and not reconstructable)


@pytest.mark.parametrize("rules", having("wrong_number", "void"))
@pytest.mark.parametrize("named", [FIVE, ()], ids=["named", "raised"])
def test_the_card_that_the_table_raised_is_counted_even_if_nobody_names_it(rules: Rulebook, named: Cards) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Card("5h")))
    drawn, seen = _counted(evening)
    evening.do(_report("wrong_number", named))
    assert _counted(evening) == (drawn + 1, seen + 1)


@pytest.mark.parametrize("rules", having("wrong_number"))
def test_without_an_extra_card_none_is_counted(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    before = _counted(evening)
    events = evening.do(_report("wrong_number", ()))
    assert [type(event) for event in events] == [IrregularityReported, RoundVoided]
    assert _counted(evening) == before


@pytest.mark.parametrize("rules", having("excess", "wrong_number"))
@pytest.mark.parametrize("way", BOTH)
def test_an_extra_card_is_enough_of_a_hand(rules: Rulebook, way: str) -> None:
    evening = dealing(rules)
    evening.do(_report(way, (Card("5h"), Card("4c"))))
    assert evening.happened(RoundVoided)


@pytest.mark.parametrize("rules", having("excess", "wrong_number", "insurance", among=INSURED))
@pytest.mark.parametrize("offered", [False, True], ids=["due", "offered"])
def test_no_offer_is_missed_or_passed_by_it(rules: Rulebook, *, offered: bool) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    if offered:
        evening.do(commands.OpenInsurance(*DEALER))
    evening.do(_report("excess"))
    assert not evening.happened(InsuranceMissed)
    assert not evening.happened(InsuranceClosed)
    assert evening.table.round is not None
    assert not evening.table.round.insurance.offer_open


@pytest.mark.parametrize("rules", having("wrong_number", "void"))
def test_the_extra_card_can_bring_the_cut_card(rules: Rulebook) -> None:
    evening = dealing(rules, cut_card=14).deal(NATURAL)
    assert evening.table.shoe is not None
    shoe = evening.table.shoe
    evening.table = replace(evening.table, shoe=replace(shoe, drawn=shoe.decks * 52 - 15))
    assert not evening.happened(CutCardReached)
    evening.do(_report("wrong_number"))
    assert len(evening.happened(CutCardReached)) == 1


@pytest.mark.parametrize("rules", having("wrong_number", "void"))
def test_a_shoe_that_came_after_the_settlement_does_not_lose_the_card(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL).settle()
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 8))
    evening.do(_report("wrong_number"))
    assert _counted(evening) == (0, 0)
    assert evening.happened(RoundVoided)


@pytest.mark.parametrize("rules", having("wrong_number", "card_count"))
def test_a_card_that_cannot_be_in_the_shoe_is_raised_instead(rules: Rulebook) -> None:
    evening = dealing(rules)
    evening.do(reports.ReportForeignCard(*SUPERVISOR))
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    evening.open_betting().close_betting().deal("5h 5h 5h 5h Kd Kc").settle()
    evening.open_betting().close_betting().deal(NATURAL)
    (raised,) = evening.do(_report("wrong_number"))
    assert isinstance(raised, IrregularityRaised)
    evening.do(_report("wrong_number", (None,)))
    assert evening.happened(RoundVoided)[-1].ground is Irregularity.WRONG_NUMBER


@pytest.mark.parametrize("rules", having("excess", "wrong_number"))
def test_the_report_starts_with_the_card_that_was_raised(rules: Rulebook) -> None:
    for way in BOTH:
        evening = dealing(rules).deal(NATURAL)
        evening.do(commands.DealCard(*DEALER, Card("5h")))
        evening.refuse(_report(way, (Card("4c"),)), TableCode.NOT_THE_NEXT_CARD, *cited(rules, "excess"))
        evening.do(_report(way, (Card("5h"), Card("4c"))))
        assert evening.happened(RoundVoided)
