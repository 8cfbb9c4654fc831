"""A table in memory: its state, the end of its stream, and its last entries for watchers."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence

from punto.floor.database.base import Database, Transaction
from punto.floor.house.projections.stops import Stop
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.replay import NOTHING_LEFT, Rebuilt, follow_up, rebuild, take_snapshot
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import ENTRIES_A_PAGE, Head, Snapshot
from punto.floor.running.players_here import PlayersHere
from punto.floor.running.table_setup import TableSetup
from punto.library import book
from punto.rules.rulebook import Rulebook
from punto.table.records.events import TableClosed, TableOpened
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, Table

MAX_TAIL = 64
"""Entries kept in memory for watchers. Slower watchers read the journal."""
ENTRIES_A_SNAPSHOT = 2_000


class LiveTable:
    """A process's copy of a table. The journal is authoritative, and this catches up with it."""

    def __init__(self, setup: TableSetup, database: Database, title: str = "") -> None:
        """Create a table that was never opened. Use :meth:`load` for one from the journal."""
        self.setup = setup
        self.title = title or setup.name
        """What pages call the table. Its name stays when this changes."""
        self.stop: Stop | None = None
        """Why it is not called for bets once the round in play is over; None if it is."""
        self.database = database
        self.rules: Rulebook = book(setup.book)
        self.state = Table()
        self.head: Head | None = None
        """None if the table was never opened."""
        self.openings = 0
        self.closing = NOTHING_LEFT
        """The last closing: what the next opening carries over."""
        self.tail: deque[Entry] = deque(maxlen=MAX_TAIL)
        self.lock = asyncio.Lock()
        """Held while deciding or catching up."""
        self.stale = False
        """Whether the journal may have more entries: catch up before deciding."""
        self.held = False
        """Whether this process has claimed the table and, if needed, recovered it."""
        self.snapshot_at = 0
        self.changed = asyncio.Event()
        self.here = PlayersHere()

    @classmethod
    async def load(cls, setup: TableSetup, database: Database, opening: int, title: str = "") -> "LiveTable":
        """Load a table from the journal. ``opening`` is 0 if it was never opened."""
        live = cls(setup, database, title)
        if opening:
            stream = live.stream_of(opening)
            live._replace(opening, await database.read(lambda tx: rebuild(tx, streams.head(tx, stream))))
        await live.catch_up()
        return live

    @property
    def stream(self) -> StreamName:
        """The stream of the current or last opening."""
        return self.stream_of(self.openings)

    def stream_of(self, opening: int) -> StreamName:
        """The stream of an opening, counted from 1."""
        return StreamName(self.setup.name, opening)

    # ---- catching up: the caller must hold the lock

    def _replace(self, opening: int, rebuilt: Rebuilt) -> None:
        self.openings = opening
        self.state, self.head, self.snapshot_at = rebuilt.state, rebuilt.head, rebuilt.snapshot_at
        self.closing = self.setup.carried_over(rebuilt.closing)
        self.tail.clear()
        self.signal()

    async def catch_up(self) -> bool:
        """Read what other processes appended, including later openings. Return whether there was anything."""
        moved = False
        while await self._follow() or await self._follow_opening():
            moved = True
        self.stale = False
        return moved

    async def _follow(self) -> bool:
        head, state = self.head, self.state
        if head is None:
            return False

        def work(transaction: Transaction) -> tuple[list[Entry], Rebuilt]:
            entries = streams.read(transaction, head, head.version)
            return entries, follow_up(state, head, entries)  # in the reader thread: there may be many entries

        entries, rebuilt = await self.database.read(work)
        if not entries:
            return False
        self.appended(rebuilt.head, rebuilt.state, entries, rebuilt.closing)
        return True

    async def _follow_opening(self) -> bool:
        """Another process may have opened the table again, in a new stream."""
        if self.state.phase is not Phase.CLOSED:
            return False
        next_stream = self.stream_of(self.openings + 1)
        head = await self.database.read(lambda transaction: streams.find(transaction, next_stream))
        if head is None:
            return False
        self._replace(self.openings + 1, Rebuilt(Table(), Head(head.stream, head.key), closing=self.closing))
        return True

    def appended(self, head: Head, state: Table, entries: Sequence[Entry], closing: TableClosed) -> None:
        """Update the copy after an append by this or another process."""
        if self.head is None or self.head.stream != head.stream:
            self.openings += 1
            self.snapshot_at = 0
            self.tail.clear()
        self.head, self.state = head, state
        self.tail.extend(entries)
        if state.phase is Phase.CLOSED:
            self.closing = self.setup.carried_over(closing)
        self.signal()

    def has_entry(self, stream: StreamName, version: int) -> bool:
        """Whether this copy includes an entry."""
        if self.head is None or stream.opening > self.openings:
            return False
        return stream.opening < self.openings or version <= self.head.version

    # ---- snapshots

    def due_snapshot(self, state: Table, head: Head) -> Snapshot | None:
        """A snapshot of the given state, if one is due."""
        before = self.snapshot_at if self.head is not None and self.head.stream == head.stream else 0
        return take_snapshot(state, head) if head.version - before >= ENTRIES_A_SNAPSHOT else None

    def retitle(self, title: str) -> None:
        """Call it by another title; by its name if the title is empty."""
        title = title or self.setup.name
        if title != self.title:
            self.title = title
            self.signal()

    # ---- watching

    def signal(self) -> None:
        """Wake up all watchers."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def watch(self, after: int = 0, opening: int = 0) -> AsyncIterator[Entry]:
        """Yield every entry after a version of an opening and of all later openings, in order, without end.

        ``opening`` 0 is the current one. To resume, pass the opening and version of the last entry received.
        """
        async for entries in self.watch_batches(after, opening):
            for entry in entries:
                yield entry

    async def watch_batches(self, after: int = 0, opening: int = 0) -> AsyncIterator[list[Entry]]:
        """Like :meth:`watch`, but yield all available entries together."""
        at = opening or max(self.openings, 1)
        while True:
            changed = self.changed
            closed = at < self.openings  # checked before reading: a stream with a later opening is complete
            entries = await self.after(at, after)
            if entries:
                yield entries
                after = entries[-1].version
            elif closed:
                at, after = at + 1, 0
            else:
                await changed.wait()

    async def after(self, opening: int, version: int) -> list[Entry]:
        """The entries of an opening after a version, at most one page.

        Never more than this copy has: the journal may be ahead of it, and what is made of the entries belongs to the
        state.
        """
        head, limit = self.head, ENTRIES_A_PAGE
        if head is None or opening > self.openings:
            return []
        if opening == self.openings:
            if head.version <= version:
                return []
            if self.tail and self.tail[0].version <= version + 1:
                return [entry for entry in self.tail if entry.version > version]
            limit = min(limit, head.version - version)
        stream = self.stream_of(opening)

        def work(transaction: Transaction) -> list[Entry]:
            end = streams.find(transaction, stream)
            return streams.read(transaction, end, version, limit) if end else []

        return await self.database.read(work)

    async def last_settings(self) -> Settings | None:
        """Those of the last opening; None if there was none."""
        entries = await self.after(self.openings, 0) if self.openings else []
        opened = read_event(entries[0].event) if entries else None
        return opened.settings if isinstance(opened, TableOpened) else None
