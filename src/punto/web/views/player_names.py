"""Names of registered players, for what staff see of a table."""

from functools import partial

from punto.floor.clock import Clock
from punto.floor.database.base import Database
from punto.floor.people import floor_facts
from punto.floor.people.players import names_of
from punto.floor.version_cache import Refreshes, SharedReads


class PlayerNames:
    """Shared by all views: the names of one set of ids are read at most once every ``REFRESH_S``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._refreshes = Refreshes(clock, lambda: floor_facts.REFRESH_S)
        self._reads: SharedReads[frozenset[str], dict[str, str]] = SharedReads()

    async def of(self, ids: frozenset[str]) -> dict[str, str]:
        """Name by id. Unknown and erased ids are left out."""
        if not ids:
            return {}
        return await self._reads.get(self._refreshes.version(), ids, partial(self._read, ids))

    def refresh(self) -> None:
        """Read the names again on the next call of ``of``."""
        self._refreshes.refresh()

    async def _read(self, ids: frozenset[str]) -> dict[str, str]:
        return await self._database.read(partial(names_of, players=sorted(ids)))
