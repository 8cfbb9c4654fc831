"""What commands and pages need to know of the floor itself: tables, rules, chips, settings, and who is on duty."""

from msgspec import Struct

from punto.floor.chips.floor_chips import find_chip_set
from punto.floor.database.base import Transaction
from punto.floor.house.projections.duty import OnDuty, find_on_duty
from punto.floor.people.floor_rules import FloorRules, find_floor_rules
from punto.floor.running.floor import Floor
from punto.floor.settings.floor_settings import FloorSettings, find_settings
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.version_cache import Refreshes, SharedReads
from punto.table.procedure.chip_set import ChipSet

REFRESH_S = 2.0
"""How soon pages notice a table, a rule or a player's name that another process has changed."""


class _Facts(Struct, frozen=True):
    rules: FloorRules
    chip_set: ChipSet
    settings: FloorSettings
    on_duty: OnDuty


class FloorFacts:
    """Shared by all pages: however many are open, the database is read at most once every ``REFRESH_S``."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._reads: SharedReads[None, _Facts] = SharedReads()
        self._refreshes = Refreshes(floor.clock, lambda: REFRESH_S)

    async def rules(self) -> FloorRules:
        """What visitors may do, at most ``REFRESH_S`` old. Afterwards all tables are loaded."""
        return (await self._facts()).rules

    async def chip_set(self) -> ChipSet:
        return (await self._facts()).chip_set

    async def settings(self) -> FloorSettings:
        return (await self._facts()).settings

    async def gaming_day(self) -> GamingDay:
        return (await self._facts()).settings.gaming_day

    async def on_duty(self) -> OnDuty:
        return (await self._facts()).on_duty

    def refresh(self) -> None:
        """Read the database again on the next call."""
        self._refreshes.refresh()

    async def _facts(self) -> _Facts:
        return await self._reads.get(self._refreshes.version(), None, self._read)

    async def _read(self) -> _Facts:
        if self._floor.database.shared:
            await self._floor.load_tables()
        return await self._floor.database.read(_find)


def _find(transaction: Transaction) -> _Facts:
    return _Facts(
        find_floor_rules(transaction),
        find_chip_set(transaction),
        find_settings(transaction),
        find_on_duty(transaction),
    )
