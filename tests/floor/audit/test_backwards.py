"""``verify`` notes where the time in the journal runs backwards."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from punto.floor.audit.verify import BackwardsTime, verify
from punto.floor.clock import HOUR_US, SECOND_US
from punto.floor.database import open_database
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import HOUSE
from punto.floor.running.floor import Floor
from tests.floor.audit.forging import entries, rewrite, sign_again
from tests.floor.clocks import ManualClock
from tests.floor.nights import DORA, SID, Night, opened, small


def _noted(url: str) -> list[BackwardsTime]:
    with opened(url) as database:
        seen = verify(database)
    assert seen.faults == []
    return seen.backwards


def test_a_clock_that_was_set_back_is_noted_at_the_table_and_in_the_house(database_url: str) -> None:
    clock = ManualClock()

    async def play() -> None:
        database = open_database(database_url)
        try:
            night = Night(await Floor.start(database, clock=clock, training=True))
            await night.table("t1")
            await night.do(DORA, "t1", "buy_in.1", who="ann", amount_minor=1)
            clock.day_us -= HOUR_US
            await night.do(DORA, "t1", "buy_in.1", who="ann", amount_minor=2)
            await night.do(DORA, "t1", "buy_in.1", who="ann", amount_minor=3)
            clock.day_us += SECOND_US
            await night.do(DORA, "t1", "buy_in.1", who="ann", amount_minor=4)
            clock.day_us -= 1
            await night.do(SID, "t1", "close_table.1")
        finally:
            database.close()

    asyncio.run(play())
    last = entries(database_url, "t1/1")[-1]
    at_table = [each for each in _noted(database_url) if each.stream == "t1/1"]
    assert at_table == [BackwardsTime("t1/1", last.version - 3, HOUR_US), BackwardsTime("t1/1", last.version, 1)]
    (in_house,) = [each for each in _noted(database_url) if each.stream == HOUSE]
    closed = entries(database_url, HOUSE)[-1]
    assert (in_house.version, in_house.by_us) == (closed.version, HOUR_US - SECOND_US + 1)


def test_a_time_that_was_forged_with_matching_hashes_is_noted(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    small(url)

    def forge(told: list[Entry]) -> list[Entry]:
        last = told[-1].command_id
        return [replace(entry, at_us=entry.at_us - HOUR_US) if entry.command_id == last else entry for entry in told]

    rewrite(url, "t1/2", forge)
    sign_again(url)
    note = max(_noted(url), key=lambda each: each.by_us)
    assert note.stream == "t1/2"
    assert note.by_us > HOUR_US // 2
