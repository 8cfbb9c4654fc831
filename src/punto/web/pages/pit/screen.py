"""The pit in pieces, one for each table, so that a table that changes costs nothing but its own tile."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.clock import SECOND_US
from punto.floor.errors import is_database_error
from punto.floor.house.alarm import Alarm
from punto.floor.house.projections.proposals import Proposal
from punto.floor.house.projections.stops import Stop
from punto.floor.journal.actor import Actor
from punto.floor.journal.streams import Head
from punto.floor.people import floor_facts
from punto.floor.running.floor import Floor
from punto.floor.running.table_faults import SHOWN
from punto.floor.version_cache import SharedReads
from punto.table.records.positions import DEALER_UP, Position
from punto.web.http.context import Service
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.layout import MAY_SEE_PIT
from punto.web.pages.base.templates import Context, compile_templates, render, rendered
from punto.web.pages.live.floor_signal import Changed, FloorChanged
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.approval_queue import CallingTable, calls_for, draw_queue
from punto.web.pages.pit.alarm_list import OpenAlarms
from punto.web.pages.pit.facts import FactReader, PitFacts, TableFacts
from punto.web.pages.pit.tile import Rank, TableTile, tile_of
from punto.web.views.table_cache import TableCache
from punto.web.views.table_day import TableDay
from punto.web.views.visibility import Sight

STALE_US = 300 * SECOND_US
"""The rounds an hour of a table where nothing happens are worked out again after so long."""


_TileVersion = tuple[tuple[int, int], str, bool, Stop | None, int, TableFacts]
_QueueKey = tuple[str, Position, Language, tuple[Proposal, ...], tuple[CallingTable, ...], tuple[Head | None, ...]]


class TilePiece(Context, frozen=True, kw_only=True):
    template = "pit/tile.html"
    tile: TableTile
    alone: bool
    """On the page of its table, where nothing leads to it."""
    counts: bool
    """For somebody who may have to count the tray, and so does not see what should lie there."""


class FaultPiece(Context, frozen=True, kw_only=True):
    """In the place of a table that cannot be shown."""

    template = "pit/fault.html"
    name: str


class PitTilesPiece(Context, frozen=True, kw_only=True):
    """All tables, each already rendered, in their order."""

    template = "pit/tiles.html"
    tiles: list[tuple[str, Markup]]
    """The number of a tile and its HTML."""


class SumPiece(Context, frozen=True, kw_only=True):
    template = "pit/sum.html"
    tables_open: int
    tables: int
    need: int
    """How many tables need somebody."""
    money: list[tuple[str, int, int]]
    """Currency, drop and win of the gaming day at all tables that are not for play money."""


class DrawnTile(Struct, frozen=True):
    html: str
    rank: Rank
    tile: TableTile | None
    """None if the table cannot be shown."""


class DrawnPit(Struct, frozen=True):
    """The tables, rendered for everybody who reads the same language."""

    list_id: str
    """Hash of the list of tables."""
    tiles: dict[str, str]
    """HTML by the id of its element."""
    others: dict[str, str]
    """The order of the tiles, and the sums of the pit."""

    def whole(self, language: Language) -> dict[str, str]:
        """For a page with another list: all tiles at once, in their order."""
        tiles = [(number, rendered(self.tiles[f"tile-{number}"])) for number in self.others["order"].split()]
        return {"tiles": render(PitTilesPiece(tiles=tiles), language), **self.others}


class PitTile:
    """One table of the pit. Rendered once for all viewers, when something about it has changed."""

    contexts: ClassVar[Collection[type[Context]]] = (TilePiece,)

    def __init__(self, floor: Floor, cache: TableCache) -> None:
        self.cache = cache
        self._floor = floor
        self._day = TableDay(cache.live)
        self._drawn: dict[tuple[Language, bool, bool], tuple[_TileVersion, DrawnTile]] = {}

    async def draw(self, facts: TableFacts, language: Language, *, counts: bool, alone: bool = False) -> DrawnTile:
        while (drawn := self.unchanged(facts, language, counts=counts, alone=alone)) is None:
            end = self.cache.end
            fold, view = await self._day.since(facts.day_since_us), await self.cache.view(Sight.AUDIT)
            if self.cache.end != end:  # the table has changed meanwhile
                continue
            now_us = self._floor.clock.now_us()
            pace = fold.rounds_an_hour(now_us)
            t = translator(language, at_shuffler=self.cache.live.state.at_shuffler)
            tile = tile_of(view, self.cache.results.at_us, facts, fold.figures, pace, t)
            html = render(TilePiece(tile=tile, alone=alone, counts=counts), language, t)
            self._drawn[language, alone, counts] = self._version(facts, now_us), DrawnTile(html, tile.rank, tile)
        return drawn

    def unchanged(
        self, facts: TableFacts, language: Language, *, counts: bool, alone: bool = False
    ) -> DrawnTile | None:
        """As it was last drawn; None if it has to be drawn again."""
        version, drawn = self._drawn.get((language, alone, counts), (None, None))
        return drawn if version == self._version(facts, self._floor.clock.now_us()) else None

    def _version(self, facts: TableFacts, now_us: int) -> _TileVersion:
        """What a tile is made from. The rounds an hour of a table where nothing happens go down now and then."""
        live, last_us = self.cache.live, self.cache.results.at_us.get("", now_us)
        stale = (now_us - last_us) // STALE_US
        return self.cache.end, live.title, self._floor.is_stopped(live), live.stop, stale, facts


class PitScreen:
    """The tiles, their order, and what waits for the viewer.

    A page says which list of tables it was made with. While the list is the same, tables are sent one by one, and their
    order beside them. After that all of them are sent.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.facts = FactReader(service)
        self.tiles = ByTable(service.table_caches, partial(PitTile, service.floor))
        self.alarms = OpenAlarms(service)
        self._shown: dict[str, PitTile] = {}
        self._checked: tuple[PitFacts, list[Alarm]] | None = None
        self._floor_changed = FloorChanged(service.floor.tables, self._facts_changed, lambda: floor_facts.REFRESH_S)
        self._drawn: SharedReads[tuple[Language, bool], DrawnPit] = SharedReads()
        self._queues: SharedReads[_QueueKey, str] = SharedReads()

    def changed(self) -> Changed:
        return self._floor_changed.changed()

    async def _facts_changed(self) -> bool:
        before, self._checked = self._checked, (await self.facts.now(), await self.alarms.now())
        return before != self._checked

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:
        """The tiles, their order, and what waits for this person; nothing for those who do not run the floor."""
        if actor is None or actor.position not in MAY_SEE_PIT:
            return {}
        drawn = await self.draw(language, counts=actor.position in DEALER_UP)
        same = query.get("list") == drawn.list_id
        tables = {**drawn.tiles, **drawn.others} if same else drawn.whole(language)
        alarms, queue = await self.alarms.draw(actor, language), await self.queue(actor, language)
        return {**tables, "alarms": alarms, "queue": queue}

    # ---- tiles

    async def draw(self, language: Language, *, counts: bool) -> DrawnPit:
        """``counts`` for those who may have to count a tray blind."""
        self.changed()  # changes count from the first page on, whether or not it is connected
        facts = await self.facts.now()
        # a change while drawing increases `times`, so the page is updated again afterwards
        version = (self._floor_changed.times, facts)
        return await self._drawn.get(version, (language, counts), lambda: self._draw(facts, language, counts=counts))

    async def _draw(self, facts: PitFacts, language: Language, *, counts: bool) -> DrawnPit:
        names = sorted(self._service.floor.tables)
        await compile_templates(PitTilesPiece, SumPiece)
        drawn = [await self._tile(name, facts.of(name), language, counts=counts) for name in names]
        order = sorted(range(len(drawn)), key=lambda at: drawn[at].rank)
        return DrawnPit(
            list_id=hashlib.sha256("\n".join(names).encode()).hexdigest()[:12],
            tiles={f"tile-{number}": each.html for number, each in enumerate(drawn, 1)},
            others={
                "order": " ".join(str(at + 1) for at in order),
                "sum": render(_sum_of([each.tile for each in drawn if each.tile is not None]), language),
            },
        )

    async def _tile(self, name: str, facts: TableFacts, language: Language, *, counts: bool) -> DrawnTile:
        """One table. If it cannot be shown, its tile says so, and the others are shown."""
        shown = self._shown.get(name)
        if shown is not None and (drawn := shown.unchanged(facts, language, counts=counts)) is not None:
            return drawn
        await asyncio.sleep(0)  # a floor of many tables takes longer to draw than others want to wait
        try:
            shown = self._shown[name] = await self.tiles.of(name)
            return await shown.draw(facts, language, counts=counts)
        except Exception as error:
            if is_database_error(error):
                raise
            self._service.floor.faults.add(name, SHOWN, error)
            await compile_templates(FaultPiece)
            return DrawnTile(render(FaultPiece(name=name), language), (0, False, 0, name), None)

    # ---- what waits

    async def queue(self, by: Actor, language: Language, table: str = "") -> str:
        """Of one table, if it is named. Drawn again when a proposal, a call or a table with a proposal has changed."""
        service = self._service
        found = (await self.facts.now()).proposals
        own = tuple(each for each in found if table in ("", each.table) and service.proposals.shows(by, each))
        calls = await calls_for(service, by, table)
        heads = tuple(live.head for each in own if (live := service.floor.tables.get(each.table)) is not None)
        key = (by.name, by.position, language, own, calls, heads)
        return await self._queues.get(None, key, lambda: draw_queue(service, by, own, language, calls))


def _sum_of(tiles: list[TableTile]) -> SumPiece:
    money: dict[str, tuple[int, int]] = {}
    for tile in tiles:
        if tile.currency and not tile.for_play_money:
            drop_minor, win_minor = money.get(tile.currency, (0, 0))
            money[tile.currency] = drop_minor + tile.figures.drop_minor, win_minor + tile.figures.win_minor
    return SumPiece(
        tables_open=sum(tile.is_open for tile in tiles),
        tables=len(tiles),
        need=sum(tile.waits for tile in tiles),
        money=[(currency, *sums) for currency, sums in sorted(money.items())],
    )
