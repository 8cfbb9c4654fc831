"""Views of each table, made on demand and shared by everyone who may see the same."""

import asyncio
from functools import partial

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import seal_id
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.players import players_in
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.machine_orders import block_of
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.version_cache import SharedReads, VersionCache
from punto.odds.figures import StakeFigures
from punto.web.messages import Cursor, KnownFirst, Me, PitCallView, TableView
from punto.web.views.cursors import cursor_of, write_cursor
from punto.web.views.known_first import carried_first
from punto.web.views.offer_worth import open_offer
from punto.web.views.pit_calls import is_current, last_moved_us
from punto.web.views.player_names import PlayerNames
from punto.web.views.presence import Presence
from punto.web.views.shoe_results import ShoeResults, entries_of_board
from punto.web.views.table_view import me_at, table_view
from punto.web.views.visibility import Sight, cut_all

NamesKey = tuple[bool | str | tuple[str, str], ...]
"""Of a view, what does not come from the table's journal: whether gaming is stopped, the title, ids and names."""
MAX_MESSAGES = 16
"""Encoded messages of one version that are cached for the clients that get the same message."""


class TableCache:
    """One table's views. What needs the database or a thread is computed once per change of the table."""

    def __init__(self, floor: Floor, live: LiveTable, names: PlayerNames) -> None:
        self.live = live
        self.results = ShoeResults()
        self.presence = Presence()
        self._floor = floor
        self._player_names = names
        self._at = (0, 0)
        """The opening and version that ``results`` has reached."""
        self._lock = asyncio.Lock()
        self._views: VersionCache[tuple[Sight, bool, bool, str], TableView] = VersionCache()
        self._whole_views: VersionCache[tuple[Sight, bool, NamesKey], TableView] = VersionCache()
        self._players: VersionCache[None, frozenset[str]] = VersionCache()
        self._views_json: VersionCache[tuple[Sight, bool, NamesKey], msgspec.Raw] = VersionCache()
        self._messages: VersionCache[tuple[Sight, Cursor, Cursor, NamesKey | None], bytes] = VersionCache(MAX_MESSAGES)
        self._commitments: SharedReads[str, str | None] = SharedReads()
        self._worths: SharedReads[None, StakeFigures] = SharedReads()
        self._known_first: SharedReads[None, KnownFirst] = SharedReads()
        self._call_moved: SharedReads[None, int] = SharedReads()

    @property
    def end(self) -> tuple[int, int]:
        """The table's current opening and version; ``(1, 0)`` if it was never opened."""
        return max(self.live.openings, 1), self.live.head.version if self.live.head else 0

    async def view(self, sight: Sight) -> TableView:
        """The table as it is when this returns."""
        while True:
            if not self._current:
                await self._catch_up()
            commitment = await self._commitment()
            known = await self._worth_of_known_cards() if sight is Sight.PIT else None
            pit_call = await self._pit_call() if sight.whole else UNSET
            if not self._current:  # the table has changed meanwhile
                continue
            stopped = self._floor.is_stopped(self.live)
            make = partial(table_view, self.live, self.results, sight, commitment, stopped=stopped)
            held = self.live.stop is not None
            view = self._views.get(self._at, (sight, stopped, held, self.live.title), make)
            if not sight.whole:
                return view
            names = await self._player_names.of(self._players.get(self._at, None, partial(players_in, view)))
            if self._current:
                whole = partial(replace, view, names=names, known_first=known or UNSET, pit_call=pit_call)
                key: NamesKey = (view.gaming_stopped, view.table_title, *names.items())
                return self._whole_views.get(self._at, (sight, stopped, key), whole)

    def me(self, by: Actor, rules: FloorRules) -> Me:
        """What concerns one person. Matches a view if nothing is awaited between the two."""
        plays = rules.may_play(by, self.live.setup.name)
        return me_at(self.live.state, self.results.record, by, plays=plays)

    async def view_with_worth(self, sight: Sight) -> tuple[TableView, StakeFigures | None]:
        """The view, and the value of the insurance on offer at the same moment."""
        while True:
            end = self.end
            worth = await self._worth()
            view = await self.view(sight)
            if self.end == end:
                return view, worth

    async def view_json(self, sight: Sight) -> msgspec.Raw:
        """The view as JSON."""
        return self._json(sight, await self.view(sight))

    def _json(self, sight: Sight, view: TableView) -> msgspec.Raw:
        key = (sight, view.stopped, names_key(view))
        return self._views_json.get(self._at, key, lambda: msgspec.Raw(msgspec.json.encode(view)))

    async def message(
        self, sight: Sight, at: tuple[int, int], entries: list[Entry], *, with_state: bool
    ) -> tuple[bytes, bool]:
        """A ``moved`` message for the WebSocket, cut off before the value of ``me``, and whether it has the state.

        It has the state only if it is asked for and ``at`` is still the table's current version.
        """
        state = names = None
        if with_state and at == self.end:
            view = await self.view(sight)
            if at == self.end:
                state, names = self._json(sight, view), names_key(view)
        cursor = write_cursor(*at)
        key = (sight, cursor_of(entries[0]) if entries else "", cursor, names)

        def encode() -> bytes:
            fields = {
                "message": "moved",
                "table": self.live.setup.name,
                "cursor": cursor,
                "events": cut_all(entries, sight),
                "state": state,
            }
            return msgspec.json.encode(fields)[:-1] + b',"me":'

        return self._messages.get(self._at, key, encode), state is not None

    async def _commitment(self) -> str | None:
        shoe = self.live.state.shoe
        if shoe is None or self.live.setup.shoes is ShoeKind.MANUAL:
            return None
        name = seal_id(shoe.id, block_of(shoe.order) if shoe.continuous is not None else 0)
        return await self._commitments.get(name, name, partial(self._floor.commitment, name))

    async def _worth(self) -> StakeFigures | None:
        offer = open_offer(self.live)
        if offer is None:
            return None
        return await self._worths.get(offer.version, None, lambda: asyncio.to_thread(offer.figures))

    async def _worth_of_known_cards(self) -> KnownFirst | None:
        first = carried_first(self.live)
        if first is None:
            return None
        return await self._known_first.get(first.version, None, lambda: asyncio.to_thread(first.worth))

    async def _pit_call(self) -> PitCallView | UnsetType:
        """The call for the pit that is open, or was answered in this round."""
        live, call = self.live, self.live.state.pit_call
        if call is None or live.head is None or not is_current(live.state, call):
            return UNSET
        read = partial(live.database.read, partial(last_moved_us, head=live.head))
        moved_us = await self._call_moved.get((live.openings, call.number, call.open), None, read)
        return PitCallView(called_by=call.called_by, answered_by=call.answered_by, since_us=moved_us)

    @property
    def _current(self) -> bool:
        head = self.live.head
        return self._at == (self.live.openings, head.version if head else 0)

    async def _catch_up(self) -> None:
        async with self._lock:
            opening, head = self.live.openings, self.live.head
            if head is None or self._at == (opening, head.version):
                return
            if self._at[0] != opening:
                entries = await self.live.database.read(partial(entries_of_board, head=head))
                self.results, self.presence = ShoeResults(), Presence()
                self._feed(entries)
                self._at = (opening, entries[-1].version if entries else 0)
            while self._at[1] < head.version:
                entries = await self.live.after(opening, self._at[1])
                self._feed(entries)
                # no entries: another process has just opened the table
                self._at = (
                    opening,
                    entries[-1].version if entries else 0,
                )

    def _feed(self, entries: list[Entry]) -> None:
        self.results.feed(entries)
        self.presence.feed(entries)


def names_key(view: TableView) -> NamesKey:
    names = () if view.names is UNSET else view.names.items()
    return (view.gaming_stopped, view.table_title, *names)


class TableCaches:
    """One ``TableCache`` for each table."""

    def __init__(self, floor: Floor, names: PlayerNames) -> None:
        self._floor, self._names = floor, names
        self._caches: dict[str, TableCache] = {}

    async def of(self, table: str) -> TableCache:
        """The cache of a table. Refused if the table does not exist."""
        live = await self._floor.find_table(table)
        cache = self._caches.get(table)
        if cache is None:
            cache = self._caches[table] = TableCache(self._floor, live, self._names)
        return cache
