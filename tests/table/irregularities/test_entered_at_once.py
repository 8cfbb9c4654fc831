"""Cards drawn at the same time, of which some are entered already."""

import pytest

from punto.rules.coup.cards import Card, read_card
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import InsuranceClosed, InsuranceMissed, InsuranceOffered, RoundSettled
from punto.table.records.findings import CardsDrawnOutOfTurn, IrregularityReported, OptionsGiven, OrderLost
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import BANKER_ON_FIVE, DEALER, NATURAL, SUPERVISOR, Evening, dealing

AT_ONCE = having("at_once", "at_once_options", "options")
TIME = reports.CallTime(*SUPERVISOR)


def at_once(entered: int, words: str = "") -> reports.ReportSimultaneousCards:
    """``??`` is a card that nobody has seen."""
    cards = tuple(None if word == "??" else read_card(word) for word in words.split())
    return reports.ReportSimultaneousCards(*DEALER, cards, entered)


def order(*places: int) -> reports.RuleCardOrder:
    return reports.RuleCardOrder(*SUPERVISOR, places)


def _cards(evening: Evening) -> str:
    assert evening.table.round is not None
    dealt = " ".join(card or "??" for card in evening.table.round.cards)
    return f"{dealt} | {' '.join(carried.card or '??' for carried in evening.table.carried)}"


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", AT_ONCE)
@pytest.mark.parametrize(
    ("dealt", "entered", "out", "places", "ruled", "expected"),
    [
        ("2s", 1, "9d", (1, 2), (2, 1), "9d | 2s"),
        ("2s 9d", 1, "5h", (2, 3), (3, 2), "2s 5h | 9d"),
        ("2s 9d", 2, "", (1, 2), (2, 1), "9d 2s | "),
        ("2s 9d", 2, "??", (1, 2, 3), (3, 1, 2), "?? 2s | 9d"),
        ("2s 9d", 1, "5h 4c", (2, 3, 4), (4, 2, 3), "2s 4c | 9d 5h"),
        ("2s 9d 5h 7c", 0, "4s 3c", (5, 6), (6, 5), "2s 9d 5h 7c | 3c 4s"),
    ],
)
def test_the_last_cards_entered_are_ordered_with_the_others(
    rules: Rulebook,
    dealt: str,
    entered: int,
    out: str,
    places: tuple[int, ...],
    ruled: tuple[int, ...],
    expected: str,
) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00)).deal(dealt)
    evening.do(at_once(entered, out))
    assert evening.happened(OrderLost) == [OrderLost(places, simultaneous=True)]
    drawn = evening.happened(CardsDrawnOutOfTurn)
    assert [len(each.cards) for each in drawn] == ([len(out.split())] if out else [])
    assert not evening.happened(OptionsGiven)
    evening.do(order(*ruled))
    assert _cards(evening) == expected
    assert evening.happened(OptionsGiven)


@pytest.mark.parametrize("rules", AT_ONCE)
@pytest.mark.parametrize(("entered", "established"), [(0, True), (1, True), (2, False), (4, False)])
def test_an_entered_card_in_doubt_establishes_nothing(rules: Rulebook, entered: int, *, established: bool) -> None:
    evening = dealing(rules).deal("2s 9d 2h 7c")
    evening.do(at_once(entered, "5h 4c"))
    assert bool(evening.happened(IrregularityReported)[0].established) is established


@pytest.mark.parametrize("rules", AT_ONCE)
def test_an_unlawful_order_of_them_is_refused(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("2s 7d 3h Kc 7c")
    evening.do(at_once(3))
    evening.refuse(order(5, 4, 3), TableCode.NOT_AN_ORDER, *cited(rules, "table_of_play"))  # a natural 9
    evening.do(order(3, 4, 5))


@pytest.mark.parametrize("rules", AT_ONCE)
def test_it_resolves_the_card_that_the_table_raised(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Card("5h")))
    evening.refuse(at_once(2), TableCode.NOT_THE_NEXT_CARD, *cited(rules, "excess"))
    evening.do(at_once(1, "5h"))
    evening.do(order(5, 4))
    evening.do(TIME)
    evening.settle()
    settled = evening.happened(RoundSettled)[0]
    assert (settled.player, settled.banker) == (9, 7)
    assert _cards(evening).endswith("| 3c")


# ---- insurance


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", having("insurance", "at_once", among=INSURED))
@pytest.mark.parametrize("out", ["", "??", "7s"])
@pytest.mark.parametrize("opened", [False, True], ids=["due", "open"])
def test_an_offer_on_points_in_doubt_is_neither_missed_nor_forgone(rules: Rulebook, out: str, *, opened: bool) -> None:
    evening = dealing(rules, forgone_for_the_round=True).deal(BANKER_ON_FIVE)
    if opened:
        evening.do(commands.OpenInsurance(*DEALER))
    evening.do(at_once(2, out))
    assert [closed.forgone for closed in evening.happened(InsuranceClosed)] == [()] * opened
    assert not evening.happened(InsuranceMissed)
    assert evening.table.round is not None
    assert evening.table.round.insurance.forgone == frozenset()
    evening.do(order(*evening.happened(OrderLost)[0].places))
    evening.do(TIME)
    if out == "7s":  # the next card is known, so nobody can insure against it
        evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
        return
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1_00))
    assert len(evening.happened(InsuranceOffered)) == 1 + opened


@pytest.mark.parametrize("rules", having("insurance", "excess", "goes_on_as_it_is", among=INSURED))
def test_an_order_of_cards_not_dealt_yet_brings_no_second_offer(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1_00))
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None, None), None, False, "both fell"))  # noqa: FBT003 - its place
    evening.do(order(6, 5))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
