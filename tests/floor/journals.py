"""Journals of every kind for testing readers: golden ones, one with all irregularities, random ones."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import NO_PREVIOUS_HASH, CommandRecord, Entry, follow, write
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.round_index import index_rounds
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.table.records.events import Event, TableClosed
from tests.floor.corrected_rounds import GAME, corrected_evening
from tests.floor.goldens import TABLE
from tests.floor.identified_places import identified
from tests.floor.nights import SID, SUE, Night, night, opened, rejudged, troubled
from tests.golden.evening import read_event
from tests.golden.recordings import ALL, NEWEST, golden
from tests.model.test_troubled_house import the_evening

START_US = 1_700_000_000_000_000


def random_history(url: str, game: str) -> None:
    """A floor whose journal has random irregularities."""
    written(url, game, the_evening(game).events)


def golden_history(url: str, name: str) -> None:
    """A floor with a golden journal."""
    evening = golden(name)
    rules = book(evening.book)
    written(url, evening.book, [read_event(rules, text) for step in evening.steps for text in step.events])


def written(url: str, game: str, happened: list[Event]) -> None:
    """A floor with one table and these events."""

    async def play(floor: Night) -> None:
        await floor.floor.create_table(SUE, TableSetup(TABLE, game, ShoeKind.MANUAL))

    night(url, play)
    with opened(url) as database:
        for number, part in enumerate(openings(happened), 1):
            append(database, f"{TABLE}/{number}", part)


def openings(happened: list[Event]) -> Iterator[list[Event]]:
    """The events of each opening of a table."""
    part: list[Event] = []
    for event in happened:
        part.append(event)
        if isinstance(event, TableClosed):
            yield part
            part = []
    if part:
        yield part


def entries_from(stream: str, happened: list[Event]) -> list[Entry]:
    """Entries for events, each with its own command."""
    entries: list[Entry] = []
    for number, event in enumerate(happened):
        said = CommandRecord(START_US + number, "sue", "pit_supervisor", f"{stream} {number}", "", "{}")
        before = entries[-1].hash if entries else NO_PREVIOUS_HASH
        entries += follow(stream, number, before, said, [write(event)])
    return entries


def append(database: Database, stream: str, happened: list[Event]) -> None:

    def work(transaction: Transaction) -> None:
        entries = entries_from(stream, happened)
        index_rounds(transaction, streams.append(transaction, streams.create(transaction, stream), entries), entries)

    database.writing(work).result()


def all_entries(database: Database) -> list[Entry]:
    """All entries of all tables, stream by stream."""
    heads = database.reading(streams.heads).result()
    return [entry for name, head in heads.items() if name != HOUSE for entry in streams.read_all(database, head)]


def reopened(url: str) -> None:
    """Three openings, each with rulings that move chips before its first round; the last has no round."""

    async def rule(floor: Night, ann: int, ben: int) -> None:
        amounts = {"ann": ann, "ben": ben}
        await floor.do(SID, TABLE, "rule.1", reason="as the film shows", effect="adjust", amounts=amounts)

    async def play(floor: Night) -> None:
        await floor.table(TABLE, shoes=ShoeKind.SEEDED, seed="reopened")
        await rule(floor, 3_33, -1_01)
        await floor.rounds(TABLE, 4)
        await rule(floor, -7, 5)
        await floor.close(TABLE)
        await floor.open(TABLE)
        await rule(floor, 12_34, -2)
        await rule(floor, -1, 2_50)
        await floor.rounds(TABLE, 4)
        await floor.close(TABLE)
        await floor.open(TABLE)
        await rule(floor, 99, -99)

    night(url, play)


def corrected(url: str) -> None:
    """A floor whose journal has corrections of bets, insurance, choices, payments and rounds."""
    written(url, GAME, corrected_evening().events)


RANDOM = {f"random {game}": partial(random_history, game=game) for game in book_ids()}
JOURNALS: dict[str, Callable[[str], None]] = {
    **{name: partial(golden_history, name=name) for name in ALL},
    "troubled": troubled,
    "rejudged": rejudged,
    "reopened": reopened,
    "identified": identified,
    "corrected": corrected,
    **RANDOM,
}
IN_TEST = ("random commission", "random tiger-buffalo")
"""Random journals of the plainest book, and of one with all that a book can have."""


def _marks(name: str) -> list[pytest.MarkDecorator]:
    if name not in RANDOM:
        return [pytest.mark.nightly] if name in ALL and name not in NEWEST else []
    return [pytest.mark.sweep] if name in IN_TEST else [pytest.mark.sweep, pytest.mark.nightly]


EVERY_JOURNAL = [pytest.param(name, marks=_marks(name)) for name in JOURNALS]
"""Their names, as parameters. Random ones take seconds: those of the other books are read at night, and so are evenings
that were recorded again."""
