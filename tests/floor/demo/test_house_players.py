"""House players on a running floor: they arrive, bet, continue after a restart, and leave where they are not wanted."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from punto.floor.audit.verify import verify
from punto.floor.demo import betting_habits, opening_tables
from punto.floor.demo.house_players import HousePlayers
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.entry import Entry
from punto.floor.names.names import HOUSE_PLAYER
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.supervisor import Keeper
from punto.table.records.commands import BuyIn
from punto.table.records.ledger import player_of
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.floor.clocks import ManualClock
from tests.floor.play_money import set_rules
from tests.floor.playing import AT_ONCE, SUPERVISOR, At, automatic_table, manual_table, running
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import refused
from tests.waiting import run, turns, until

pytestmark = pytest.mark.slow

SPEED = 40
STEP_S = 0.25
"""Time that passes in one step of the test clock."""
EACH = 3


class HurriedClock:
    """A clock that runs many times faster."""

    def now_us(self) -> int:
        return time.time_ns() // 1_000

    def steady_s(self) -> float:
        return time.monotonic() * SPEED

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / SPEED)


@asynccontextmanager
async def accompanied(floor: Floor, each: int = EACH) -> AsyncIterator[Visitors]:
    """A floor with its keeper and house players running; both are stopped at the end and leave nothing behind."""
    before, keeper, visitors = asyncio.all_tasks(), Keeper(floor), Visitors(floor)
    work = [asyncio.create_task(each) for each in (keeper.run(), HousePlayers(floor, visitors, each).run())]
    try:
        yield visitors
    finally:
        for task in work:
            task.cancel()
        ended = await asyncio.gather(*work, return_exceptions=True)
        await keeper.stop()
    assert all(isinstance(end, asyncio.CancelledError) for end in ended), ended
    await until(lambda: not any("HousePlayers" in str(task.get_coro()) for task in asyncio.all_tasks() - before))


def company(live: LiveTable) -> set[str]:
    """The house players with chips or a place at a table."""
    return {who for who in live.state.people if who.endswith(HOUSE_PLAYER)}


def bettors(live: LiveTable) -> set[str]:
    """Everybody with a bet in the current round."""
    now = live.state.round
    return set() if now is None else {who for who, _, _ in now.bets}


def rounds(live: LiveTable) -> int:
    """Finished rounds."""
    now = live.state.round
    return 0 if now is None else now.number - (not now.over)


async def asked(floor: Floor, live: LiveTable, command: str = "") -> list[Entry]:
    """The commands that house players gave, of one kind or all."""
    entries = await all_entries(floor, live.stream)
    mine = [entry for entry in entries if entry.actor.endswith(HOUSE_PLAYER) and entry.command]
    return [entry for entry in mine if f'"{command}' in (entry.command or "")]


def test_they_play_at_every_table_of_an_opening_night(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "punto.floor.demo.house_players")

    async def evening() -> None:
        clock = ManualClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            await opening_tables.set_up(floor, Visitors(floor))
            tables = list(floor.tables.values())
            everybody = len(tables) + 2  # one dealer for each table, the keeper and the house players
            async with accompanied(floor):
                while not all(rounds(live) >= 3 for live in tables):
                    await until(lambda: clock.asleep() == everybody)
                    await turns()
                    if clock.asleep() == everybody:  # still the same: no task was about to wake up
                        clock.passes(STEP_S)
            for live in tables:
                assert company(live) == set(betting_habits.players_of(live.setup.name, EACH))
                bets = await asked(floor, live, "place_bet")
                assert {entry.actor for entry in bets} == company(live)
                assert {entry.position for entry in bets} == {"player"}
            assert verify(floor.database).faults == []

    run(evening())
    assert caplog.messages == []  # nothing was refused


def test_they_go_on_after_a_restart(tmp_path: Any) -> None:
    url = str(tmp_path / "floor.db")

    async def first() -> dict[int, str]:
        async with running(url, HurriedClock()) as floor:
            await _night(floor)
            live = floor.table("t1")
            async with accompanied(floor):
                await until(lambda: rounds(live) >= 1 and live.state.phase is Phase.BETTING and _bets(live) == EACH)
            return live.state.seats

    async def second(seats: dict[int, str]) -> None:
        async with running(url, HurriedClock()) as floor:
            live = floor.table("t1")
            before = rounds(live)
            assert live.state.seats == seats
            assert _bets(live) == EACH
            async with accompanied(floor):
                await until(lambda: rounds(live) > before + 2)
            assert live.state.seats == seats
            entries = await all_entries(floor, live.stream)
            bought = [entry for entry in entries if "chips_bought" in entry.event]
            assert len(bought) == EACH  # nobody with chips bought in again
            assert verify(floor.database).faults == []

    async def both() -> None:
        await second(await first())

    run(both())


def _bets(live: LiveTable) -> int:
    """Main bets on the felt."""
    now = live.state.round
    return 0 if now is None else sum(bet in ("player", "banker") for _, _, bet in now.bets)


async def _night(floor: Floor) -> At:
    """An automatic play-money table without players."""
    planned = opening_tables.TABLES[1]
    setup = type(planned.setup)("t1", planned.book, pace=planned.setup.pace)
    await floor.create_table(THE_HOUSE, setup)
    at = At(floor, "t1")
    await at.open(planned.book, automations=tuple(Automation))
    await Visitors(floor).change_rules(THE_CONSOLE, RULES)
    return at


RULES = FloorRules(visitors=True, buy_in_minor=1_000_00, tables=("t1",))


@pytest.mark.parametrize(
    ("each", "rules"),
    [
        (0, RULES),
        (EACH, FloorRules(visitors=True, buy_in_minor=0, tables=("t1",))),
        (EACH, FloorRules(visitors=False, buy_in_minor=1_000_00, tables=("t1",))),
    ],
)
def test_where_they_are_not_wanted_they_cash_out_and_go(tmp_path: Any, each: int, rules: FloorRules) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db"), HurriedClock()) as floor:
            await _night(floor)
            live = floor.table("t1")
            async with accompanied(floor):
                await until(lambda: _bets(live) == EACH)
            async with accompanied(floor, each) as visitors:
                await visitors.change_rules(THE_CONSOLE, rules)
                await until(lambda: not live.state.people)
            assert not live.state.seats
            assert not live.state.behind
            assert verify(floor.database).faults == []

    run(evening())


def test_a_table_stays_for_play_money_until_the_house_has_cashed_them_out(tmp_path: Any) -> None:
    closed = FloorRules(visitors=False, buy_in_minor=1_000_00, tables=("t1",))

    async def evening() -> None:
        async with running(str(tmp_path / "floor.db"), HurriedClock()) as floor:
            await _night(floor)
            live = floor.table("t1")
            async with accompanied(floor) as visitors:
                await until(lambda: _bets(live) == EACH)
                for rules in (FloorRules(visitors=True), FloorRules()):
                    await refused(visitors.change_rules(THE_CONSOLE, rules), FloorCode.BAD_FLOOR_RULES)
                assert await visitors.rules() == RULES
                await visitors.change_rules(THE_CONSOLE, closed)
                await until(lambda: not live.state.people)
                await visitors.change_rules(THE_CONSOLE, FloorRules())
            assert not any(player_of(account) for account in live.state.balances)
            assert verify(floor.database).faults == []

    run(evening())


def test_where_it_is_no_longer_for_play_money_they_go_and_their_chips_stay(tmp_path: Any) -> None:
    rules = FloorRules(visitors=True, buy_in_minor=1_000_00)  # as a release before 0.6.0 could leave a table

    async def evening() -> None:
        async with running(str(tmp_path / "floor.db"), HurriedClock()) as floor:
            await _night(floor)
            live = floor.table("t1")
            async with accompanied(floor) as visitors:
                await until(lambda: _bets(live) == EACH)
                await set_rules(visitors, rules)
                await until(lambda: not live.state.seats)
                before = live.state.balances
                for _ in range(20):
                    await floor.clock.sleep(1)
            assert before == live.state.balances
            assert len(live.state.people) == EACH
            assert not live.state.behind
            assert verify(floor.database).faults == []

    run(evening())


def test_they_come_only_where_play_money_is_and_a_table_runs_by_itself(tmp_path: Any) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db"), HurriedClock()) as floor:
            await _night(floor)
            await automatic_table(floor, "t2", pace=AT_ONCE)
            await manual_table(floor, "t3")
            await floor.create_table(THE_HOUSE, opening_tables.TABLES[0].setup)  # never opened
            visitors = Visitors(floor)
            rules = FloorRules(visitors=True, buy_in_minor=1_000_00, tables=("t1", "t3", opening_tables.TABLES[0].name))
            await set_rules(visitors, rules)
            live = floor.table("t1")
            async with accompanied(floor):
                await until(lambda: rounds(live) >= 1 and rounds(floor.table("t2")) > 5)
            assert len(company(live)) == EACH
            for other in ("t2", "t3"):
                assert floor.table(other).state.people == {"ann", "ben"}

    run(evening())


def test_only_who_holds_a_table_brings_company(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url, HurriedClock()) as one, running(postgres_url, HurriedClock()) as two:
            await _night(one)
            there = await two.find_table("t1")
            async with accompanied(one):
                await until(lambda: one.table("t1").held)
                async with accompanied(two, each=5):  # a different number would show
                    await until(lambda: rounds(there) >= 2)
                assert company(there) == company(one.table("t1")) == set(betting_habits.players_of("t1", EACH))
            entries = await all_entries(one, "t1/1")
            assert sum("chips_bought" in entry.event for entry in entries) == EACH
            assert verify(one.database).faults == []

    run(evening())


def test_two_processes_that_both_believe_to_hold_a_table_do_not_bet_twice(postgres_url: str) -> None:
    """As if a claim was lost unnoticed: both use the same id, so there is only one bet."""

    async def evening() -> None:
        async with running(postgres_url, HurriedClock()) as one, running(postgres_url, HurriedClock()) as two:
            await _night(one)
            there = await two.find_table("t1")
            async with accompanied(one):
                await until(lambda: rounds(there) >= 1)
                there.held = True
                await asyncio.gather(*(HousePlayers(two, Visitors(two), EACH).run_once() for _ in range(3)))
                await until(lambda: rounds(there) >= 3)
            bought = [entry for entry in await all_entries(one, "t1/1") if "chips_bought" in entry.event]
            assert len(bought) == EACH
            assert verify(one.database).faults == []

    run(evening())


def test_a_refusal_is_no_reason_to_insist(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Another command already has the id of a house player's next command."""
    caplog.set_level(logging.INFO, "punto.floor.demo.house_players")

    async def evening() -> None:
        clock = HurriedClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            await _night(floor)
            live = floor.table("t1")
            await Keeper(floor).run_once()
            first = betting_habits.players_of("t1", 1)[0]
            assert live.head is not None
            taken = f"house:{first}:t1/1:{live.head.version + 1}"  # the id after this command
            await floor.give(live, taken, BuyIn(SUPERVISOR.name, SUPERVISOR.position, "ann", 1_00))
            players = HousePlayers(floor, Visitors(floor), 1)
            for _ in range(5):
                await players.run_once()
            assert company(live) == set()

    run(evening())
    assert len(caplog.messages) == 1
    assert "was already used for another command" in caplog.messages[0]


def test_nobody_else_takes_the_ids_of_house_players(tmp_path: Any) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db"), HurriedClock()) as floor:
            at = await _night(floor)
            live = floor.table("t1")
            await Keeper(floor).run_once()
            players = HousePlayers(floor, Visitors(floor), 1)
            for _ in range(5):
                await players.run_once()
            ids = {entry.command_id for entry in await all_entries(floor, "t1/1") if entry.event.find("(house)") > 0}
            assert ids
            assert all(one.startswith("house:") for one in ids)
            for one in ids:
                with pytest.raises(FloorRefused) as trouble:
                    await at.ask(SUPERVISOR, "buy_in", one, who="ann", amount_minor=1_00)
                assert trouble.value.code is FloorCode.BAD_COMMAND_ID
            assert len(company(live)) == 1

    run(evening())


def test_trouble_at_one_table_is_logged_once_and_the_others_go_on(
    tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db"), HurriedClock()) as floor:
            await opening_tables.set_up(floor, Visitors(floor))
            keeper = Keeper(floor)
            await keeper.run_once()
            await keeper.stop()
            broken, *others = floor.tables.values()
            players = HousePlayers(floor, Visitors(floor), 1)
            broken.state = None  # type: ignore[assignment]  # any programming error
            for _ in range(3):
                await players.run_once()
            assert all(len(company(live)) == 1 for live in others)

    run(evening())
    assert len(caplog.records) == 1
    assert "cannot play" in caplog.messages[0]
