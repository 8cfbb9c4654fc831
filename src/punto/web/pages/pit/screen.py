"""The pit in pieces, one for each table, so that a table that changes costs nothing but its own tile."""

import asyncio
import hashlib
from collections.abc import Collection, Hashable, Mapping
from typing import ClassVar

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.clock import Clock
from punto.floor.errors import is_database_error
from punto.floor.journal.actor import Actor
from punto.floor.people.proposals import may_see
from punto.floor.running.table_faults import SHOWN
from punto.table.records.positions import Position
from punto.web.http.context import Service
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.layout import MAY_SEE_PIT
from punto.web.pages.base.templates import Context, compile_templates, render, rendered
from punto.web.pages.live.floor_signal import Changed, FloorChanged
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.approval_queue import CallingTable, calls_for, draw_queue
from punto.web.pages.pit.facts import FactReader, PitFacts, TableFacts
from punto.web.pages.pit.tile import Rank, Tile, tile_of
from punto.web.version_cache import SharedReads, VersionCache
from punto.web.views import floor_view
from punto.web.views.table_cache import TableCache
from punto.web.views.table_day import TableDay
from punto.web.views.visibility import Sight

STALE_US = 300 * 1_000_000
"""The rounds an hour of a table where nothing happens are worked out again after so long."""


class TilePiece(Context, frozen=True, kw_only=True):
    template = "pit/tile.html"
    tile: Tile
    alone: bool
    """On the page of its table, where nothing leads to it."""


class FaultPiece(Context, frozen=True, kw_only=True):
    """In the place of a table that cannot be shown."""

    template = "pit/fault.html"
    name: str


class TilesPiece(Context, frozen=True, kw_only=True):
    """All tables, each already rendered, in their order."""

    template = "pit/tiles.html"
    tiles: list[tuple[int, Markup]]
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
    tile: Tile | None
    """None if the table cannot be shown."""


class DrawnPit(Struct, frozen=True):
    """The tables, rendered for everybody who reads the same language."""

    list_id: str
    """Hash of the list of tables."""
    pieces: dict[str, str]
    whole: dict[str, str]


class PitTile:
    """One table of the pit. Rendered once for all viewers, when something about it has changed."""

    contexts: ClassVar[Collection[type[Context]]] = (TilePiece,)

    def __init__(self, cache: TableCache, clock: Clock) -> None:
        self.cache = cache
        self._day = TableDay(cache.live)
        self._clock = clock
        self._drawn: VersionCache[tuple[Language, bool], DrawnTile] = VersionCache()

    async def draw(self, facts: TableFacts, language: Language, *, alone: bool = False) -> DrawnTile:
        while True:
            fold = await self._day.since(facts.day_since_us)
            view = await self.cache.view(Sight.STAFF)
            if self.cache.end == (max(view.opening, 1), view.version):
                break
        # nothing is awaited from here on, so the cached tile belongs to this version
        at_us, now_us = self.cache.results.at_us, self._clock.now_us()
        still = (now_us - at_us.get("", now_us)) // STALE_US
        version = (view.opening, view.version, view.table_title, view.stopped, view.pit_call, facts, still)

        def make() -> DrawnTile:
            pace = fold.rounds_an_hour(now_us)
            tile = tile_of(view, at_us, facts, fold.figures, pace, TRANSLATORS[language])
            return DrawnTile(render(TilePiece(tile=tile, alone=alone), language), tile.rank, tile)

        return self._drawn.get(version, (language, alone), make)


class PitScreen:
    """The tiles, their order, and what waits for the viewer.

    A page says which list of tables it was made with. While the list is the same, tables are sent one by one, and their
    order beside them. After that all of them are sent.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.facts = FactReader(service)
        self.tiles = ByTable(service.table_caches, lambda cache: PitTile(cache, service.floor.clock))
        self._checked: PitFacts | None = None
        self._floor_changed = FloorChanged(service.floor.tables, self._facts_changed, lambda: floor_view.REFRESH_S)
        self._drawn: SharedReads[Language, DrawnPit] = SharedReads()
        self._queues: SharedReads[tuple[str, Position, Language], str] = SharedReads()

    def changed(self) -> Changed:
        return self._floor_changed.changed()

    async def _facts_changed(self) -> bool:
        before, self._checked = self._checked, await self.facts.now()
        return before != self._checked

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:
        """The tiles, their order, and what waits for this person; nothing for those who do not run the floor."""
        if actor is None or actor.position not in MAY_SEE_PIT:
            return {}
        drawn = await self.draw(language)
        tables = drawn.pieces if query.get("list") == drawn.list_id else drawn.whole
        return {**tables, "queue": await self.queue(actor, language)}

    # ---- tiles

    async def draw(self, language: Language) -> DrawnPit:
        self.changed()  # changes count from the first page on, whether or not it is connected
        facts = await self.facts.now()
        # a change while drawing increases `times`, so the page is updated again afterwards
        version = (self._floor_changed.times, facts)
        return await self._drawn.get(version, language, lambda: self._draw(facts, language))

    async def _draw(self, facts: PitFacts, language: Language) -> DrawnPit:
        names = sorted(self._service.floor.tables)
        await compile_templates(TilesPiece, SumPiece)
        drawn = [await self._tile(name, facts.of(name), language) for name in names]
        order = sorted(range(len(drawn)), key=lambda at: drawn[at].rank)
        tiles = [(at + 1, rendered(drawn[at].html)) for at in order]
        total = render(_sum_of([each.tile for each in drawn if each.tile is not None]), language)
        pieces = {f"tile-{at}": each.html for at, each in enumerate(drawn, 1)}
        pieces["order"] = " ".join(str(number) for number, _ in tiles)
        return DrawnPit(
            list_id=list_id_of(names),
            pieces={**pieces, "sum": total},
            whole={"tiles": render(TilesPiece(tiles=tiles), language), "order": pieces["order"], "sum": total},
        )

    async def _tile(self, name: str, facts: TableFacts, language: Language) -> DrawnTile:
        """One table. If it cannot be shown, its tile says so, and the others are shown."""
        await asyncio.sleep(0)  # a floor of many tables takes longer to draw than others want to wait
        try:
            return await (await self.tiles.of(name)).draw(facts, language)
        except Exception as error:
            if is_database_error(error):
                raise
            self._service.floor.faults.add(name, SHOWN, error)
            await compile_templates(FaultPiece)
            return DrawnTile(render(FaultPiece(name=name), language), (0, False, 0, name), None)

    # ---- what waits

    async def queue(self, by: Actor, language: Language) -> str:
        """Drawn again when a proposal, a call or a table with a proposal has changed."""
        service = self._service
        open_now = [each for each in (await self.facts.now()).proposals if service.proposals.is_current(each)]
        calls: tuple[CallingTable, ...] = await calls_for(service, by)
        ends = [live.head for each in open_now if (live := service.floor.tables.get(each.table)) is not None]
        version: Hashable = (tuple(open_now), calls, tuple(ends))
        own = [each for each in open_now if may_see(by, each)]
        key = (by.name, by.position, language)
        return await self._queues.get(version, key, lambda: draw_queue(service, by, own, language, calls))


def _sum_of(tiles: list[Tile]) -> SumPiece:
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


def list_id_of(names: Collection[str]) -> str:
    """Hash of the list of tables."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:12]
