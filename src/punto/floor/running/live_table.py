"""A table in memory: its state, where its stream ends, and its last entries for whoever watches."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence

from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.replay import Rebuilt, follow_up, rebuild, take_snapshot
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head, Snapshot
from punto.floor.running.table_setup import TableSetup
from punto.library import book
from punto.rules.rulebook import Rulebook
from punto.table.records.state import Phase, Table

TAIL = 64
"""How many entries are kept in memory for those who watch; a slower watcher reads the journal."""
SNAPSHOT_EVERY = 2_000


class LiveTable:
    """What a process knows of a table. ``(stream, version)`` in the journal is the truth; this catches up with it."""

    def __init__(self, setup: TableSetup, database: Database) -> None:
        """A table that has never been opened; :meth:`load` has it as the journal does."""
        self.setup = setup
        self.database = database
        self.rules: Rulebook = book(setup.book)
        self.state = Table()
        self.head: Head | None = None
        """None while the table has never been opened."""
        self.openings = 0
        self.closing: dict[str, int] = {}
        """The balances of the last closing."""
        self.tail: deque[Entry] = deque(maxlen=TAIL)
        self.lock = asyncio.Lock()
        """Held by whoever decides or catches up, so that this process does not race with itself."""
        self.stale = False
        """The journal may know more: catch up before anything is judged."""
        self.held = False
        """This process has the claim and its name is in the table's row: as far as it knows, nobody left the table."""
        self.snapshot_at = 0
        self.changed = asyncio.Event()

    @classmethod
    async def load(cls, setup: TableSetup, database: Database, opening: int) -> "LiveTable":
        """A table as the journal has it, from this opening on; 0 where it has never been opened."""
        await asyncio.to_thread(book, setup.book)  # to read a book for the first time takes a while
        live = cls(setup, database)
        if opening:
            stream = live.stream_of(opening)
            live._take(opening, await database.read(lambda tx: rebuild(tx, streams.head(tx, stream))))
        await live.catch_up()
        return live

    @property
    def stream(self) -> StreamName:
        """The stream of the present or last opening."""
        return self.stream_of(self.openings)

    def stream_of(self, opening: int) -> StreamName:
        """The stream of an opening, counted from 1."""
        return StreamName(self.setup.name, opening)

    # ---- catching up: call these with the lock held

    def _take(self, opening: int, rebuilt: Rebuilt) -> None:
        self.openings = opening
        self.state, self.head, self.snapshot_at = rebuilt.state, rebuilt.head, rebuilt.snapshot_at
        self.closing = rebuilt.closing
        self.tail.clear()
        self.signal()

    async def catch_up(self) -> bool:
        """Read what others have appended, also in further openings; whether there was anything."""
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
            return entries, follow_up(state, head, entries)  # here and not on the event loop: there may be many

        entries, rebuilt = await self.database.read(work)
        if not entries:
            return False
        self.appended(rebuilt.head, rebuilt.state, entries, rebuilt.closing)
        return True

    async def _follow_opening(self) -> bool:
        """Somebody else may have opened the table again, in another stream."""
        if self.state.phase is not Phase.CLOSED:
            return False
        following = self.stream_of(self.openings + 1)
        found = await self.database.read(lambda transaction: streams.find(transaction, following))
        if found is None:
            return False
        self._take(self.openings + 1, Rebuilt(Table(), Head(found.stream, found.key), closing=self.closing))
        return True

    def appended(self, head: Head, state: Table, entries: Sequence[Entry], closing: dict[str, int]) -> None:
        """Take in what was appended, by this process or by another."""
        if self.head is None or self.head.stream != head.stream:
            self.openings += 1
            self.snapshot_at = 0
            self.tail.clear()
        self.head, self.state = head, state
        self.tail.extend(entries)
        if state.phase is Phase.CLOSED:
            self.closing = closing
        self.signal()

    def knows(self, stream: StreamName, version: int) -> bool:
        """Whether this entry has been taken in."""
        if self.head is None or stream.opening > self.openings:
            return False
        return stream.opening < self.openings or version <= self.head.version

    # ---- snapshots

    def due_snapshot(self, state: Table, head: Head) -> Snapshot | None:
        """A snapshot of the table after the next entries, if it is time for one."""
        before = self.snapshot_at if self.head is not None and self.head.stream == head.stream else 0
        return take_snapshot(state, head) if head.version - before >= SNAPSHOT_EVERY else None

    # ---- watching

    def signal(self) -> None:
        """Wake up whoever watches."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def watch(self, after: int = 0, opening: int = 0) -> AsyncIterator[Entry]:
        """Every entry after that version of an opening (the present one where none is named) and of all later ones.

        In order, none missed and none doubled, without end. An entry names its stream and its version: to go on
        after it, watch from there.
        """
        async for entries in self.watch_together(after, opening):
            for entry in entries:
                yield entry

    async def watch_together(self, after: int = 0, opening: int = 0) -> AsyncIterator[list[Entry]]:
        """The same, all at once that there is at the moment."""
        at = opening or max(self.openings, 1)
        while True:
            changed = self.changed
            followed = at < self.openings  # asked before the entries are: a stream that is followed has all of its own
            entries = await self.after(at, after)
            if entries:
                yield entries
                after = entries[-1].version
            elif followed:
                at, after = at + 1, 0
            else:
                await changed.wait()

    async def after(self, opening: int, version: int) -> list[Entry]:
        """The entries of an opening after a version, or the first page of them."""
        head = self.head
        if head is None or opening > self.openings:
            return []
        if opening == self.openings:
            if head.version <= version:
                return []
            if self.tail and self.tail[0].version <= version + 1:
                return [entry for entry in self.tail if entry.version > version]
        stream = self.stream_of(opening)

        def work(transaction: Transaction) -> list[Entry]:
            found = streams.find(transaction, stream)
            return streams.read(transaction, found, version) if found else []

        return await self.database.read(work)
