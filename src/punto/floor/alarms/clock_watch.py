"""Compares the clock of this process with the others every few seconds, and rings if they differ."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

import punto
from punto.floor.alarms.alarm_facts import doublings, once_text
from punto.floor.alarms.alarms import Alarms
from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorRefused, is_database_error
from punto.floor.house.alarm import Alarm, AlarmKind, DueAlarm, Fact
from punto.floor.running.configuration import host_name
from punto.floor.running.floor import Floor
from punto.floor.runtime.clocks import ComparedClocks, ProcessClock, compare_clocks
from punto.floor.runtime.notes import try_to_write
from punto.floor.settings.floor_settings import FloorSettings

COMPARE_EVERY_S = 5.0


class ClockWatch:
    def __init__(self, floor: Floor, alarms: Alarms, settings: Callable[[], Awaitable[FloorSettings]]) -> None:
        self._floor, self._alarms, self._settings = floor, alarms, settings
        own = ProcessClock(floor.process, host_name(), punto.__version__, floor.started_us)
        self.last = ComparedClocks(floor.started_us, own)
        self._shown = (floor.clock.now_us(), floor.clock.steady_s())
        """What the clock and the steady one showed last."""

    async def run(self) -> None:
        while True:
            try:
                await self._floor.database.write(try_to_write)  # a floor on which nothing happens notices it too
                await self.compare()
            except FloorRefused as refused:
                if not is_database_error(refused) and self._floor.database.write_fault is None:
                    raise
                # the database does not answer or cannot be written: compared again after the next wait
            await self._floor.clock.sleep(COMPARE_EVERY_S)

    async def compare(self) -> ComparedClocks:
        database, now_us, own = self._floor.database, self._floor.clock.now_us, self.last.own
        greatest_us = max(self.last.greatest_us, self._before_set_back())

        def work(transaction: Transaction) -> ComparedClocks:
            return compare_clocks(transaction, own, now_us, database.clock_sql, greatest_us)

        # without a clock of its own nothing is written
        self.last = await (database.write(work) if database.clock_sql else database.read(work))
        alarms = (await self._settings()).alarms
        due = [*clock_alarms(self.last, alarms.clock_differs_s)]
        await self._alarms.ring(due)
        await self._alarms.end(agreeing_again(self.last, due, await self._alarms.all_open()))
        return self.last

    def _before_set_back(self) -> int:
        """The greatest time that the clock can have shown before it was set back since the last look; 0 if it was not.

        A steady clock cannot be set, so it says how much time has passed.
        """
        (before_us, before_s), self._shown = self._shown, (self._floor.clock.now_us(), self._floor.clock.steady_s())
        expected_us = before_us + round((self._shown[1] - before_s) * SECOND_US)
        return expected_us if expected_us - self._shown[0] >= SECOND_US else 0


def clock_alarms(clocks: ComparedClocks, most_s: int) -> Iterator[DueAlarm]:
    """Rings for the one difference that explains the others, and again when it has doubled."""
    own, most_us = clocks.own, most_s * SECOND_US
    if times := doublings(own.off_us, most_us):
        yield _due(own, "database", own.ahead_us, own.process, times)
        return
    for other in clocks.others:
        if doublings(other.off_us, most_us):
            continue  # that process rings
        if times := doublings(own.apart_us(other), most_us):
            pair = sorted((own.process, other.process))
            yield _due(own, "process", own.ahead_us - other.ahead_us, *pair, times, other=other.host)
    if times := doublings(clocks.behind_record_us, most_us):
        yield _due(own, "record", -clocks.behind_record_us, own.process, times)


def agreeing_again(clocks: ComparedClocks, due: Sequence[DueAlarm], alarms: Iterable[Alarm]) -> list[int]:
    """The alarms of this process that are no longer so, and those of processes that have stopped."""
    running, found = (
        {clocks.own.process, *(each.process for each in clocks.others)},
        {_about(each.once) for each in due},
    )
    return [
        alarm.number
        for alarm in alarms
        if alarm.kind == AlarmKind.CLOCK_DIFFERS
        and (about := _about(alarm.once)) not in found
        and (clocks.own.process in about or not running & {*about})
    ]


def _about(once: str) -> tuple[str, ...]:
    """What is compared: against what, and of which processes. The rest says how often it has doubled."""
    return tuple(once.split("/")[1:-1])


def _due(own: ProcessClock, against: str, ahead_us: int, *once: object, **values: Fact) -> DueAlarm:
    seconds = -(-abs(ahead_us) // SECOND_US)
    facts: dict[str, Fact] = {"against": against, "way": "ahead" if ahead_us > 0 else "behind", "seconds": seconds}
    text = once_text(AlarmKind.CLOCK_DIFFERS, against, *once)
    return DueAlarm(AlarmKind.CLOCK_DIFFERS, text, subject=own.host, values=facts | values)
