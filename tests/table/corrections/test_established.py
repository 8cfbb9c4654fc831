"""A corrected card that changes whether an outcome was established when a dealing error was reported."""

from collections.abc import Callable

import pytest

from punto import book
from punto.rules.coup.cards import Card, read_card
from punto.rules.coup.table_of_play import Side
from punto.table.records import reports
from punto.table.records.commands import DealCard
from punto.table.records.corrections import CorrectCard
from punto.table.records.findings import OptionsClosed, OptionsGiven
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import reading
from tests.table.numbers import cited
from tests.table.tables import DEALER, SUPERVISOR, Evening, dealing

RULES = book("da-hu-ying-xiong")
"""The only book whose menu leaves three cards open that pair no hand."""
OPEN, DECIDED = read_card("Ah"), read_card("3h")
"""Beside Player's 4: with 5 Banker can still win on 6, with 7 Player stands."""
BETS = (("ann", "banker", 100_00), ("ben", "tiger", 10_00))


def _excess(third: Card) -> Evening:
    evening = dealing(RULES, *BETS).deal("4s 2d")
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (third,)))
    return evening


def _extra_card_in_a_hand(third: Card) -> Evening:
    evening = dealing(RULES, *BETS).deal("4s 2d")
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, (third,), reconstructable=True, to=Side.PLAYER))
    return evening


def _wrong_side(third: Card) -> Evening:
    evening = dealing(RULES, *BETS).deal(f"4s 2d {third}")
    evening.do(reports.ReportWrongSide(*SUPERVISOR, (Side.BANKER, Side.PLAYER, Side.PLAYER)))
    return evening


def _face_up(third: Card) -> Evening:
    evening = dealing(RULES, *BETS, face_down=True).deal("4s 2d").deal_unseen(1)
    evening.do(reports.ReportFaceUpCard(*DEALER, 3, third))
    return evening


Reported = Callable[[Card], Evening]
BY: dict[Reported, str] = {
    _excess: "excess_options",
    _extra_card_in_a_hand: "excess_options",
    _wrong_side: "wrong_side",
    _face_up: "face_up",
}


def _corrected(evening: Evening, third: Card | None) -> Evening:
    evening.do(CorrectCard(*SUPERVISOR, "s1", 2, third, reason="misread"))
    return evening


def _takes_back(evening: Evening, who: str) -> None:
    evening.do(reports.ChooseOption(who, Position.PLAYER, who, Choice.RETURN))


@reading("when_options_arise", "card_entered_wrongly")
@pytest.mark.parametrize("report", BY)
def test_players_have_their_options_after_all(report: Reported) -> None:
    evening = report(DECIDED)
    assert not evening.happened(OptionsGiven)
    _corrected(evening, OPEN)
    (given,) = evening.happened(OptionsGiven)
    assert (given.players, given.reconstructable) == (("ann", "ben"), True)
    assert set(cited(RULES, BY[report])) <= set(given.clauses)
    _takes_back(evening, "ann")
    assert evening.stakes == {("ben", 2, "tiger"): 10_00}


@reading("when_options_arise", "card_entered_wrongly")
@pytest.mark.parametrize("report", BY)
@pytest.mark.parametrize("choosing", [["ben"], ["ben", "ann"]])
def test_choices_that_nobody_had_are_undone(report: Reported, choosing: list[str]) -> None:
    evening = report(OPEN)
    for who in choosing:
        _takes_back(evening, who)
    _corrected(evening, DECIDED)
    closed = evening.happened(OptionsClosed)[-1]
    assert (closed.silent, closed.established) == (() if "ann" in choosing else ("ann",), True)
    assert evening.stakes == {("ann", 1, "banker"): 100_00, ("ben", 2, "tiger"): 10_00}
    evening.refuse(
        reports.ChooseOption("ben", Position.PLAYER, "ben", Choice.RETURN),
        TableCode.NO_OPTIONS,
        *cited(RULES, "options"),
    )
    _corrected(evening, OPEN)
    assert evening.happened(OptionsGiven)[-1].players == ("ann", "ben"), "the second correction gives them again"


def test_a_choice_that_something_has_followed_stands() -> None:
    evening = _excess(OPEN)
    _takes_back(evening, "ben")
    evening.do(reports.CallTime(*SUPERVISOR))
    _corrected(evening, DECIDED)
    assert evening.stakes == {("ann", 1, "banker"): 100_00}


def test_without_an_extra_card_there_is_nothing_to_choose_after() -> None:
    evening = _corrected(_excess(DECIDED), None)
    evening.do(CorrectCard(*SUPERVISOR, "s1", 0, read_card("6c"), reason="misread"))
    assert not evening.happened(OptionsGiven)


def test_once_the_extra_card_is_dealt_nobody_chooses() -> None:
    evening = _excess(DECIDED)
    evening.do(DealCard(*DEALER))
    assert not _corrected(evening, OPEN).happened(OptionsGiven)


def test_an_error_that_gives_options_in_any_case_gives_them_once_and_they_stand() -> None:
    evening = dealing(RULES, *BETS).deal("4s 2d Ah")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    _takes_back(evening, "ben")
    _corrected(_corrected(evening, DECIDED), OPEN)
    assert len(evening.happened(OptionsGiven)) == 1
    assert evening.stakes == {("ann", 1, "banker"): 100_00}
