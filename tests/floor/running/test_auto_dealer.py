"""Automatic tables: each step happens at its time, once, whichever process takes it."""

import asyncio
import signal

import pytest

from punto.floor.audit.verify import verify
from punto.floor.journal.house_events import TableRecovered, read_house_event
from punto.floor.running.auto_dealer import RETRY_S, Dealer
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.floor.running.table_setup import Pace
from punto.floor.shoes.sealed import seal, shoe_name, virtual_shoe
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.floor.clocks import ManualClock
from tests.floor.cutting import wire_to
from tests.floor.playing import DEALER, automatic_table, manual_table, player, running
from tests.floor.processes import Worker
from tests.floor.running.test_floor import all_entries
from tests.waiting import run, turns, until

pytestmark = pytest.mark.slow

PACE = Pace()
QUICK = Pace(**dict.fromkeys(Pace.__struct_fields__, 0.01))


class Told:
    """A floor with a clock that the test sets, and its keeper."""

    def __init__(self, floor: Floor, clock: ManualClock) -> None:
        self.floor = floor
        self.clock = clock
        self.live = floor.table("t1")

    @property
    def version(self) -> int:
        """The number of entries of the table."""
        return self.live.head.version if self.live.head else 0

    async def takes(self, automation: str, after_s: float) -> None:
        """The next step is this one, after this time and not before."""
        version = self.version
        await until(lambda: self.clock.asleep() > 0)
        self.clock.passes(after_s - 0.01)
        await _settled(self.clock)
        assert self.version == version, f"{automation} came too early"
        self.clock.passes(0.01)
        await until(lambda: self.version > version)
        await _settled(self.clock)
        entries = await all_entries(self.floor, self.live.stream)
        taken = entries[version]
        assert (taken.actor, taken.position, taken.command_id) == ("house", "house", f"auto:t1/1:{version}")
        assert automation in (taken.command or "")


async def _settled(clock: ManualClock) -> None:
    """Wait until every woken task sleeps again."""
    await turns()
    await until(lambda: clock.asleep() > 0)


def test_each_step_comes_in_its_time(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            at = await automatic_table(floor, pace=PACE, burn=True)
            keeper = Keeper(floor)
            await keeper.run_once()
            told = Told(floor, clock)
            await told.takes("load_shoe", PACE.load_shoe_s)
            await told.takes("burn_cards", PACE.burn_s)
            await told.takes("open_betting", PACE.open_betting_s)
            await until(lambda: clock.asleep() > 0)
            clock.passes(PACE.close_betting_s / 2)
            await at.bet("ann", 100_00)  # a bet does not delay the close
            await told.takes("close_betting", PACE.close_betting_s / 2)
            for _ in range(4):
                await told.takes("deal_card", PACE.deal_s)
            while told.live.state.phase is Phase.DEALING:
                await told.takes("", PACE.deal_s)
            await told.takes("open_betting", PACE.next_round_s)
            await keeper.stop()

    run(evening())


def test_nobody_freezes_a_table_by_squeezing(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            at = await automatic_table(
                floor, rules="super-six-plus", pace=PACE, face_down=True, squeeze_granted=True, burn=False
            )
            keeper = Keeper(floor)
            await keeper.run_once()
            told = Told(floor, clock)
            await told.takes("load_shoe", PACE.load_shoe_s)
            await told.takes("open_betting", PACE.open_betting_s)
            await at.bet("ann", 100_00)
            for side in ("player", "banker"):
                await at.do(player("ann"), "request_squeeze", who="ann", side=side)
            await told.takes("close_betting", PACE.close_betting_s)
            for _ in range(4):
                await told.takes("deal_card", PACE.deal_s)
            clock.passes(PACE.squeeze_s / 2)
            await at.do(player("ann"), "squeeze_card", place=2)
            await _settled(clock)
            clock.passes(PACE.squeeze_s / 4)  # looking at it buys no time
            await at.do(player("ann"), "squeeze_card", place=2, laid_open=True)
            await _settled(clock)
            await told.takes("turn_card", PACE.turn_s)
            version = told.version
            await told.takes("turn_card", PACE.squeeze_s)
            await until(lambda: told.version >= version + 3)  # the others at once
            now = told.live.state.round
            assert now is not None
            assert None not in now.cards[:4]
            await keeper.stop()

    run(evening())


def test_the_time_of_day_may_jump(database_url: str) -> None:
    """Forwards and backwards: it is only recorded, and nothing else changes."""

    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await automatic_table(floor, pace=PACE)
            keeper = Keeper(floor)
            await keeper.run_once()
            told = Told(floor, clock)
            await told.takes("load_shoe", PACE.load_shoe_s)
            clock.day_us += 86_400_000_000
            await told.takes("open_betting", PACE.open_betting_s)
            clock.day_us -= 3 * 86_400_000_000
            await told.takes("close_betting", PACE.close_betting_s)
            clock.day_us = 0
            await told.takes("deal_card", PACE.deal_s)
            entries = await all_entries(floor, "t1/1")
            times = [entry.at_us for entry in entries]
            assert times != sorted(times)
            state = told.live.state
            await keeper.stop()
        async with running(database_url) as floor:
            assert floor.table("t1").state == state
            assert verify(floor.database).faults == []

    run(evening())


def test_what_people_do_the_table_leaves_to_them(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            at = await manual_table(floor, automations=(Automation.CLOSE_BETTING, Automation.DEAL))
            dealing = asyncio.create_task(Dealer(floor, floor.table("t1")).run())
            told = Told(floor, clock)
            version = told.version
            for _ in range(5):
                clock.passes(1_000)
                await turns()
            assert told.version == version
            await at.do(DEALER, "open_betting")
            await until(lambda: told.live.state.phase is Phase.DEALING)
            version = told.version
            for _ in range(5):  # people enter the cards of a real shoe
                clock.passes(1_000)
                await turns()
            assert told.version == version
            dealing.cancel()

    run(evening())


def test_a_step_that_is_refused_is_tried_again_after_a_while(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await automatic_table(floor)
            live = floor.table("t1")
            assert live.head is not None
            taken = virtual_shoe(shoe_name("t1", 1, live.head.version), 8)
            await floor.database.write(lambda tx: seal(tx, floor.key, taken))
            dealing = asyncio.create_task(Dealer(floor, live).run())
            for _ in range(3):
                await until(lambda: clock.asleep() > 0)  # and does not retry without a pause
                assert live.state.shoe is None
                clock.passes(RETRY_S)
                await asyncio.sleep(0)
            await floor.database.write(lambda tx: tx.change("DELETE FROM shoes"))
            while live.state.shoe is None:
                clock.passes(RETRY_S)
                await asyncio.sleep(0.01)
            dealing.cancel()

    run(evening())


# ---- several processes


def _rounds(floor: Floor) -> int:
    now = floor.table("t1").state.round
    return now.number if now else 0


async def _plays_on(floor: Floor) -> None:
    """Wait for two more rounds."""
    rounds = _rounds(floor)
    await until(lambda: _rounds(floor) > rounds + 2)


def test_two_dealers_of_one_table_do_no_harm(postgres_url: str) -> None:
    """As if a claim was lost unnoticed: the later one finds that the step was already taken."""

    async def evening() -> None:
        async with running(postgres_url) as one, running(postgres_url) as two:
            await automatic_table(one)
            await two.find_table("t1")
            dealers = [asyncio.create_task(Dealer(floor, floor.table("t1")).run()) for floor in (one, two, two)]
            await until(lambda: _rounds(one) > 10)
            for dealer in dealers:
                dealer.cancel()
            await asyncio.gather(*dealers, return_exceptions=True)
            entries = await all_entries(one, "t1/1")
            steps = [entry.command_id for entry in entries if entry.part == 0]
            assert len(set(steps)) == len(steps)
            assert verify(one.database).faults == []

    run(evening())


def test_a_dealer_goes_on_after_the_database_was_lost(postgres_url: str) -> None:
    async def evening() -> None:
        with wire_to(postgres_url) as wire:
            async with running(wire.url) as floor:
                await automatic_table(floor)
                dealing = asyncio.create_task(Dealer(floor, floor.table("t1")).run())
                for where in ("before", "after"):
                    wire.cut = where
                    await until(lambda: not wire.cut)
                    await _plays_on(floor)
                dealing.cancel()
                await asyncio.gather(dealing, return_exceptions=True)
                assert wire.cuts == 2
        async with running(postgres_url) as floor:
            assert verify(floor.database).faults == []

    run(evening())


async def _taken_over(floor: Floor) -> list[TableRecovered]:
    house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
    return [event for event in house if isinstance(event, TableRecovered)]


def test_a_process_that_dies_is_replaced(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url) as floor:
            await automatic_table(floor, pace=QUICK)
            live = floor.table("t1")
            await _let_go(floor)
            with Worker("keep", postgres_url) as first, Worker("keep", postgres_url) as second:
                for worker in (first, second):
                    assert worker.hear()["ready"]
                await until(lambda: _rounds(floor) > 2)
                recovered = len(await _taken_over(floor))
                first.kill()
                await _plays_on(floor)
                second.kill()
                version = live.head
                with Worker("keep", postgres_url) as third:
                    assert third.hear()["ready"]
                    await until(lambda: live.head != version)
                assert len(await _taken_over(floor)) > recovered
            assert verify(floor.database).faults == []

    run(evening())


async def _let_go(floor: Floor) -> None:
    """End every connection that holds a claim, so others can take the tables."""
    await floor.database.read(
        lambda tx: tx.rows(
            "SELECT pg_terminate_backend(l.pid, 180000) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database"
            " WHERE l.locktype = 'advisory' AND d.datname = current_database()"
        )
    )


async def _pause(floor: Floor, worker: Worker) -> None:
    """Stop it between two transactions: the rows that an open one has locked would keep everybody waiting."""
    worker.signal(signal.SIGSTOP)
    while await floor.database.read(
        lambda tx: tx.rows(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            " AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
        )
    ):
        worker.signal(signal.SIGCONT)
        await asyncio.sleep(0.01)
        worker.signal(signal.SIGSTOP)


def test_a_process_that_is_late_does_no_harm(postgres_url: str) -> None:
    """It is paused, its claims go to another process, and then it continues with what it was about to do."""

    async def evening() -> None:
        async with running(postgres_url) as floor:
            await automatic_table(floor, pace=QUICK)
            await _let_go(floor)
            with Worker("keep", postgres_url) as late:
                assert late.hear()["ready"]
                await until(lambda: _rounds(floor) > 1)
                await _pause(floor, late)
                await _let_go(floor)
                with Worker("keep", postgres_url) as other:
                    assert other.hear()["ready"]
                    await _plays_on(floor)
                    late.signal(signal.SIGCONT)
                    await _plays_on(floor)
                await _plays_on(floor)
            entries = await all_entries(floor, "t1/1")
            assert [entry.version for entry in entries] == list(range(1, len(entries) + 1))
            assert verify(floor.database).faults == []

    run(evening())
