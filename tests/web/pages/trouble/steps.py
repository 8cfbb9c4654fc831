"""The steps of all irregularity cases and golden evenings, with the table before each of them."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from punto import book as read_book
from punto.rules.rulebook import Rulebook
from punto.table import handle
from punto.table.decision import Decision
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.records import reports
from punto.table.records.commands import Command, DealCard, Leave
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from tests import golden
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.cases.playing import STAFF, opening, steps
from tests.golden.evening import read_staff
from tests.golden.script import lines_of, words_of
from tests.golden.words import Staff, read_command

EVENINGS = tuple(sorted(Path(golden.__file__).parent.glob("*/*.script")))

Step = tuple[TableInTrouble, Command, Decision]


def steps_of_case(filed: Filed) -> Iterator[Step]:
    """From the call for bets on."""
    book, table = read_book(filed.book), Table()
    for line in lines_of("\n".join(opening(filed))):
        table, _ = handle(book, table, read_command(line.partition(" -- ")[0], STAFF))
    yield from _steps(book, table, STAFF, words_of("\n".join(steps(filed.case))))


def steps_of_evening(path: Path) -> Iterator[Step]:
    script = path.read_text(encoding="utf-8")
    staff = read_staff(script.splitlines()[1])
    yield from _steps(read_book(path.parent.name), Table(), staff, words_of(script))


def _steps(book: Rulebook, table: Table, staff: Staff, lines: list[str]) -> Iterator[Step]:
    for line in lines:
        felt, command = TableInTrouble(book, table), read_command(line, staff)
        table, decision = handle(book, table, command)
        yield felt, command, decision


def is_trouble(felt: TableInTrouble, command: Command) -> bool:
    """Whether people tell it to the guide. An ordinary card or farewell is none of its business, nor is a server's."""
    if isinstance(command, DealCard):
        return command.not_offered and command.position is not Position.HOUSE
    if isinstance(command, Leave):
        return felt.round is not None and any(command.who == who for who, _, _ in felt.round.bets)
    by_the_system = (reports.ReportRestart, reports.ExchangeShoe)
    return type(command).__module__ == reports.__name__ and not isinstance(command, by_the_system)


@cache
def different_tables(book: str) -> tuple[TableInTrouble, ...]:
    """Tables of a book that differ in something that matters to what can go wrong."""
    found: dict[object, TableInTrouble] = {}
    for filed in all_irregularities():
        if filed.book == book:
            for felt, _, _ in steps_of_case(filed):
                found.setdefault(_what_matters(felt), felt)
    for path in EVENINGS:
        if path.parent.name == book:
            for felt, _, _ in steps_of_evening(path):
                found.setdefault(_what_matters(felt), felt)
    return tuple(found.values())


def _what_matters(felt: TableInTrouble) -> object:
    table, now, settings = felt.table, felt.table.round, felt.table.settings
    if settings is None or table.phase is Phase.CLOSED:
        return table.phase
    mode = (settings.face_down, settings.felt, settings.cards_only, settings.faces_by_rank)
    around = (table.phase, table.shoe is None, bool(table.carried), table.restart is None, bool(table.taken_off))
    if now is None:
        return mode, around
    trouble, insurance = now.irregularities, now.insurance
    return (
        mode,
        around,
        (now.settled, trouble.void, now.cancelled, bool(now.bets), min(len(now.cards), 5), None in now.cards),
        (
            trouble.raised and trouble.raised.kind,
            trouble.options is None,
            bool(trouble.order_lost),
            trouble.simultaneous,
        ),
        (bool(trouble.choices), bool(insurance.missed), insurance.offer_stands, bool(insurance.cover), bool(now.away)),
    )
