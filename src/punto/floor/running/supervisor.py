"""Tables taken over: after a start, or from a process that is gone. An open round is the book's interruption."""

import asyncio
import logging

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.running.auto_dealer import Dealer
from punto.floor.running.floor import Floor
from punto.floor.running.ownership import claim_of

CLAIM_TABLES_S = 1.0
"""How often a process looks for tables that nobody runs."""
TAKEOVERS_AT_ONCE = 64
"""How many tables are taken over at once."""
_LOG = logging.getLogger(__name__)


class Keeper:
    """Claims the tables of a floor for this process, recovers them, and runs their dealers."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._dealers: dict[str, asyncio.Task[None]] = {}
        self._logged: dict[str, str] = {}

    async def run(self) -> None:
        """Claim tables that no process runs and let go of lost ones, until cancelled."""
        while True:
            await self.look()
            await self._floor.clock.sleep(CLAIM_TABLES_S)

    async def look(self) -> None:
        """Claim each table that can be claimed. One that cannot be run is logged; the others go on."""
        try:
            await self._load()
            tables = list(self._floor.tables)
            held = await asyncio.to_thread(self._floor.database.claim, [claim_of(name) for name in tables])
            for name in tables:
                if claim_of(name) not in held:
                    self._let_go(name)
            taken = [name for name in tables if claim_of(name) in held and not self._runs(name)]
            for first in range(0, len(taken), TAKEOVERS_AT_ONCE):
                await asyncio.gather(*map(self._try_to_take_over, taken[first : first + TAKEOVERS_AT_ONCE]))
        except FloorRefused as refused:
            if not _unanswered(refused):
                raise
            # the claims may be lost, and another process may have them: claim again at the next look
            await self.stop()
            for live in self._floor.tables.values():
                live.held = False

    async def _load(self) -> None:
        """Tables that another process has created; those that are known are run whatever is wrong with them."""
        try:
            await self._floor.load_tables()
        except FloorRefused as refused:
            if _unanswered(refused):
                raise
            self._log("", refused)

    def _let_go(self, name: str) -> None:
        """Another process runs it."""
        self._floor.tables[name].held = False
        if name in self._dealers:
            self._dealers.pop(name).cancel()

    def _runs(self, name: str) -> bool:
        """Whether its dealer is at work; one that has ended, which none does by itself, is replaced."""
        dealer = self._dealers.get(name)
        if dealer is not None and dealer.done():
            del self._dealers[name]
            trouble = None if dealer.cancelled() else dealer.exception()
            self._log(name, trouble or RuntimeError("its dealer was ended"))
            return False
        return dealer is not None

    async def _try_to_take_over(self, name: str) -> None:
        try:
            await self._take_over(name)
        except Exception as trouble:
            if _unanswered(trouble):
                raise
            self._log(name, trouble)
        else:
            self._logged.pop(name, None)

    def _log(self, name: str, trouble: BaseException) -> None:
        """Once, however often it is tried again."""
        words = f"{type(trouble).__name__}: {trouble}"
        if self._logged.get(name) != words:
            self._logged[name] = words
            _LOG.error("the table %r cannot be run: %s", name, words, exc_info=trouble)

    async def _take_over(self, name: str) -> None:
        live = self._floor.tables[name]
        await self._floor.take_over(live)
        self._dealers[name] = asyncio.create_task(Dealer(self._floor, live).run(), name=f"dealer of {name}")

    async def stop(self) -> None:
        """End the dealers, each between two steps."""
        dealers = list(self._dealers.values())
        self._dealers.clear()
        for dealer in dealers:
            dealer.cancel()
        await asyncio.gather(*dealers, return_exceptions=True)


def _unanswered(trouble: Exception) -> bool:
    """Whether the database is the trouble, and not one table."""
    return isinstance(trouble, FloorRefused) and trouble.code in (FloorCode.DATABASE_LOST, FloorCode.DISK_FULL)
