"""The clocks of all processes: compared with the database's, with each other and with the record."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from punto.floor.alarms.alarms import Alarms
from punto.floor.alarms.clock_watch import ClockWatch, clock_alarms
from punto.floor.clock import SystemClock
from punto.floor.database.base import Transaction
from punto.floor.house.alarm import AlarmKind
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import LockedOut
from punto.floor.running.floor import Floor
from punto.floor.runtime.clocks import STOPPED_US, ComparedClocks, ProcessClock
from punto.floor.settings.floor_settings import FloorSettings
from tests.floor.clocks import ManualClock
from tests.floor.playing import running
from tests.floor.staff_floor import SetClock
from tests.waiting import run

SECOND_US = 1_000_000
OWN = ProcessClock("a1", "north", "0.10.0", 1, noted_us=10)
OTHER = ProcessClock("b2", "south", "0.10.0", 2, noted_us=10)


class ShiftedClock(SystemClock):
    def __init__(self, ahead_s: float) -> None:
        self.ahead_us = round(ahead_s * SECOND_US)

    def now_us(self) -> int:
        return super().now_us() + self.ahead_us


async def usual() -> FloorSettings:
    return FloorSettings()


def watch_of(floor: Floor) -> ClockWatch:
    return ClockWatch(floor, Alarms(floor.house_log), usual)


# ---- what rings


def rung(clocks: ComparedClocks, most_s: int = 2) -> list[tuple[object, ...]]:
    return [
        (due.subject, due.values["against"], due.values["way"], due.values["seconds"], due.values.get("other"))
        for due in clock_alarms(clocks, most_s)
    ]


def test_a_difference_rings_from_the_threshold_on_and_only_if_it_is_certain() -> None:
    assert rung(ComparedClocks(0, OWN)) == []
    for ahead_us, doubt_us, rings in (
        (1_999_999, 0, False),
        (2_000_000, 0, True),
        (-2_000_000, 0, True),
        (2_400_000, 500_000, False),
        (60_000_000, 59_000_000, False),
    ):
        off = replace(OWN, ahead_us=ahead_us, doubt_us=doubt_us)
        assert bool(rung(ComparedClocks(0, off))) is rings, ahead_us
    ahead = ComparedClocks(0, replace(OWN, ahead_us=2_500_000))
    assert rung(ahead) == [("north", "database", "ahead", 3, None)]
    assert rung(ahead, most_s=3) == []
    assert rung(ahead, most_s=0) == []


def test_processes_that_are_apart_ring_for_both_once() -> None:
    own, other = replace(OWN, ahead_us=1_500_000), replace(OTHER, ahead_us=-1_500_000)
    assert rung(ComparedClocks(0, own, (other,))) == [("north", "process", "ahead", 3, "south")]
    assert rung(ComparedClocks(0, other, (own,))) == [("south", "process", "behind", 3, "north")]
    (mine,) = clock_alarms(ComparedClocks(0, own, (other,)), 2)
    (theirs,) = clock_alarms(ComparedClocks(0, other, (own,)), 2)
    assert mine.once == theirs.once


def test_one_wrong_clock_rings_once_however_many_others_there_are() -> None:
    wrong, third = replace(OTHER, ahead_us=5_000_000), replace(OTHER, process="c3", host="east")
    assert rung(ComparedClocks(0, OWN, (wrong, third))) == []
    assert rung(ComparedClocks(0, wrong, (OWN, third), behind_record_us=5_000_000)) == [
        ("south", "database", "ahead", 5, None)
    ]


def test_it_rings_again_when_the_difference_has_doubled() -> None:
    texts = {
        due.once
        for seconds in (2, 3, 4, 7, 8)
        for due in clock_alarms(ComparedClocks(0, OWN, behind_record_us=seconds * SECOND_US), 2)
    }
    assert len(texts) == 3


# ---- on a floor


def test_a_clock_that_was_set_back_rings(tmp_path: Path) -> None:
    async def whole() -> None:
        clock = SetClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            watch = watch_of(floor)
            clocks = await watch.compare()
            assert (clocks.behind_record_us, clocks.others, clocks.own.noted_us) == (0, (), 0)
            clock.us -= 3 * SECOND_US
            assert (await watch.compare()).behind_record_us == 3 * SECOND_US
            (alarm,) = await Alarms(floor.house_log).all_open()
            assert (alarm.kind, alarm.values["against"], alarm.values["seconds"]) == (
                AlarmKind.CLOCK_DIFFERS,
                "record",
                3,
            )
            rows = await floor.database.read(lambda tx: tx.rows("SELECT * FROM clocks"))
            assert rows == []  # a file has one process and no clock of its own

    run(whole())


def test_a_clock_that_was_set_back_rings_on_a_floor_where_entries_are_written_all_the_time(tmp_path: Path) -> None:
    """The last entry has the new time then; an earlier one has the greatest."""

    async def whole() -> None:
        clock = SetClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            watch = watch_of(floor)
            clock.us += 10 * SECOND_US
            await floor.house_log.write(THE_HOUSE, LockedOut("eve", 1))
            clock.us -= 5 * SECOND_US
            for _ in range(3):
                await floor.house_log.write(THE_HOUSE, LockedOut("eve", 1))
            assert (await watch.compare()).behind_record_us == 5 * SECOND_US
            clock.us += 4 * SECOND_US
            assert (await watch.compare()).behind_record_us == SECOND_US
            clock.us += SECOND_US
            assert (await watch.compare()).behind_record_us == 0

    run(whole())


def test_a_clock_that_was_set_back_rings_although_nothing_is_on_record(tmp_path: Path) -> None:
    """The steady clock says how much time has passed."""

    async def whole() -> None:
        clock = ManualClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            watch = watch_of(floor)
            clock.passes(60)
            assert (await watch.compare()).behind_record_us == 0
            clock.passes(5)
            clock.day_us -= 30 * SECOND_US  # less than has passed since the last entry
            assert (await watch.compare()).behind_record_us == 30 * SECOND_US
            (alarm,) = await Alarms(floor.house_log).all_open()
            assert (alarm.values["against"], alarm.values["seconds"]) == ("record", 30)
            clock.passes(30)
            assert (await watch.compare()).behind_record_us == 0

    run(whole())


@asynccontextmanager
async def two_processes(url: str, ahead_s: float) -> AsyncIterator[tuple[Floor, Floor]]:
    async with running(url) as right, running(url, ShiftedClock(ahead_s)) as wrong:
        yield right, wrong


def test_a_process_with_a_wrong_clock_rings_on_postgres(postgres_url: str) -> None:
    async def whole() -> None:
        async with two_processes(postgres_url, 3600) as (right, wrong):
            first = watch_of(right)
            clocks = await first.compare()
            assert clocks.own.off_us < 600 * SECOND_US
            assert clocks.behind_record_us > 3000 * SECOND_US  # the start of the other is on record
            seen = await watch_of(wrong).compare()
            assert seen.own.ahead_us > 3000 * SECOND_US
            assert [other.process for other in seen.others] == [right.process]
            kinds = {(alarm.kind, alarm.values["against"]) for alarm in await Alarms(right.house_log).all_open()}
            assert kinds == {(AlarmKind.CLOCK_DIFFERS, "record"), (AlarmKind.CLOCK_DIFFERS, "database")}
            assert [other.process for other in (await first.compare()).others] == [wrong.process]

    run(whole())


def test_a_process_that_has_stopped_is_forgotten(postgres_url: str) -> None:
    def age(transaction: Transaction) -> int:
        return transaction.change("UPDATE clocks SET noted_us = noted_us - ?", (2 * STOPPED_US,))

    async def whole() -> None:
        async with two_processes(postgres_url, 0) as (first, second):
            await asyncio.gather(watch_of(first).compare(), watch_of(second).compare())
            await first.database.write(age)
            assert (await watch_of(first).compare()).others == ()

    run(whole())
