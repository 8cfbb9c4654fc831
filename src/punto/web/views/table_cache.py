"""What is shown of each table: made when somebody looks, and once for all who see as much."""

import asyncio

import msgspec

from punto.floor.journal.entry import Entry
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import ShoeKind
from punto.web.messages import Cursor, TableView
from punto.web.views.shoe_results import ShoeResults, of_present_shoe
from punto.web.views.table_view import table_view
from punto.web.views.visibility import Sight, cursor_of, cut, write_cursor

MOST_TOLD = 16
"""So many messages are kept for all who are told the same."""


class Showing:
    """One table as it is shown."""

    def __init__(self, floor: Floor, live: LiveTable) -> None:
        self.live = live
        self.marks = ShoeResults()
        self._floor = floor
        self._at = (0, 0)
        """The opening and the version up to which the marks are told."""
        self._lock = asyncio.Lock()
        self._views: dict[Sight, TableView] = {}
        self._written: dict[Sight, msgspec.Raw] = {}
        self._told: dict[tuple[Sight, Cursor, Cursor, bool], bytes] = {}

    @property
    def end(self) -> tuple[int, int]:
        """The opening and the version at which the table stands; of one that was never opened, before its first."""
        return max(self.live.openings, 1), self.live.head.version if self.live.head else 0

    async def view(self, sight: Sight) -> TableView:
        """The table as it is now, when this returns."""
        while True:
            await self._catch_up()
            if (view := self._views.get(sight)) is not None and self._current:
                return view
            commitment = await self._commitment()
            if self._current:  # else something has happened meanwhile
                self._views[sight] = table_view(self.live, self.marks, sight, commitment)

    async def written(self, sight: Sight) -> msgspec.Raw:
        """The same as it goes over the wire."""
        view = await self.view(sight)
        raw = self._written.get(sight)
        if raw is None:
            raw = self._written[sight] = msgspec.Raw(msgspec.json.encode(view))
        return raw

    async def told(
        self, sight: Sight, at: tuple[int, int], entries: list[Entry], *, with_state: bool
    ) -> tuple[bytes, bool]:
        """What happened up to there, for the socket, all but its end: what concerns one person follows.

        And whether it tells the state: only the one right after the last of the entries, while nothing has followed.
        """
        state = None
        if with_state and at == self.end:
            state = await self.written(sight)
            state = state if at == self.end else None
        cursor = write_cursor(*at)
        key = (sight, cursor_of(entries[0]) if entries else "", cursor, state is not None)
        told = self._told.get(key)
        if told is None:
            if len(self._told) >= MOST_TOLD:
                self._told.clear()
            said = {
                "message": "moved",
                "table": self.live.setup.name,
                "cursor": cursor,
                "events": [cut(entry, sight) for entry in entries],
                "state": state,
            }
            told = self._told[key] = msgspec.json.encode(said)[:-1] + b',"me":'
        return told, state is not None

    async def _commitment(self) -> str | None:
        shoe = self.live.state.shoe
        if shoe is None or self.live.setup.shoes is ShoeKind.MANUAL:
            return None
        return await self._floor.commitment(shoe.id)

    @property
    def _current(self) -> bool:
        head = self.live.head
        return self._at == (self.live.openings, head.version if head else 0)

    async def _catch_up(self) -> None:
        if self._current:
            return
        async with self._lock:
            opening, head = self.live.openings, self.live.head
            if head is None or self._at == (opening, head.version):
                return
            if self._at[0] != opening:
                entries = await self.live.database.read(lambda transaction: of_present_shoe(transaction, head))
                self.marks = ShoeResults()
                self._feed(opening, entries)
            while self._at[1] < head.version:
                self._feed(opening, await self.live.after(opening, self._at[1]))
            self._views.clear()
            self._written.clear()
            self._told.clear()

    def _feed(self, opening: int, entries: list[Entry]) -> None:
        self.marks.feed(entries)
        self._at = (opening, entries[-1].version if entries else 0)  # none: opened elsewhere a moment ago


class Showings:
    """All tables as they are shown."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._known: dict[str, Showing] = {}

    async def of(self, table: str) -> Showing:
        """One of them; refused where there is none of that name."""
        live = await self._floor.find_table(table)
        showing = self._known.get(table)
        if showing is None or showing.live is not live:
            showing = self._known[table] = Showing(self._floor, live)
        return showing
