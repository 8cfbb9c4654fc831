"""What pages show of the floor itself: which tables exist, and what visitors may do."""

from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.web.version_cache import Refreshes, SharedReads

REFRESH_S = 2.0
"""How soon pages notice a table, a rule or a player's name that another process has changed."""


class FloorView:
    """Shared by all pages: however many are open, the database is read at most once every ``REFRESH_S``."""

    def __init__(self, floor: Floor, visitors: Visitors) -> None:
        self._floor, self._visitors = floor, visitors
        self._reads: SharedReads[None, FloorRules] = SharedReads()
        self._refreshes = Refreshes(floor.clock, lambda: REFRESH_S)

    async def rules(self) -> FloorRules:
        """What visitors may do, at most ``REFRESH_S`` old. Afterwards all tables are loaded."""
        return await self._reads.get(self._refreshes.version(), None, self._read)

    def refresh(self) -> None:
        """Read the database again on the next call of ``rules``."""
        self._refreshes.refresh()

    async def _read(self) -> FloorRules:
        if self._floor.database.shared:
            await self._floor.load_tables()
        return await self._visitors.rules()
