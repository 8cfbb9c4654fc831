"""Card values and the Table of Play: every case exactly once."""

from collections.abc import Iterable
from typing import TypeVar

from punto.rules.coup.cards import RANKS
from punto.rules.coup.table_of_play import POINTS, Action, PlayRow, TableOfPlay
from punto.rules.loader.toml_table import TomlTable
from punto.rules.refusals import Clause

T = TypeVar("T")


def read_table_of_play(book: TomlTable, first_four: tuple[Clause, ...]) -> TableOfPlay:
    """The drawing rule and what the cards are worth."""
    values = _read_values(book)
    entry = book.table("table_of_play")
    player = _read_rows(entry, "player")
    banker_alone = _read_rows(entry, "banker_alone")
    banker_after = _read_rows_after(entry)
    entry.done()
    for points in POINTS:
        alone, after = banker_alone[points], banker_after[points][0]
        if (alone.action is Action.NATURAL) != (after.action is Action.NATURAL):
            message = f"does not agree with banker_alone (clause {alone.clause}) whether {points} is a natural"
            entry.refuse(message, "banker_after", after.clause)
    return TableOfPlay(values, first_four, player, banker_alone, banker_after)


def _read_values(book: TomlTable) -> dict[str, int]:
    values: dict[str, int] = {}
    for row in book.tables("card_values"):
        row.clause()
        inner = row.table("values")
        if not any(inner.has(rank) for rank in RANKS):
            row.refuse("expected at least one rank", "values")
        for rank in RANKS:
            if inner.has(rank):
                if rank in values:
                    row.refuse(f"the rank {rank} already has a value")
                values[rank] = inner.whole(rank, 0, 9)
        inner.done()
        row.done()
    if missing := [rank for rank in RANKS if rank not in values]:
        book.refuse(f"no value for {', '.join(missing)}", "card_values")
    if unused := [value for value in POINTS if value not in values.values()]:
        book.refuse(f"no card is worth {_listed(unused)}, so some hands are impossible", "card_values")
    return values


def _read_rows(entry: TomlTable, key: str) -> tuple[PlayRow, ...]:
    rows: dict[int, PlayRow] = {}
    for line in entry.tables(key):
        points = line.numbers("points")
        row = PlayRow(line.choice("does", Action), line.clause())
        _fill(line, rows, points, row, "in points")
        line.done()
    return tuple(rows[points] for points in _complete(entry, key, rows))


def _read_rows_after(entry: TomlTable) -> tuple[tuple[PlayRow, ...], ...]:
    """Banker's rows once Player has drawn: one action, or draws and stands by Player's third card."""
    key = "banker_after"
    table: dict[int, tuple[PlayRow, ...]] = {}
    for line in entry.tables(key):
        points = line.numbers("points")
        clause = line.clause()
        across: tuple[PlayRow, ...]
        if line.has("does"):
            across = (PlayRow(line.choice("does", Action), clause),) * 10
        else:
            by_third: dict[int, PlayRow] = {}
            for side, action in (("draws_on", Action.DRAWS), ("stands_on", Action.STANDS)):
                _fill(line, by_third, line.numbers(side), PlayRow(action, clause), "as third card")
            if missing := [third for third in POINTS if third not in by_third]:
                line.refuse(f"no row for third cards {_listed(missing)}")
            across = tuple(by_third[third] for third in POINTS)
        _fill(line, table, points, across, "in points")
        line.done()
    return tuple(table[points] for points in _complete(entry, key, table))


def _fill(line: TomlTable, cells: dict[int, T], numbers: Iterable[int], cell: T, what: str) -> None:
    for number in numbers:
        if number in cells:
            line.refuse(f"{number} is listed twice {what}")
        cells[number] = cell


def _complete(entry: TomlTable, key: str, rows: Iterable[int]) -> range:
    covered = set(rows)
    if missing := [points for points in POINTS if points not in covered]:
        entry.refuse(f"no row for {_listed(missing)} points", key)
    return POINTS


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
