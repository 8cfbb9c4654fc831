"""Refusals for lack of authority are recorded and counted, and nobody can fill the disk with them."""

import asyncio
from collections.abc import Awaitable, Callable

from punto.floor.audit.verify import verify
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.authority_refusals import MAX_BURST, REFILL_S
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, read_house_event
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.playing import player, running
from tests.floor.staffed import refused
from tests.floor.told_clock import ToldClock
from tests.waiting import run

MANY = MAX_BURST + 50


async def on_record(floor: Floor, name: str) -> list[AuthorityRefused]:
    """All entries about somebody's refusals."""
    head = (await floor.database.read(streams.heads))[HOUSE]
    entries = await floor.database.read(lambda transaction: streams.read(transaction, head, 0))
    events = [read_house_event(entry.event) for entry in entries if entry.actor == name]
    return [event for event in events if isinstance(event, AuthorityRefused)]


async def ask(floor: Floor, by: Actor, times: int) -> None:
    """Give a command without authority this many times; each is refused."""
    for number in range(times):
        asked = floor.create_table(by, TableSetup(f"t{number}", "commission"))
        await refused(asked, TableCode.NOT_AUTHORISED)


def evening(url: str, test: Callable[[Floor, ToldClock], Awaitable[None]]) -> None:
    async def whole() -> None:
        clock = ToldClock()
        async with running(url, clock) as floor:
            await test(floor, clock)
            assert verify(floor.database).faults == []

    run(whole())


def test_the_first_are_written_one_by_one_and_the_rest_as_one_that_counts_them(database_url: str) -> None:
    async def test(floor: Floor, clock: ToldClock) -> None:
        await ask(floor, player("mal"), MANY)
        told = await on_record(floor, "mal")
        assert [one.times for one in told] == [1] * MAX_BURST
        while not clock.asleep():
            await asyncio.sleep(0)
        clock.passes(REFILL_S)
        while clock.asleep() or len(told) == MAX_BURST:
            await asyncio.sleep(0)
            told = await on_record(floor, "mal")
        assert sum(one.times for one in told) == MANY
        assert told[-1] == AuthorityRefused(
            f"t{MANY - 1}", "mal", Position.PLAYER, "create_table", TableCode.NOT_AUTHORISED, MANY - MAX_BURST
        )

    evening(database_url, test)


def test_one_persons_flood_takes_nobody_elses_place_on_record(database_url: str) -> None:
    async def test(floor: Floor, _: ToldClock) -> None:
        await ask(floor, player("mal"), MANY)
        await ask(floor, Actor("dora", Position.DEALER), 3)
        assert [one.times for one in await on_record(floor, "dora")] == [1, 1, 1]

    evening(database_url, test)


def test_who_has_waited_is_written_one_by_one_again(database_url: str) -> None:
    async def test(floor: Floor, clock: ToldClock) -> None:
        await ask(floor, player("mal"), MAX_BURST)
        clock.passes(3 * REFILL_S)
        await ask(floor, player("mal"), 3)
        assert [one.times for one in await on_record(floor, "mal")] == [1] * (MAX_BURST + 3)

    evening(database_url, test)


def test_a_floor_that_ends_forgets_none(database_url: str) -> None:
    async def test(floor: Floor, _: ToldClock) -> None:
        await ask(floor, player("mal"), MANY)
        await floor.flush()
        assert sum(one.times for one in await on_record(floor, "mal")) == MANY
        await floor.flush()
        assert sum(one.times for one in await on_record(floor, "mal")) == MANY

    evening(database_url, test)
