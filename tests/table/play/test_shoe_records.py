"""The cut card, the end of a shoe, and shoes that were taken off."""

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.events import CutCardReached, ShoeLoaded, ShoeReconciled, TableClosed, TableOpened
from punto.table.records.findings import ShoeInspected, ShoeReplaced, ShoeTakenOff
from punto.table.records.kinds import ShoeCheck
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.numbers import cited, having
from tests.table.tables import (
    DEALER,
    NATURAL,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    drawn_to,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
ANNOUNCE = commands.CutCardOut(*DEALER)
INSPECT = reports.InspectShoe(*SUPERVISOR, "s1", "416 cards, all of them ours")


def _load(shoe: str, formerly: str = "") -> commands.LoadShoe:
    return commands.LoadShoe(*SUPERVISOR, shoe, 8, formerly)


# ---- the cut card


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_at_a_felt_table_only_the_dealer_brings_the_cut_card_out(rules: Rulebook) -> None:
    evening = drawn_to(rules, 4, observing=True)
    assert not evening.happened(CutCardReached)
    assert evening.table.shoe is not None
    left = evening.table.shoe.left
    assert evening.do(ANNOUNCE) == (CutCardReached("s1", last=False, announced_left=left),)
    evening.refuse(ANNOUNCE, TableCode.CUT_CARD_IS_OUT)


def test_elsewhere_the_count_brings_it_out_and_the_dealer_may_announce_it_earlier() -> None:
    counted = drawn_to(RULES, 14)
    assert [event.announced_left for event in counted.happened(CutCardReached)] == [None]
    counted.refuse(ANNOUNCE, TableCode.CUT_CARD_IS_OUT)
    announced = dealing(RULES).deal("2s 3h")
    announced.do(ANNOUNCE)
    announced.deal("Kd Kc 6s Ks").settle().open_betting()
    assert announced.table.round is not None
    assert announced.table.round.last
    announced.close_betting().deal(NATURAL).settle()
    announced.refuse(commands.OpenBetting(*DEALER), TableCode.SHOE_ENDED)
    assert len(announced.happened(CutCardReached)) == 1


def test_a_cut_card_that_is_announced_in_any_phase_ends_the_shoe() -> None:
    between = ready(RULES, observing=True)
    between.do(ANNOUNCE)
    between.open_betting()
    during = betting(RULES, observing=True, rounds_after_cut_card=0)
    assert during.do(ANNOUNCE) == (CutCardReached("s1", last=True, announced_left=416),)
    for evening in (between, during):
        assert evening.table.round is not None
        assert evening.table.round.last
        evening.close_betting().deal(NATURAL).settle()
        evening.refuse(commands.OpenBetting(*DEALER), TableCode.SHOE_ENDED)


# ---- the end of a shoe


def _burned(rules: Rulebook, **changes: bool) -> Evening:
    """A shoe of 416 cards: six burned, four dealt in a round, 406 left."""
    evening = opened(rules, burn=True, **changes)
    evening.do(_load("s1"))
    evening.do(commands.BurnCards(*DEALER, Card("5h")))
    return evening.open_betting().close_betting().deal(NATURAL).settle()


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_dealt_burned_and_left_are_reconciled_when_a_shoe_ends(rules: Rulebook) -> None:
    evening = _burned(rules)
    shoe = evening.table.shoe
    assert shoe is not None
    assert (shoe.burned_card, shoe.burned_unseen) == ("5h", 5)
    assert evening.do(commands.EndShoe(*DEALER, 406)) == (ShoeReconciled("s1", 4, 6, 406, 406, 0),)
    assert evening.table.shoe is None
    assert not evening.table.taken_off
    evening.do(_load("s2"))


@pytest.mark.parametrize("rules", having("card_count"))
@pytest.mark.parametrize("counted", [0, 405, 407])
def test_a_difference_is_flagged_and_never_refused(rules: Rulebook, counted: int) -> None:
    evening = _burned(rules)
    reconciled = ShoeReconciled("s1", 4, 6, 406, counted, counted - 406, cited(rules, "card_count"))
    assert evening.do(commands.EndShoe(*DEALER, counted)) == (reconciled,)


def test_a_shoe_ends_without_a_count_and_without_a_burn() -> None:
    evening = dealing(RULES).deal(NATURAL).settle()
    assert evening.do(commands.EndShoe(*DEALER)) == (ShoeReconciled("s1", 4, 0, 412),)


def test_cards_drawn_too_early_end_with_their_shoe() -> None:
    evening = ready(RULES)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),)))
    evening.do(commands.EndShoe(*DEALER, 415))
    assert evening.table.carried == ()
    assert evening.happened(ShoeReconciled)[0].difference == 0


def test_at_a_felt_table_a_shoe_that_nobody_ended_is_on_record_too() -> None:
    evening = _burned(RULES, observing=True)
    assert evening.do(_load("s2")) == (ShoeReconciled("s1", 4, 6, 406), ShoeLoaded("s2", 8))
    reconciled, closed = evening.do(commands.CloseTable(*SUPERVISOR))
    assert reconciled == ShoeReconciled("s2", 0, 0, 416)
    assert isinstance(closed, TableClosed)
    assert evening.table == Table()


def test_elsewhere_the_next_shoe_is_enough() -> None:
    evening = _burned(RULES)
    assert evening.do(_load("s2")) == (ShoeLoaded("s2", 8),)
    assert len(evening.do(commands.CloseTable(*SUPERVISOR))) == 1


# ---- shoes that were taken off or replaced


def _taken_off(rules: Rulebook) -> Evening:
    evening = dealing(rules).deal("2s 3h")
    evening.do(reports.ReportForeignCard(*SUPERVISOR, "a red back"))
    assert evening.happened(ShoeTakenOff)
    return evening


def _replaced(rules: Rulebook, *, now: bool) -> Evening:
    evening = betting(rules).close_betting()
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("9s"), Card("2d"))))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.deal("9s 2d Kh 3c").settle()
    return evening


@pytest.mark.parametrize("rules", having("foreign_card"))
def test_a_shoe_taken_off_comes_back_only_inspected_and_under_another_name(rules: Rulebook) -> None:
    evening = _taken_off(rules)
    assert evening.table.taken_off == {"s1": ShoeCheck.OPEN}
    evening.refuse(_load("s1"), TableCode.SHOE_TAKEN_OFF)
    evening.refuse(_load("s2", "s1"), TableCode.SHOE_TAKEN_OFF)
    assert evening.do(INSPECT) == (ShoeInspected("s1", INSPECT.reason),)
    evening.refuse(_load("s1"), TableCode.SHOE_TAKEN_OFF)
    evening.refuse(_load("s1", "s1"), TableCode.SHOE_TAKEN_OFF)
    assert evening.do(_load("s2", "s1")) == (ShoeLoaded("s2", 8, "s1"),)
    assert evening.table.taken_off == {"s1": ShoeCheck.BACK}
    evening.refuse(_load("s3", "s1"), TableCode.NOT_TAKEN_OFF)


def test_a_shoe_that_is_taken_off_again_is_inspected_again() -> None:
    evening = _taken_off(RULES)
    evening.do(INSPECT)
    evening.do(_load("s2", "s1"))
    evening.do(reports.ReportNotShuffled(*SUPERVISOR))
    evening.refuse(_load("s3", "s1"), TableCode.NOT_TAKEN_OFF)
    evening.refuse(_load("s3", "s2"), TableCode.SHOE_TAKEN_OFF)
    evening.do(reports.InspectShoe(*SUPERVISOR, "s2", "shuffled"))
    evening.do(_load("s3", "s2"))


@pytest.mark.parametrize("rules", having("replace_shoe"))
@pytest.mark.parametrize("now", [True, False])
def test_a_shoe_that_was_replaced_comes_back_in_the_same_way(rules: Rulebook, now: bool) -> None:  # noqa: FBT001
    evening = _replaced(rules, now=now)
    assert evening.table.shoe is not None
    assert evening.table.shoe.id == "s2"
    evening.refuse(_load("s1"), TableCode.SHOE_TAKEN_OFF)
    evening.refuse(_load("s3", "s1"), TableCode.SHOE_TAKEN_OFF)
    evening.do(INSPECT)
    evening.do(_load("s3", "s1"))


def test_a_shoe_may_come_back_to_replace_another() -> None:
    evening = _taken_off(RULES)
    evening.do(_load("s2"))
    evening.open_betting().close_betting()
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("9s"), Card("2d"))))
    replacing = reports.ReplaceShoe(*SUPERVISOR, "s3", 8, formerly="s1")
    evening.refuse(replacing, TableCode.SHOE_TAKEN_OFF)
    evening.do(INSPECT)
    (replaced,) = evening.do(replacing)
    assert isinstance(replaced, ShoeReplaced)
    assert replaced.formerly == "s1"
    assert evening.table.taken_off == {"s1": ShoeCheck.BACK, "s2": ShoeCheck.OPEN}
    still_here = reports.InspectShoe(*SUPERVISOR, "s2", "it has cards to come")
    evening.refuse(still_here, TableCode.SHOE_IN_USE)


def test_closing_and_opening_forget_no_shoe() -> None:
    evening = _taken_off(RULES)
    closed = evening.do(commands.CloseTable(*SUPERVISOR))[-1]
    assert isinstance(closed, TableClosed)
    assert closed.taken_off == {"s1": ShoeCheck.OPEN}
    left = commands.OpenTable(*SUPERVISOR, settings(RULES), carried=closed.balances, taken_off=closed.taken_off)
    (again,) = evening.do(left)
    assert isinstance(again, TableOpened)
    evening.refuse(_load("s1"), TableCode.SHOE_TAKEN_OFF)
    evening.do(INSPECT)
    evening.do(_load("s2", "s1"))
    assert evening.table.phase is Phase.READY


def test_what_is_listed_about_shoes() -> None:
    def listed(*kinds: type[Command]) -> list[Command]:
        moves = legal(RULES, evening.table, *SUPERVISOR)
        return [move.command for move in moves if isinstance(move.command, kinds)]

    evening = _taken_off(RULES)
    assert listed(reports.InspectShoe) == [reports.InspectShoe(*SUPERVISOR, "s1", "to be stated")]
    assert listed(commands.CutCardOut, commands.EndShoe) == []
    evening.do(INSPECT)
    evening.do(_load("s2", "s1"))
    assert listed(reports.InspectShoe) == []
    assert listed(commands.CutCardOut, commands.EndShoe) == [
        commands.CutCardOut(*SUPERVISOR),
        commands.EndShoe(*SUPERVISOR),
    ]
    evening.do(_load("another shoe 1"))
    evening.do(reports.ReportNotShuffled(*SUPERVISOR))
    assert [one.shoe for one in listed(commands.LoadShoe) if isinstance(one, commands.LoadShoe)] == ["another shoe 2"]
