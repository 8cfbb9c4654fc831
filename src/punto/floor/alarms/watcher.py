"""Looks at all tables every second, and rings what is due.

Every process looks at every table, also at those that another one runs: so nothing is missed when a process stops, and
the database lets each alarm ring once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator

from punto.floor.alarms.alarm_facts import AlarmFacts
from punto.floor.alarms.alarms import Alarms
from punto.floor.alarms.bet_rules import edge_money
from punto.floor.alarms.endings import ENDINGS, KnownNow, ended_alarms
from punto.floor.alarms.house_rules import (
    Relief,
    count_alarms,
    dealer_alarms,
    generator_alarms,
    pin_alarms,
    program_alarms,
    reliefs,
    restart_alarms,
    scan_alarms,
    shoe_alarms,
    stop_alarms,
    verify_alarms,
)
from punto.floor.alarms.house_watch import HouseWatch
from punto.floor.alarms.rules import CHANGES, counted_off, reported_later, ruled, table_alarms, time_alarms
from punto.floor.alarms.table_watch import TableWatch
from punto.floor.alarms.tallies import TableCommand, Tallies
from punto.floor.edges.table_edges import TableEdges
from punto.floor.errors import FloorRefused, is_database_error
from punto.floor.house.alarm import DueAlarm
from punto.floor.house.projections.duty import DutyLine
from punto.floor.journal.house_events import LateAttempt
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_faults import RUNG_FOR, WATCHED
from punto.floor.runtime.clocks import running_since
from punto.floor.settings.floor_settings import FloorSettings
from punto.table.records.chips import TrayCounted
from punto.table.records.state import Phase

TICK_S = 1.0
THE_FLOOR = ""
"""Stands for the name of a table in a fault that concerns all of them."""
TABLES_A_TURN = 20
"""Tables that are looked at before others get the event loop."""
RECHECK_US = 600_000_000
"""What happened so shortly before a start is judged again: the process may have stopped before it rang."""


class AlarmWatcher:
    def __init__(
        self,
        floor: Floor,
        alarms: Alarms,
        settings: Callable[[], Awaitable[FloorSettings]],
        rules: Callable[[], Awaitable[FloorRules]],
        edges_of: Callable[[str], Awaitable[TableEdges | None]],
    ) -> None:
        self._floor, self._alarms = floor, alarms
        self._settings, self._rules, self._edges_of = settings, rules, edges_of
        self._tables: dict[str, TableWatch] = {}
        self._house = HouseWatch(floor.database)
        self._tallies = Tallies()
        self._tallied: set[str] = set()
        """Tables whose past is in the tallies."""
        self._due: list[DueAlarm] = []
        """Not on record yet: the database may not answer."""
        self._duty: list[DutyLine] | None = None
        self._relieved_us: dict[tuple[Relief, str], int] = {}

    async def run(self) -> None:
        while True:
            await self.run_once()
            await self._floor.clock.sleep(TICK_S)

    async def run_once(self) -> None:
        """Look at everything once. If the database does not answer, the next time has to do."""
        try:
            await self._try(THE_FLOOR, self._look_at_all(), RUNG_FOR)
        except FloorRefused:  # the database does not answer
            return

    async def _look_at_all(self) -> None:
        settings, rules = await self._settings(), await self._rules()
        await self._try(THE_FLOOR, self._look_at_house(settings, rules))
        for count, (name, live) in enumerate(list(self._floor.tables.items()), 1):
            play_money = rules.for_play_money(name)
            if not await self._try(name, self._look_at(live, settings, play_money=play_money)):
                self._tables.pop(name, None)  # next time it starts again, from the table as it is
            elif not play_money:
                await self._try(name, self._look_at_edges(self._tables[name], settings), RUNG_FOR)
            if count % TABLES_A_TURN == 0:
                await asyncio.sleep(0)
        await self._alarms.ring(self._due)
        self._due.clear()
        await self._end_over(settings, rules)
        await self._alarms.escalate(settings.alarms.escalate_s)

    async def _try(self, name: str, looking: Coroutine[None, None, None], what: str = WATCHED) -> bool:
        """What cannot be watched is logged and does not stop the rest. Raises if the database does not answer."""
        try:
            await looking
        except Exception as error:
            if is_database_error(error):
                raise
            self._floor.faults.add(name, what, error)
            return False
        self._floor.faults.clear(name, what)
        return True

    async def _end_over(self, settings: FloorSettings, rules: FloorRules) -> None:
        """End the alarms whose cause has ended."""
        alarms = [alarm for alarm in await self._alarms.all_open() if ENDINGS.get(alarm.kind) is not None]
        if not alarms:
            return
        database, own = self._floor.database, (self._floor.process, self._floor.started_us)
        started_us = dict([own])
        if database.clock_sql:  # other processes can run the floor too
            started_us |= await database.read(running_since)
        now_us, names = (
            self._floor.clock.now_us(),
            {name for name in self._floor.tables if not rules.for_play_money(name)},
        )
        known = KnownNow(
            now_us,
            settings,
            {
                name: self._facts(watch, now_us, settings, play_money=rules.for_play_money(name))
                for name, watch in self._tables.items()
            },
            self._tallies,
            names <= self._tallied,
            self._duty,
            self._relieved_us,
            started_us,
        )
        await self._alarms.end(ended_alarms(alarms, known))

    @staticmethod
    def _facts(watch: TableWatch, now_us: int, settings: FloorSettings, *, play_money: bool) -> AlarmFacts:
        name, live = watch.live.setup.name, watch.live
        at = (name, watch.opening, live.rules, watch.state, now_us, settings)
        return AlarmFacts(*at, watch.times, play_money)

    # ---- the house

    async def _look_at_house(self, settings: FloorSettings, rules: FloorRules) -> None:
        now_us = self._floor.clock.now_us()
        news = await self._house.read(now_us, now_us - RECHECK_US)
        self._due += (*restart_alarms(news.entries), *pin_alarms(news.entries), *shoe_alarms(news.entries))
        self._due += (*program_alarms(news.entries), *generator_alarms(news.entries), *verify_alarms(news.entries))
        self._due += (*stop_alarms(news.entries), *scan_alarms(news.reads), *count_alarms(news.entries))
        self._duty = news.duty
        for relief, where, at_us in reliefs(news.entries, news.reads):
            self._relieved_us[relief, where] = at_us
        for entry in news.entries:
            if isinstance(entry.event, LateAttempt) and not rules.for_play_money(entry.event.table):
                self._due += self._tallies.late(_attempt(entry.event, entry.at_us), entry.event.who, settings)
        for read in news.reads:
            name = StreamName.find(read.stream)
            watch = self._tables.get(name.table) if name is not None else None
            if watch is not None and name is not None and watch.opening == name.opening:
                watch.times = watch.times.read(read.at_us)
        open_tables = {name for name, live in self._floor.tables.items() if live.state.phase is not Phase.CLOSED}
        self._due += dealer_alarms(news.duty, open_tables, now_us, settings.alarms)

    # ---- the tables

    async def _look_at(self, live: LiveTable, settings: FloorSettings, *, play_money: bool) -> None:
        name = live.setup.name
        watch, changed = self._tables.get(name), False
        if watch is None:
            watch, changed = await self._start(live, settings, play_money=play_money), True

        def facts(now_us: int) -> AlarmFacts:
            return self._facts(watch, now_us, settings, play_money=play_money)

        async for command in watch.commands():
            changed = True
            self._look_at_events(facts(command.at_us), command)
            if not play_money:
                self._due += self._tallies.take(command, settings)
            if any(isinstance(event, CHANGES) for event in command.events):
                self._due += self._new(watch, table_alarms(facts(command.at_us)))
        now_us = self._floor.clock.now_us()
        if not changed:
            self._due += self._new(watch, time_alarms(facts(now_us)))
            return
        watch.standing.clear()
        watch.bets_moved = True
        self._due += self._new(watch, table_alarms(facts(now_us)))

    def _look_at_events(self, facts: AlarmFacts, command: TableCommand) -> None:
        """What rings because it happened, however the table is afterwards."""
        self._due += reported_later(facts, command.events)
        self._due += counted_off(facts, command.events, command.at_us)
        if any(isinstance(event, TrayCounted) for event in command.events):
            self._relieved_us[Relief.COUNTED, command.table] = command.at_us
        if not facts.play_money:
            self._due += ruled(facts, command.events, command.at_us)

    async def _look_at_edges(self, watch: TableWatch, settings: FloorSettings) -> None:
        if not watch.bets_moved or watch.state.round is None or not watch.state.round.bets:
            return
        watch.bets_moved, name = False, watch.live.setup.name
        at = (name, watch.opening, watch.live.rules, watch.state, self._floor.clock.now_us(), settings)
        self._due += self._new(watch, edge_money(AlarmFacts(*at, edges=await self._edges_of(name))))

    async def _start(self, live: LiveTable, settings: FloorSettings, *, play_money: bool) -> TableWatch:
        watch, now_us, gaming_day = TableWatch(live), self._floor.clock.now_us(), settings.gaming_day
        recent_us = now_us - RECHECK_US
        past = await watch.read_past(gaming_day.period(gaming_day.day_of(now_us)).since_us or 0, recent_us)
        for command in past.recent:
            self._look_at_events(self._facts(watch, command.at_us, settings, play_money=play_money), command)
        if live.setup.name not in self._tallied and not play_money:
            for command in past.commands:
                due = self._tallies.take(command, settings)
                self._due += due if command.at_us >= recent_us else ()
        self._tallied.add(live.setup.name)
        self._tables[live.setup.name] = watch
        return watch

    @staticmethod
    def _new(watch: TableWatch, due: Iterator[DueAlarm] | list[DueAlarm]) -> list[DueAlarm]:
        """Those that were not due when the table was last looked at."""
        new = [each for each in due if each.once not in watch.standing]
        watch.standing.update(each.once for each in new)
        return new


def _attempt(event: LateAttempt, at_us: int) -> TableCommand:
    return TableCommand(event.table, StreamName.parse(event.stream).opening, event.round, at_us, event.who, ())
