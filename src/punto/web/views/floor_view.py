"""What is shown of the floor that no table's journal tells: which tables there are, and what visitors are allowed."""

from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.web.version_cache import SharedReads

LOOK_AGAIN_S = 2.0
"""How soon a table or a rule that another process has added is seen."""


class FloorView:
    """One for all pages: however many are open, the database is read once every few seconds at the most."""

    def __init__(self, floor: Floor, visitors: Visitors) -> None:
        self._floor, self._visitors = floor, visitors
        self._reads: SharedReads[None, FloorRules] = SharedReads()
        self._looks = 0
        self._looked_s = float("-inf")

    async def rules(self) -> FloorRules:
        """What visitors are allowed, as of a moment ago; all tables are known afterwards."""
        now_s = self._floor.clock.steady_s()
        if now_s - self._looked_s >= LOOK_AGAIN_S:
            self._looks, self._looked_s = self._looks + 1, now_s
        return await self._reads.get(self._looks, None, self._read)

    def look_again(self) -> None:
        """What is known is out of date: the rules have been changed, or it is time to look."""
        self._looked_s = float("-inf")

    async def _read(self) -> FloorRules:
        if self._floor.database.shared:
            await self._floor.load_tables()
        return await self._visitors.rules()
