"""Every irregularity case, asked as one question, ends to the cent as the case says."""

import pytest
from msgspec.structs import replace

from punto import book as read_book
from punto.rules.money import write_amount
from punto.table.records.findings import RoundVoided
from punto.table.referee.laying import lay
from punto.table.referee.outcomes import outcomes
from punto.table.referee.question import RefereeQuestion
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.marks import rest_at_night
from tests.table.referee.questions import question_of

NOT_ONE_QUESTION = {
    "At a screen table a call is for chips that the player has": "it depends on chips besides the bets",
    "The first offer was made on a card entered wrongly: who passed on it has forgone nothing": "it names a draw",
    "A card is corrected during a late offer: it can be made once more, or the claim stays": "it names a draw",
    "A card entered wrongly had decided a bet: the players have their options after all": "it names a draw",
    "A card was entered wrongly and a bet had been decided: nobody had a choice": "it names a draw",
    "A fifth copy of a card, after the other four went back": "a question has no cards that went back",
}
"""Cases whose end depends on what is no part of a question."""

ANSWERS = ("choose_option.1", "rule_card_order.1", "call_time.1")

CASES = [filed for filed in all_irregularities() if filed.case.name not in NOT_ONE_QUESTION]
BY_DAY = list({(each.book, each.path, each.case.void, bool(each.case.options)): each for each in CASES}.values())
"""One of each kind in each book. The engine plays them all by day, in ``tests/cases``."""


def name_of(filed: Filed) -> str:
    return f"{filed.book}/{filed.path.name}::{filed.case.name}"


def first_answer(question: RefereeQuestion) -> int | None:
    """Which step is the first that answers the table: a choice, the end of choosing, or an order ruled."""
    steps = enumerate(question.happened)
    return next((at for at, step in steps if isinstance(step, dict) and step["command"] in ANSWERS), None)


@pytest.mark.parametrize("filed", rest_at_night(CASES, BY_DAY, name_of))
def test_a_case_asked_as_one_question_ends_as_the_case_says(filed: Filed) -> None:
    laid = lay(read_book(filed.book), question_of(filed))
    assert laid.refusal is None
    left = {line.partition(" ")[0] for line in filed.case.happens if line.endswith(" leaves")}  # with all their chips
    ends = {who: end for who, end in filed.case.ends.items() if who not in left}
    assert {who: _change(laid.change_minor(who, laid.table)) for who in ends} == ends
    assert filed.case.void is any(isinstance(event, RoundVoided) for step in laid.steps for event in step.events)


def _change(minor: int) -> str:
    return f"{'+' if minor > 0 else ''}{write_amount(minor)}"


ANSWERED = [each for each in CASES if first_answer(question_of(each)) is not None]


@pytest.mark.parametrize("filed", rest_at_night(ANSWERED, BY_DAY, name_of))
def test_the_end_of_a_case_is_among_those_that_the_referee_lists_beforehand(filed: Filed) -> None:
    """Before anybody has chosen or ruled an order, the referee lists every end that it can come to."""
    book, question = read_book(filed.book), question_of(filed)
    laid = lay(book, replace(question, happened=question.happened[: first_answer(question)]))
    listed = [each for outcome in outcomes(book, laid) for each in outcome.ends]
    assert laid.refusal is None
    assert bool(listed) == bool(filed.case.ends)
    for who, end in filed.case.ends.items():
        possible = {minor for each in listed if each.who == who for minor in (each.minor, each.back_minor)}
        assert not possible or None in possible or end in [_change(minor) for minor in possible if minor is not None]
