"""Computes the edges of every table as it changes, in a thread, and keeps them while the round is open."""

import asyncio
import logging
from importlib.util import find_spec

from msgspec import Struct

from punto.floor.edges.round_start import RoundStart, open_round, round_start
from punto.floor.edges.table_edges import TableEdges, solve_starts
from punto.floor.journal.actor import Actor
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.turns import in_thread
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.records.state import Phase

EDGE_READERS = frozenset({*SUPERVISOR_UP, Position.AUDITOR})
FOLLOW_TABLES_S = 1.0
"""How often new tables are looked for."""
COMPILED_FROM_TABLES = 50
"""On a smaller floor, loading the compiled code would cost more time and memory than it saves."""
MAX_TABLES_AT_ONCE = 100
"""Tables solved at once. After a start all tables wait, and the first of them should not wait for the last."""
_LOG = logging.getLogger(__name__)


class _Kept(Struct, frozen=True, eq=False):
    """The edges of a table's next or open round, which may still be in work."""

    table: str
    opening: int
    start: RoundStart
    edges: asyncio.Future[TableEdges | None]
    """None if they could not be computed."""


class LiveEdges:
    """The edges of all tables of a process. Tables that wait at the same time are solved together."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._kept: dict[str, _Kept] = {}
        self._waiting: list[_Kept] = []
        self._solving: asyncio.Task[None] | None = None
        self._followed: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Follow every table until cancelled: the edges of a round are known also if nobody asks before it is dealt."""
        try:
            while True:
                for name, live in self._floor.tables.items():
                    if name not in self._followed:
                        self._followed[name] = asyncio.create_task(self._follow(live))
                await self._floor.clock.sleep(FOLLOW_TABLES_S)
        finally:
            for task in self._followed.values():
                task.cancel()
            await asyncio.gather(*self._followed.values(), return_exceptions=True)

    async def _follow(self, live: LiveTable) -> None:
        while True:
            changed = live.changed
            self._request(live)
            await changed.wait()

    async def read(self, by: Actor, table: str) -> TableEdges | None:
        """Like :meth:`of`. Refused for everybody but the pit and auditors."""
        live = await self._floor.find_table(table)
        await self._floor.house_log.require(by, EDGE_READERS, "edges", live.setup.name)
        return await self.of(live.setup.name)

    async def of(self, table: str) -> TableEdges | None:
        """The edges of the open round, or of the next if none is open.

        None if the table is closed or has no shoe, for a round that was being dealt when this process started, and if
        they could not be computed, which is logged.
        """
        kept = self._request(self._floor.table(table))
        return None if kept is None else await asyncio.shield(kept.edges)

    def known(self, table: str) -> TableEdges | None:
        """Like :meth:`of`, without waiting: None also while they are worked out."""
        kept = self._request(self._floor.table(table))
        if kept is None or not kept.edges.done() or kept.edges.exception() is not None:
            return None
        return kept.edges.result()

    def _request(self, live: LiveTable) -> _Kept | None:
        """The edges of the table as it is now. If they are not known yet, they are put to work."""
        name, start = live.setup.name, round_start(live)
        kept = self._kept.get(name)
        if kept is not None and kept.opening != live.openings:
            kept = None
        if start is None:
            dealing = live.state.phase is Phase.DEALING
            return kept if kept is not None and dealing and kept.start.round == open_round(live.state) else None
        if kept is None or kept.start.version != start.version:
            kept = _Kept(name, live.openings, start, asyncio.get_running_loop().create_future())
            self._kept[name] = kept
            self._waiting.append(kept)
            if self._solving is None or self._solving.done():
                self._solving = asyncio.create_task(self._solve())
        return kept

    async def _solve(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting[:MAX_TABLES_AT_ONCE], self._waiting[MAX_TABLES_AT_ONCE:]
            compiled = len(self._floor.tables) >= COMPILED_FROM_TABLES and find_spec("numba") is not None
            try:
                solved = await in_thread(solve_starts, [each.start for each in waiting], compiled=compiled)
            except Exception:  # noqa: BLE001 - tiles and alarms go on without edges until the tables change
                _LOG.exception("cannot compute the edges of %s", ", ".join(each.table for each in waiting))
                for each in waiting:
                    each.edges.set_result(None)
                continue
            for each, edges in zip(waiting, solved, strict=True):
                start = each.start
                each.edges.set_result(
                    TableEdges(each.table, start.round, start.shoe, start.drawn, edges, start.first_known)
                )
