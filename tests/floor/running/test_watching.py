"""Watchers get every entry in order and once, from any version, in any process."""

import asyncio

from punto.floor.journal.entry import Entry
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import MAX_TAIL
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.floor.playing import MANAGER, SUPERVISOR, At, betting_table, running
from tests.floor.running.test_floor import all_entries
from tests.waiting import run, turns, until


class Watcher:
    """Watches a table and records the entries."""

    def __init__(self, floor: Floor, after: int = 0, opening: int = 0) -> None:
        self.seen: list[Entry] = []
        self.awake = asyncio.Event()
        self.awake.set()
        self._task = asyncio.create_task(self._watch(floor, after, opening))

    async def _watch(self, floor: Floor, after: int, opening: int) -> None:
        async for entry in floor.watch("t1", after, opening):
            self.seen.append(entry)
            await self.awake.wait()

    async def sees(self, entries: list[Entry]) -> None:
        """Wait until it has seen this many entries; they must be exactly these."""
        await until(lambda: len(self.seen) >= len(entries) or self._task.done())
        await turns()  # a duplicate would come now
        self._task.cancel()
        assert self.seen == entries


def test_every_entry_from_any_version_on(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await betting_table(floor)
            head = floor.table("t1").head
            assert head is not None
            early = [Watcher(floor, after) for after in range(0, head.version + 4, 2)]
            for number in range(3 * MAX_TAIL):
                await at.bet("ann", 1, f"bet {number}")
            entries = await all_entries(floor, "t1/1")
            late = [
                Watcher(floor, after) for after in (0, 1, len(entries) - MAX_TAIL - 1, len(entries) - 1, len(entries))
            ]
            await at.bet("ann", 1, "last")
            entries = await all_entries(floor, "t1/1")
            for after, watcher in zip(range(0, head.version + 4, 2), early, strict=True):
                await watcher.sees(entries[after:])
            versions = (0, 1, len(entries) - MAX_TAIL - 2, len(entries) - 2, len(entries) - 1)
            for after, watcher in zip(versions, late, strict=True):
                await watcher.sees(entries[after:])

    run(evening())


def test_a_slow_watcher_misses_nothing_and_holds_up_nobody(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await betting_table(floor)
            slow, quick = Watcher(floor), Watcher(floor)
            for number in range(4 * MAX_TAIL):
                slow.awake.clear() if number % MAX_TAIL else slow.awake.set()
                await at.bet("ann", 1, f"bet {number}")
            entries = await all_entries(floor, "t1/1")
            await until(lambda: len(quick.seen) == len(entries))
            assert len(slow.seen) < len(entries) - MAX_TAIL // 2
            slow.awake.set()
            await quick.sees(entries)
            await slow.sees(entries)

    run(evening())


def test_watching_goes_on_when_the_table_is_opened_again(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await betting_table(floor)
            first, second = Watcher(floor), Watcher(floor, 3)
            await _end_round(at)
            slow = Watcher(floor)
            slow.awake.clear()
            for opening in range(2, 5):
                await at.do(SUPERVISOR, "close_table")
                await at.open()
                live = floor.table("t1")
                assert str(live.stream) == f"t1/{opening}"
            entries = [entry for number in range(1, 5) for entry in await all_entries(floor, f"t1/{number}")]
            await first.sees(entries)
            await second.sees(entries[3:])
            slow.awake.set()
            await slow.sees(entries)
            # a watcher that resumes after the first entry of the third opening
            again = await all_entries(floor, "t1/3")
            await Watcher(floor, 1, 3).sees(again[1:] + await all_entries(floor, "t1/4"))
            await Watcher(floor, 0, 2).sees(entries[len(await all_entries(floor, "t1/1")) :])
            # without an opening, the current one
            await Watcher(floor).sees(await all_entries(floor, "t1/4"))

    run(evening())


async def _end_round(at: At) -> None:
    await at.do(SUPERVISOR, "close_betting")
    for card in ("9s", "2d", "Kh", "3c"):
        await at.do(SUPERVISOR, "deal_card", card=card)
    await at.do(SUPERVISOR, "settle")


def test_watchers_on_another_process_see_the_same(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url) as here:
            at = await betting_table(here)
            async with running(postgres_url) as there:
                watchers = [Watcher(there), Watcher(there, 5), Watcher(here)]
                far = At(there, "t1", "far")
                for number in range(2 * MAX_TAIL):
                    await (far if number % 3 else at).bet("ann", 1, f"bet {number}")
                await _end_round(at)
                await far.do(SUPERVISOR, "close_table")
                await at.open()
                entries = await all_entries(here, "t1/1") + await all_entries(here, "t1/2")
                for watcher, after in zip(watchers, (0, 5, 0), strict=True):
                    await watcher.sees(entries[after:])

    run(evening())


def test_a_listener_that_was_cut_off_catches_up(postgres_url: str) -> None:
    """It catches up on the messages it missed."""

    async def evening() -> None:
        async with running(postgres_url) as here:
            at = await betting_table(here)
            async with running(postgres_url) as there:
                watcher = Watcher(there)
                await until(lambda: len(watcher.seen) > 3)
                for number in range(5):
                    await here.database.read(
                        lambda tx: tx.rows(
                            "SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity"
                            " WHERE datname = current_database() AND query = 'LISTEN punto_entries'"
                        )
                    )
                    for more in range(10):
                        await at.bet("ann", 1, f"bet {number} {more}")
                await watcher.sees(await all_entries(here, "t1/1"))

    run(evening())


def test_watching_before_the_first_opening(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await floor.create_table(MANAGER, TableSetup("t1", "commission", ShoeKind.MANUAL))
            watcher = Watcher(floor)
            await At(floor, "t1").open()
            await watcher.sees(await all_entries(floor, "t1/1"))

    run(evening())
