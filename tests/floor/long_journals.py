"""Creates long journals quickly: chips are sold and bought back again and again, with properly chained entries."""

from collections.abc import Iterator
from itertools import islice

from punto.floor.database.base import Database
from punto.floor.journal import streams
from punto.floor.journal.entry import CommandRecord, follow, write
from punto.floor.journal.replay import take_snapshot
from punto.floor.journal.streams import Head
from punto.floor.running.live_table import ENTRIES_A_SNAPSHOT
from punto.library import book
from punto.rules.refusals import Refusal
from punto.table import decide, evolve
from punto.table.records.commands import BuyIn, CashOut, Command, PlaceBet
from punto.table.records.positions import Position
from punto.table.records.state import Table

AT_ONCE = 20_000

Step = tuple[Command, tuple[str, ...]]


def _steps(rules: str, state: Table) -> tuple[list[Step], list[Table]]:
    """Commands with their events and the table afterwards. The states repeat."""
    bet = PlaceBet("ann", Position.PLAYER, "ann", 1, "player", 5)
    dora = ("dora", Position.DEALER)
    steps: list[Step] = []
    tables: list[Table] = []
    for command in (bet, BuyIn(*dora, "ann", 100), CashOut(*dora, "ann", 100)):
        events = decide(book(rules), state, command)
        assert not isinstance(events, Refusal), events
        for event in events:
            state = evolve(state, event)
        steps.append((command, tuple(write(event) for event in events)))
        tables.append(state)
    assert tables[0] == tables[2]
    return steps, tables


def _commands(count: int) -> Iterator[int]:
    """The first once, then the other two in turn."""
    yield 0
    for number in range(count):
        yield 1 + number % 2


def lengthen(database: Database, stream: str, state: Table, entries: int, *, snapshots: bool = True) -> Table:
    """Add this many entries to a table with betting open and Ann at box 1; return the table."""
    steps, tables = _steps(state.book, state)
    head = database.reading(lambda tx: streams.head(tx, stream)).result()
    law, last = state.law_hash, 0
    numbers = _commands(entries)
    for first in range(0, entries, AT_ONCE):
        made = []
        at = head
        for last in islice(numbers, min(AT_ONCE, entries - first)):
            command, events = steps[last]
            said = CommandRecord(
                1_700_000_000_000_000, command.by, command.position, f"long {at.version}", law, write(command)
            )
            made += follow(stream, at.version, at.hash, said, events)
            at = Head(stream, head.key, made[-1].version, made[-1].hash)
        head = database.writing(lambda tx, at=head, all_=made: streams.append(tx, at, all_)).result()  # type: ignore[misc]
        if snapshots:
            taken = take_snapshot(tables[last], head)
            database.writing(lambda tx, at=head, one=taken: streams.save_snapshot(tx, at, one)).result()  # type: ignore[misc]
    assert entries >= ENTRIES_A_SNAPSHOT or not snapshots
    return tables[last]
