"""A floor whose tables are watched, with a clock that the test sets."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from punto.floor.alarms.alarms import Alarms
from punto.floor.alarms.watcher import AlarmWatcher
from punto.floor.audit.verify import verify
from punto.floor.database.base import Transaction
from punto.floor.edges.live_edges import LiveEdges
from punto.floor.house.alarm import Alarm
from punto.floor.journal.actor import Actor
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.floor import Floor
from punto.floor.settings.floor_settings import FloorSettings
from punto.floor.settings.thresholds import Thresholds
from punto.table.records.positions import Position
from tests.floor.playing import running
from tests.floor.staff_floor import SetClock
from tests.waiting import run

SUE = Actor("sue", Position.PIT_SUPERVISOR)


class Watched:
    """A watcher of a floor. A floor can have several, as one that several processes run."""

    def __init__(self, floor: Floor, clock: SetClock) -> None:
        self.floor, self.clock = floor, clock
        self.alarms = Alarms(floor.house_log)
        self.settings = FloorSettings(large_cash_minor=0)
        self.rules = FloorRules()
        self.edges = LiveEdges(floor)
        self.watcher = self.another()

    def another(self) -> AlarmWatcher:
        async def settings() -> FloorSettings:
            return self.settings

        async def rules() -> FloorRules:
            return self.rules

        return AlarmWatcher(self.floor, self.alarms, settings, rules, self.edges.of)

    def set(self, **thresholds: int) -> None:
        self.settings = replace(self.settings, alarms=replace(Thresholds(), **thresholds))

    async def tick(self, seconds: float = 0) -> list[Alarm]:
        """Let time pass, look once, and give all open alarms in the order in which they rang."""
        self.clock.go_on(seconds / 60)
        await self.watcher.run_once()
        return sorted(await self.alarms.all_open(), key=lambda alarm: alarm.number)

    async def kinds(self, seconds: float = 0) -> list[str]:
        return [alarm.kind for alarm in await self.tick(seconds)]

    async def rows(self, sql: str) -> list[tuple[object, ...]]:
        def work(transaction: Transaction) -> list[tuple[object, ...]]:
            return transaction.rows(sql)

        return await self.floor.database.read(work)


def watched(url: str, test: Callable[[Watched], Awaitable[None]]) -> None:
    """Run a test on its own floor, whose journal must verify at the end."""

    async def whole() -> None:
        clock = SetClock()
        async with running(url, clock) as floor:
            await test(Watched(floor, clock))
            assert verify(floor.database).faults == []

    run(whole())
