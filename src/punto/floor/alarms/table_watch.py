"""Follows one table: its state after each command, and since when something is so."""

from collections.abc import AsyncIterator, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.alarms.alarm_facts import TableTimes
from punto.floor.alarms.tallies import TALLIED, TableCommand
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.command_ids import is_scan_id
from punto.floor.journal.entry import Entry, context_of, event_of, text_start
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.live_table import LiveTable
from punto.table import evolve
from punto.table.records.chips import TrayCounted
from punto.table.records.events import Event
from punto.table.records.findings import IrregularityReported, Ruled
from punto.table.records.state import Table

RINGS_ONCE: tuple[type[Event], ...] = (IrregularityReported, Ruled, TrayCounted)
"""Events that ring because they happened, however the table is afterwards."""


class PastOfTable(Struct, frozen=True):
    """What the journal says about a table before it is followed."""

    last_us: int
    """The last entry."""
    read_us: int
    """The last read of its scanner in this opening; 0 for none."""
    commands: list[TableCommand]
    """Those that count since the start of the gaming day."""
    recent: list[TableCommand]
    """Those of this opening that may ring, since the moment from which everything is looked at again."""


class TableWatch:
    """Starts at the table as it is. :meth:`commands` gives everything after that."""

    def __init__(self, live: LiveTable) -> None:
        self.live = live
        self.opening = live.openings
        self._version = live.head.version if live.head is not None else 0
        self.state = live.state
        self.times = TableTimes()
        self.bets_moved = True
        """Whether the table has changed since the edges of its bets were last looked at."""
        self.standing: set[str] = set()
        """What was due when the table was last looked at, by ``once``."""

    async def read_past(self, since_us: int, recent_us: int) -> PastOfTable:
        name, version = StreamName(self.live.setup.name, self.opening), self._version
        past = await self.live.database.read(
            lambda transaction: _read_past(transaction, name, version, since_us, recent_us), long=True
        )
        times = replace(self.times, read_us=past.read_us)
        self.times = times.after(self.live.rules, self.state, self.state, past.last_us)
        return past

    async def commands(self) -> AsyncIterator[TableCommand]:
        """The commands since the last time. While one is taken, :attr:`state` is the table after it."""
        while True:
            closed = self.opening < self.live.openings  # before reading: a stream with a later opening is complete
            entries = await self.live.after(self.opening, self._version)
            for _, group in groupby(entries, key=lambda entry: entry.command_id):
                yield self._take(list(group))
            if not entries and not closed:
                return
            if not entries:
                self.opening, self._version, self.state, self.times = self.opening + 1, 0, Table(), TableTimes()

    def _take(self, entries: Sequence[Entry]) -> TableCommand:
        first, before = entries[0], self.state
        events = [event_of(entry) for entry in entries]
        for event in events:
            self.state = evolve(self.state, event)
        self._version = entries[-1].version
        times = self.times if is_scan_id(first.command_id) else self.times.entered(events, first.at_us)
        self.times = times.after(self.live.rules, before, self.state, first.at_us)
        return _command(self.live.setup.name, self.opening, self.state, first, events)


def _command(table: str, opening: int, state: Table | None, first: Entry, events: Sequence[Event]) -> TableCommand:
    number = state.round.number if state is not None and state.round is not None else 0
    by = context_of(first).proposed_by or first.actor
    return TableCommand(table, opening, number, first.at_us, by, events)


# ---- database jobs


def _read_past(transaction: Transaction, name: StreamName, version: int, since_us: int, recent_us: int) -> PastOfTable:
    if not version:
        return PastOfTable(0, 0, [], [])
    head = streams.head(transaction, name)
    sql = "SELECT at_us FROM entries WHERE stream = ? AND version = ?"
    ((last_us,),) = transaction.rows(sql, (head.key, version))
    ((read_us,),) = transaction.rows("SELECT max(at_us) FROM scan_reads WHERE stream = ?", (str(name),))
    past, opening = [*_tallied(transaction, name, version, since_us)], name.opening - 1
    while opening and (earlier := streams.find(transaction, name.at(opening))) is not None:
        if streams.written_us(transaction, earlier) < since_us:
            break
        past[:0] = _tallied(transaction, name.at(opening), earlier.version, since_us)
        opening -= 1
    return PastOfTable(last_us, read_us or 0, past, _recent(transaction, name, version, recent_us))


def _tallied(transaction: Transaction, name: StreamName, version: int, since_us: int) -> list[TableCommand]:
    """The commands up to a version, with their events that count."""
    head = streams.head(transaction, name)
    wanted, values = _of_kinds(head.key, version, since_us, TALLIED)
    return _commands(transaction, name, f"SELECT version FROM entries WHERE {wanted} ORDER BY version", values)  # noqa: S608 - marks


def _recent(transaction: Transaction, name: StreamName, version: int, since_us: int) -> list[TableCommand]:
    """The commands up to a version that may ring because they happened, with all their events."""
    head = streams.head(transaction, name)
    wanted, values = _of_kinds(head.key, version, since_us, RINGS_ONCE)
    commands = f"SELECT command_id FROM entries WHERE {wanted}"  # noqa: S608 - marks
    sql = f"SELECT version FROM entries WHERE stream = ? AND command_id IN ({commands}) ORDER BY version"  # noqa: S608 - marks
    return _commands(transaction, name, sql, (head.key, *values))


def _of_kinds(stream: int, version: int, since_us: int, kinds: Sequence[type[Event]]) -> tuple[str, tuple[object, ...]]:
    """A condition for the entries of a stream with events of these kinds, and its values."""
    starts = [text_start(kind) for kind in kinds]
    wanted = " OR ".join("substr(event, 1, ?) = ?" for _ in starts)
    values = (stream, version, since_us, *(value for start in starts for value in (len(start), start)))
    return f"stream = ? AND version <= ? AND at_us >= ? AND ({wanted})", values


def _commands(transaction: Transaction, name: StreamName, sql: str, values: Sequence[object]) -> list[TableCommand]:
    head = streams.head(transaction, name)
    entries = [entry for (at,) in transaction.rows(sql, values) for entry in streams.read(transaction, head, at - 1, 1)]
    groups = (list(group) for _, group in groupby(entries, key=lambda entry: entry.command_id))
    return [_command(name.table, name.opening, None, group[0], [event_of(each) for each in group]) for group in groups]
