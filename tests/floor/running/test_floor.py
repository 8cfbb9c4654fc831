"""Many tables in a process and several processes on a floor: each command is accepted once, in one order."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import (
    AuthorityRefused,
    FloorStarted,
    StreamClosed,
    StreamOpened,
    read_house_event,
)
from punto.floor.journal.replay import rebuild
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.commands import OpenTable
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.floor.playing import (
    DEALER,
    MANAGER,
    SUPERVISOR,
    At,
    betting_table,
    manual_table,
    player,
    running,
)
from tests.floor.processes import Worker
from tests.table.tables import settings
from tests.waiting import run


async def all_entries(floor: Floor, stream: StreamName | str) -> list[Entry]:
    """Every entry of a stream, from the journal."""
    head = await floor.database.read(lambda tx: streams.head(tx, stream))
    start = Head(str(stream), head.key)
    return await floor.database.read(lambda tx: streams.read(tx, start, 0, 1_000_000))


def test_many_tables_at_once(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            tables = [await betting_table(floor, f"t{number}") for number in range(12)]
            await asyncio.gather(
                *(at.bet(name, 1, f"{at.name} {name} {number}", box)
                  for at in tables for number in range(5) for box, name in ((1, "ann"), (2, "ben")))
            )  # fmt: skip
            states = {at.name: floor.table(at.name).state for at in tables}
        async with running(database_url) as floor:
            for name, state in states.items():
                assert floor.table(name).state == state
                assert state.round is not None
                assert [placed.stake_minor for placed in state.round.bets.values()] == [5, 5]
                assert sum(state.balances.values()) == 0

    asyncio.run(evening())


def test_what_was_not_waited_for_is_done_all_the_same(database_url: str) -> None:
    """The caller may go away: the command is accepted whole or not at all, and its id tells which."""

    async def evening() -> None:
        async with running(database_url) as floor:
            at = await betting_table(floor)
            for number in range(20):
                asking = asyncio.create_task(at.bet("ann", 1, f"bet {number}"))
                for _ in range(number % 5):
                    await asyncio.sleep(0)
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
            answers = [await at.bet("ann", 1, f"bet {number}") for number in range(20)]
            assert all(answer.refusal is None for answer in answers)
            now = floor.table("t1").state.round
            assert now is not None
            assert now.bets["ann", 1, "player"].stake_minor == 20
            versions = [entry.version for entry in await all_entries(floor, "t1/1")]
            assert versions == list(range(1, len(versions) + 1))

    asyncio.run(evening())


def test_a_closing_is_carried_over_to_the_next_opening(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await manual_table(floor)
            await at.do(SUPERVISOR, "close_table")
            closed = floor.table("t1").closing
            assert closed.balances["chips:ann"] == 10_000_00
        async with running(database_url) as floor:
            at = At(floor, "t1", "again")
            assert floor.table("t1").closing == closed
            assert floor.table("t1").state.phase is Phase.CLOSED
            await at.open()
            live = floor.table("t1")
            assert (str(live.stream), live.head and live.head.version) == ("t1/2", 1)
            assert live.state.balances["chips:ann"] == 10_000_00
            house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
            opened = [event.stream for event in house if isinstance(event, StreamOpened)]
            ended = [(event.stream, event.hash) for event in house if isinstance(event, StreamClosed)]
            last = (await all_entries(floor, "t1/1"))[-1]
            assert (opened, ended) == (["t1/1", "t1/2"], [("t1/1", last.hash)])
            assert len([event for event in house if isinstance(event, FloorStarted)]) == 2

    asyncio.run(evening())


def test_nobody_says_what_is_carried_over(database_url: str) -> None:
    """Chips come from the last closing and from buy-ins; an opening that says otherwise does not change that."""

    async def evening() -> None:
        async with running(database_url) as floor:
            at = await manual_table(floor)
            await at.do(SUPERVISOR, "close_table")
            wanted = settings(book("commission"))
            with pytest.raises(FloorRefused) as refused:
                await at.ask(
                    SUPERVISOR, "open_table", settings=msgspec.to_builtins(wanted), carried={"chips:sue": 10**9}
                )
            assert refused.value.code is FloorCode.BAD_COMMAND
            house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
            told = AuthorityRefused("t1", "sue", SUPERVISOR.position, "open_table.1", FloorCode.BAD_COMMAND)
            assert house[-1] == told
            live = floor.table("t1")
            forged = OpenTable("sue", SUPERVISOR.position, wanted, carried={"chips:sue": 10**9})
            assert (await floor.give(live, "from within", forged)).refusal is None
            assert live.state.balances == live.closing.balances  # no money was created or lost
            assert "chips:sue" not in live.state.balances
            assert verify(floor.database).faults == []

    asyncio.run(evening())


def test_what_cannot_be_asked(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await manual_table(floor)
            bet = {"command": "place_bet.1", "who": "ann", "box": 1, "bet": "player", "stake_minor": "5"}
            for table, body, code in (
                ("t9", {"command": "open_betting.1"}, FloorCode.UNKNOWN_TABLE),
                ("t1", {"command": "fly.1"}, FloorCode.BAD_COMMAND),
                ("t1", {}, FloorCode.BAD_COMMAND),
                ("t1", {"command": "open_betting.1", "by": "max"}, FloorCode.BAD_COMMAND),
                ("t1", {"command": "open_betting.1", "position": "pit_manager"}, FloorCode.BAD_COMMAND),
                ("t1", {"command": "open_betting.1", "wish": "please"}, FloorCode.BAD_COMMAND),
                ("t1", bet, FloorCode.BAD_COMMAND),
            ):
                with pytest.raises(FloorRefused) as refused:
                    await floor.submit(DEALER, table, "c1", body)
                assert refused.value.code is code, refused.value.message
            for name, bad in (("t1", FloorCode.TABLE_EXISTS), ("a/b", TableCode.BAD_NAME), ("", TableCode.BAD_NAME)):
                with pytest.raises(FloorRefused) as refused:
                    await floor.create_table(MANAGER, TableSetup(name, "commission"))
                assert refused.value.code is bad, refused.value.message
            assert list(floor.tables) == ["t1"]

    asyncio.run(evening())


def test_a_refusal_for_lack_of_authority_is_on_record(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await manual_table(floor)
            answer = await at.ask(player("ann"), "close_table")
            assert answer.refusal is not None
            assert answer.refusal.code is TableCode.NOT_AUTHORISED
            last = read_house_event((await all_entries(floor, "house"))[-1].event)
            assert last == AuthorityRefused("t1", "ann", "player", "close_table.1", TableCode.NOT_AUTHORISED)

    asyncio.run(evening())


# ---- processes


def test_an_sqlite_file_is_one_floors_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "floor.db")
    with Worker("start", path) as first:
        assert first.hear() == {"started": True}
        with Worker("start", path) as second:
            assert second.hear() == {"started": False, "code": "database_in_use"}
        first.kill()
        with Worker("start", path) as third:
            assert third.hear() == {"started": True}


BETS = 120


def test_two_processes_fight_for_a_table(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url) as floor:
            at = await betting_table(floor)
            seen: list[Entry] = []
            watching = asyncio.create_task(_watch(floor, seen))
            with (
                Worker("bet", postgres_url, "t1", "ann", str(BETS)) as ann,
                Worker("bet", postgres_url, "t1", "ben", str(BETS)) as ben,
            ):
                for worker in (ann, ben):
                    assert worker.hear() == {"ready": True}
                for worker in (ann, ben):
                    worker.tell()
                mine = [await at.bet("ann", 1, f"third {number}") for number in range(BETS)]
                said = await asyncio.gather(*(asyncio.to_thread(worker.rest) for worker in (ann, ben)))
            versions = [line["version"] for lines in said for line in lines]
            versions += [answer.entries[0].version for answer in mine]
            assert len(set(versions)) == 3 * BETS
            entries = await all_entries(floor, "t1/1")
            assert [entry.version for entry in entries] == list(range(1, len(entries) + 1))
            async with floor.table("t1").lock:
                await floor.table("t1").catch_up()
            now = floor.table("t1").state.round
            assert now is not None
            assert {placed.who: placed.stake_minor for placed in now.bets.values()} == {"ann": 2 * BETS, "ben": BETS}
            stream = await floor.database.read(lambda tx: streams.head(tx, "t1/1"))
            assert (await floor.database.read(lambda tx: rebuild(tx, stream))).state == floor.table("t1").state
            while len(seen) < len(entries):
                await asyncio.sleep(0.01)
            watching.cancel()
            assert seen == entries

    run(evening())


async def _watch(floor: Floor, seen: list[Entry]) -> None:
    async for entry in floor.watch("t1"):
        seen.append(entry)  # noqa: PERF401 - one by one as they arrive


def test_a_table_is_known_where_another_process_created_it(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url) as one, running(postgres_url) as two:
            await one.create_table(MANAGER, TableSetup("t1", "commission", ShoeKind.MANUAL))
            await At(two, "t1", "from two").open()
            assert one.table("t1").setup == two.table("t1").setup
            refused = await At(one, "t1", "from one").ask(SUPERVISOR, "close_table", "x")
            assert refused.refusal is None

    asyncio.run(evening())


def test_a_process_that_is_behind_does_not_judge_by_what_was(postgres_url: str) -> None:
    """Each refusal and acceptance follows the journal, whatever this process had read of it."""

    async def evening() -> None:
        async with running(postgres_url) as one, running(postgres_url) as two:
            here, there = await manual_table(one), At(two, "t1", "there")
            for number in range(8):
                await (here if number % 2 else there).do(DEALER, "open_betting", f"open {number}")
                assert (await (there if number % 2 else here).bet("ann", 1_00, f"bet {number}")).refusal is None
                await here.do(DEALER, "close_betting", f"close {number}")
                late = await there.bet("ben", 1_00, f"late {number}", box=2)
                assert late.refusal is not None
                for place, card in enumerate(["9s", "2d", "Kh", "3c"]):
                    await (here if place % 2 else there).do(DEALER, "deal_card", f"card {number} {place}", card=card)
                await there.do(DEALER, "settle", f"settle {number}")

    asyncio.run(evening())
