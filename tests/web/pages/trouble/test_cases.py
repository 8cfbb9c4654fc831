"""Every irregularity case, told to the guide: what its questions collect is exactly the command of the case."""

from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet

from punto import book as read_book
from punto.rules.refusals import Refusal
from punto.table import handle
from punto.table.decision import Decision
from punto.table.records import reports
from punto.table.records.commands import Command, DealCard, Leave
from punto.table.records.findings import IrregularityReported
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from punto.web.pages.trouble.felt import TableInTrouble
from punto.web.pages.trouble.tiles import tiles
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.cases.playing import STAFF, opening, steps
from tests.golden.script import lines_of
from tests.golden.words import read_command
from tests.web.pages.trouble.witness import tell


def parameters() -> list[ParameterSet]:
    return [
        pytest.param(filed, id=f"{filed.book}/{filed.path.name}::{filed.case.name}") for filed in all_irregularities()
    ]


def played(filed: Filed) -> Iterator[tuple[TableInTrouble, Command, Decision]]:
    """Each step of a case, with the table before it."""
    book, table = read_book(filed.book), Table()
    for line in lines_of("\n".join(opening(filed))):
        table, _ = handle(book, table, read_command(line, STAFF))
    for line in lines_of("\n".join(steps(filed.case))):
        felt, command = TableInTrouble(book, table), read_command(line.partition(" -- ")[0], STAFF)
        table, decision = handle(book, table, command)
        yield felt, command, decision


def is_trouble(felt: TableInTrouble, command: Command, decision: Decision) -> bool:
    """Whether the guide has to be able to say it: an ordinary card or an ordinary farewell is none of its business."""
    if isinstance(command, DealCard):
        runs_out = not isinstance(decision, Refusal) and isinstance(decision[0], IrregularityReported)
        return command.not_offered or runs_out
    if isinstance(command, Leave):
        now = felt.round
        return now is not None and any(command.who == who for who, _, _ in now.bets)
    return type(command).__module__ == reports.__name__


@pytest.mark.parametrize("filed", parameters())
def test_the_facts_of_a_case_give_its_command(filed: Filed) -> None:
    for felt, command, decision in played(filed):
        if not is_trouble(felt, command, decision):
            continue
        told = tell(felt, command)
        if not isinstance(decision, Refusal):
            assert told is not None, command
            assert next(tile for tile in tiles(felt) if tile.name is told.tile).why_not is None, command
        elif decision.code is TableCode.NOT_IN_BOOK:
            assert told is None or next(t for t in tiles(felt) if t.name is told.tile).why_not == decision, command
