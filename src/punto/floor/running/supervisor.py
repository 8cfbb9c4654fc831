"""Takes over tables after a start or from a stopped process, and runs their dealers."""

import asyncio
import logging

from punto.floor.errors import FloorRefused, is_database_error
from punto.floor.running.auto_dealer import Dealer
from punto.floor.running.floor import Floor
from punto.floor.running.ownership import claim_of
from punto.floor.running.table_faults import RUN

CLAIM_TABLES_S = 1.0
"""How often a process looks for tables that no process runs."""
MAX_CONCURRENT_TAKEOVERS = 64
_LOG = logging.getLogger(__name__)


class Keeper:
    """Claims the tables of a floor for this process, recovers them, and runs their dealers."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._dealers: dict[str, asyncio.Task[None]] = {}
        self._alive_on_record = True

    async def run(self) -> None:
        """Claim tables that no process runs and release lost ones, until cancelled."""
        while True:
            await self.run_once()
            await self.record_alive()
            await self._floor.clock.sleep(CLAIM_TABLES_S)

    async def run_once(self) -> None:
        """Claim each table that can be claimed. A table that cannot be run is logged and does not stop the others."""
        try:
            await self._load()
            tables = list(self._floor.tables)
            held = await asyncio.to_thread(self._floor.database.claim, [claim_of(name) for name in tables])
            for name in tables:
                if claim_of(name) not in held:
                    self._release(name)
            to_take = [name for name in tables if claim_of(name) in held and not self._runs(name)]
            for first in range(0, len(to_take), MAX_CONCURRENT_TAKEOVERS):
                await asyncio.gather(*map(self._try_take_over, to_take[first : first + MAX_CONCURRENT_TAKEOVERS]))
        except FloorRefused as refused:
            if not is_database_error(refused):
                raise
            # the claims may be lost to another process: claim again next time
            await self.stop()
            for live in self._floor.tables.values():
                live.held = False

    async def record_alive(self) -> None:
        """If it cannot be written, the time on record is older, and the next absence only seems longer."""
        try:
            await self._floor.record_alive()
        except FloorRefused as refused:
            if not is_database_error(refused):
                raise
            if self._alive_on_record:
                _LOG.warning("cannot record that this process is alive: %s", refused.message)
            self._alive_on_record = False
        else:
            self._alive_on_record = True

    async def _load(self) -> None:
        """Load tables of other processes. An error there does not stop the tables already loaded."""
        try:
            await self._floor.load_tables()
        except FloorRefused as refused:
            if is_database_error(refused):
                raise
            self._floor.faults.add("", RUN, refused)

    def _release(self, name: str) -> None:
        """Stop running a table that another process has."""
        self._floor.tables[name].held = False
        if name in self._dealers:
            self._dealers.pop(name).cancel()

    def _runs(self, name: str) -> bool:
        """Whether its dealer is running. A dealer that ended unexpectedly is logged and replaced."""
        dealer = self._dealers.get(name)
        if dealer is not None and dealer.done():
            del self._dealers[name]
            error = None if dealer.cancelled() else dealer.exception()
            self._floor.faults.add(name, RUN, error or RuntimeError("its dealer ended unexpectedly"))
            return False
        return dealer is not None

    async def _try_take_over(self, name: str) -> None:
        try:
            await self._take_over(name)
        except Exception as error:
            if is_database_error(error):
                raise
            self._floor.faults.add(name, RUN, error)
        else:
            self._floor.faults.clear(name, RUN)

    async def _take_over(self, name: str) -> None:
        live = self._floor.tables[name]
        await self._floor.take_over(live)
        self._dealers[name] = asyncio.create_task(Dealer(self._floor, live).run(), name=f"dealer of {name}")

    async def stop(self) -> None:
        """Stop the dealers, each between two steps."""
        dealers = list(self._dealers.values())
        self._dealers.clear()
        for dealer in dealers:
            dealer.cancel()
        await asyncio.gather(*dealers, return_exceptions=True)
