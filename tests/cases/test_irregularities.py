"""Every irregularity case, played at a table, and checks that the cases are complete."""

from typing import get_args

import msgspec
import pytest
from _pytest.mark import ParameterSet

from punto.rules.rulebook import ClauseKind, Rulebook
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.kinds import TOPICS, Irregularity
from punto.table.vocabulary import AnyCommand
from tests.cases.irregularity_files import Filed, all_irregularities, read_file
from tests.cases.playing import ComesOtherwise, differences, play, played
from tests.marks import BOOKS, LATER, clause, reading

REPORTS = [kind for kind in get_args(AnyCommand) if kind.__module__ == reports.__name__]
OF_NO_BOOK: set[type[Command]] = {
    *(reports.ReportRestart, reports.ResumeRound),
    *(reports.InspectShoe, reports.ExchangeShoe),
}
"""No book knows of a server or its backups, nor of the inspection of a shoe: see tests/table/play."""


def parameters() -> list[ParameterSet]:
    return [_parameter(filed) for filed in all_irregularities()]


def _parameter(filed: Filed) -> ParameterSet:
    case = filed.case
    marks = [clause(filed.book, *case.shown)] if case.shown else []
    if case.readings:
        marks.append(reading(*case.readings))
    return pytest.param(filed, id=f"{filed.book}/irregularities/{filed.path.name}::{case.name}", marks=marks)


@pytest.mark.parametrize("filed", parameters())
def test_case(filed: Filed) -> None:
    assert differences(filed, play(filed)) == []


# ---- the cases are complete


def accepted(book: Rulebook) -> set[type[Command]]:
    return {kind for filed, came in played() if filed.book == book.id for kind in came.commands}


@pytest.mark.sweep
@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_every_command_that_the_book_has_is_in_a_case_of_it(book: Rulebook) -> None:
    has = {kind for kind in REPORTS if kind.topic is None or book.topics[kind.topic]} - OF_NO_BOOK
    assert {kind.__name__ for kind in has - accepted(book)} == set()


@pytest.mark.sweep
@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_every_irregularity_that_the_book_has_is_in_a_case_of_it(book: Rulebook) -> None:
    happened = {kind for filed, came in played() if filed.book == book.id for kind in came.kinds}
    ruled = {Irregularity.RULING}  # a ruling is not a report
    assert {kind for kind in Irregularity if book.topics[TOPICS[kind]]} - ruled == happened


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_every_clause_on_irregularities_is_shown_by_a_case(book: Rulebook) -> None:
    shown = {one for filed in all_irregularities() if filed.book == book.id for one in filed.case.shown}
    wanted = {
        one.id
        for one in book.clauses.values()
        if one.id.startswith("5.") and one.kind in (ClauseKind.IRREGULARITY, ClauseKind.AUTHORITY)
    }
    assert wanted - shown == set()


@pytest.mark.sweep
@pytest.mark.parametrize("book", LATER)
def test_both_sides_of_each_condition_are_tried(book: str) -> None:
    tried = {
        (j.kind, j.established, j.reconstructable, j.too_few)
        for filed, came in played()
        if filed.book == book
        for j in came.judged
    }
    hand = (Irregularity.EXCESS_CARD, Irregularity.WRONG_NUMBER, Irregularity.WRONG_SIDE, Irregularity.DEALING_ERROR)
    for kind in hand:
        assert {(kind, True, True, False), (kind, False, True, False), (kind, False, False, False)} <= tried
    for kind in (Irregularity.FACE_UP_CARD, Irregularity.SIMULTANEOUS_CARDS, Irregularity.INTERRUPTION):
        assert {(kind, certain, None, False) for certain in (True, False)} <= tried
    assert {(Irregularity.WRONG_NUMBER, certain, True, True) for certain in (True, False)} <= tried  # too few


# ---- a case can fail

GOOD = """
table = "layout=A boxes=9"
[[cases]]
name = "a case"
clauses = ["5.1", "5.1.1"]
bets = ["ann bets 100 on banker at 1"]
happens = ["dora deals 9s", "sue reports a foreign card"]
void = true
ends = { ann = "0.00" }
why = "All bets are returned."
"""


def filed_as(text: str) -> Filed:
    file = read_file(text)
    one = all_irregularities()[0]
    return Filed("commission", one.path, f"{file.table} {file.cases[0].table}", file.cases[0])


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ('["5.1", "5.1.1"]', '["5.1"]', "clauses"),
        ("void = true", "", "void"),
        ("void = true", 'void = true\noptions = ["ann"]', "options"),
        ("void = true", 'void = true\nestablished = ["tie"]', "established"),
        ("void = true", 'void = true\nestablished = "everything"', "established"),
        ("void = true", 'void = true\ncards_kept = "5h"', "cards_kept"),
        ('ann = "0.00"', 'ann = "+0.01"', "ends"),
        ('ann = "0.00"', 'ann = "0.00", ben = "-0.01"', "ends"),
    ],
)
def test_a_case_with_another_outcome_fails(right: str, wrong: str, complaint: str) -> None:
    good = filed_as(GOOD)
    assert differences(good, play(good)) == []
    bad = filed_as(GOOD.replace(right, wrong))
    assert [line.partition(":")[0] for line in differences(bad, play(bad))] == [complaint]


@pytest.mark.parametrize(
    "step",
    [
        "sue reports a foreign card -- no_round",
        "dora reports a foreign card",
        "dora deals 9s -- raises wrong_number",
    ],
)
def test_a_step_with_another_outcome_fails(step: str) -> None:
    with pytest.raises(ComesOtherwise, match="came out as"):
        play(filed_as(GOOD.replace("sue reports a foreign card", step)))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD + GOOD.replace('table = "layout=A boxes=9"', ""), "more than one case"),
        (GOOD + 'colour = "red"\n', "unknown field `colour`"),
        (GOOD.replace('"5.1", "5.1.1"', ""), "names no clause"),
        (GOOD.replace("a case", "a cas\u00e9"), "plain ASCII"),
        (GOOD.replace('ann = "0.00"', ""), "what ann ends with"),
        (GOOD + 'established = "nothing"\n', "a list of bets"),
    ],
)
def test_a_file_with_an_unknown_or_missing_key_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=complaint):
        read_file(text)
