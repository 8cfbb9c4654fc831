"""Card values and the Table of Play: every case exactly once."""

from collections.abc import Iterable
from typing import TypeVar

from punto.catalogue.sentence import Phrase, phrase
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
            message = phrase("book_fault.natural", clause=alone.clause, points=points)
            entry.refuse(message, "banker_after", after.clause)
    return TableOfPlay(values, first_four, player, banker_alone, banker_after)


def _read_values(book: TomlTable) -> dict[str, int]:
    values: dict[str, int] = {}
    for row in book.tables("card_values"):
        row.clause()
        inner = row.table("values")
        if not any(inner.has(rank) for rank in RANKS):
            row.refuse(phrase("book_fault.rank_none"), "values")
        for rank in RANKS:
            if inner.has(rank):
                if rank in values:
                    row.refuse(phrase("book_fault.rank_twice", rank=rank))
                values[rank] = inner.whole(rank, 0, 9)
        inner.done()
        row.done()
    if missing := tuple(rank for rank in RANKS if rank not in values):
        book.refuse(phrase("book_fault.rank_without_value", ranks=missing), "card_values")
    if unused := tuple(value for value in POINTS if value not in values.values()):
        book.refuse(phrase("book_fault.value_missing", values=unused), "card_values")
    return values


def _read_rows(entry: TomlTable, key: str) -> tuple[PlayRow, ...]:
    rows: dict[int, PlayRow] = {}
    for line in entry.tables(key):
        points = line.numbers("points")
        row = PlayRow(line.choice("does", Action), line.clause())
        _fill(line, rows, points, row, phrase("book_fault.in_points"))
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
                _fill(line, by_third, line.numbers(side), PlayRow(action, clause), phrase("book_fault.as_third_card"))
            if missing := tuple(third for third in POINTS if third not in by_third):
                line.refuse(phrase("book_fault.gap_third_cards", values=missing))
            across = tuple(by_third[third] for third in POINTS)
        _fill(line, table, points, across, phrase("book_fault.in_points"))
        line.done()
    return tuple(table[points] for points in _complete(entry, key, table))


def _fill(line: TomlTable, cells: dict[int, T], numbers: Iterable[int], cell: T, what: Phrase) -> None:
    for number in numbers:
        if number in cells:
            line.refuse(phrase("book_fault.listed_twice", number=number, what=what))
        cells[number] = cell


def _complete(entry: TomlTable, key: str, rows: Iterable[int]) -> range:
    covered = set(rows)
    if missing := tuple(points for points in POINTS if points not in covered):
        entry.refuse(phrase("book_fault.gap_points", points=missing), key)
    return POINTS
