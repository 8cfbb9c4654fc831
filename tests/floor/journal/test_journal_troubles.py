"""A full disk, a lost connection or a stopped server: a clear refusal and an unchanged table."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest

from punto.floor.database import open_database
from punto.floor.database.base import Duplicate, Transaction, Work
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.running.floor import Floor
from tests.floor.cutting import wire_to
from tests.floor.playing import At, betting_table, running
from tests.floor.servers import PostgresServer, new_database
from tests.waiting import DEADLINE_S, wait_until


def stakes(floor: Floor, table: str = "t1") -> int:
    """Ann's stake on Player."""
    now = floor.table(table).state.round
    assert now is not None
    return sum(placed.stake_minor for placed in now.bets.values())


async def refused_bet(at: At, stake_minor: int, command_id: str, code: FloorCode) -> FloorRefused:
    """A bet that fails because of the database."""
    version = at.floor.table("t1").head
    with pytest.raises(FloorRefused) as refused:
        await at.bet("ann", stake_minor, command_id)
    assert refused.value.code is code, refused.value.message
    assert at.floor.table("t1").head == version
    return refused.value


# ---- a full disk


def test_a_full_sqlite_file(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await betting_table(floor)
            await at.bet("ann", 1_00, "first")
            pages = await floor.database.write(lambda tx: tx.rows("PRAGMA page_count")[0][0])
            await floor.database.write(lambda tx: tx.rows(f"PRAGMA max_page_count = {pages}"))
            accepted, full = 0, None
            while full is None:
                assert accepted < 1_000, "the file is never full"
                before = stakes(floor)
                try:
                    await at.bet("ann", 1, f"bet {accepted}")
                    accepted += 1
                except FloorRefused as refused:
                    full = refused
            assert full.code is FloorCode.DISK_FULL
            assert "Nothing was written" in full.message
            assert stakes(floor) == before
            await floor.database.write(lambda tx: tx.rows("PRAGMA max_page_count = 1000000"))
            await at.bet("ann", 1, f"bet {accepted}")  # the same command that was refused
            assert stakes(floor) == before + 1 == 1_00 + accepted + 1
        async with running(str(tmp_path / "floor.db")) as floor:
            assert stakes(floor) == 1_00 + accepted + 1

    asyncio.run(evening())


FILLING = """
import asyncio, resource, sys
from pathlib import Path
from punto.floor.errors import FloorRefused
from tests.floor.playing import betting_table, running

async def evening(path):
    async with running(path) as floor:
        at = await betting_table(floor)
        size = max(Path(f"{path}{end}").stat().st_size for end in ("", "-wal"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, resource.RLIM_INFINITY))
        accepted = 0
        while True:
            try:
                await at.bet("ann", 1, f"bet {accepted}")
            except FloorRefused as refused:
                code = refused.code
                break
            accepted += 1
        print(accepted, code, floor.table("t1").state.round.bets["ann", 1, "player"].stake_minor, flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await at.bet("ann", 1, f"bet {accepted}")
        print(floor.table("t1").state.round.bets["ann", 1, "player"].stake_minor, flush=True)

asyncio.run(evening(sys.argv[1]))
"""


def test_a_disk_that_takes_no_more_bytes(tmp_path: Path) -> None:
    path = str(tmp_path / "floor.db")
    done = subprocess.run([sys.executable, "-c", FILLING, path], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    (accepted, code, stake), (later,) = (line.split() for line in done.stdout.splitlines())
    assert code in (FloorCode.DATABASE_LOST, FloorCode.DISK_FULL)
    assert (int(accepted), int(later)) == (int(stake), int(stake) + 1)


def test_a_full_postgres_disk(postgres_url: str) -> None:
    """The server raises its own code for it, in the middle of the transaction."""

    async def evening() -> None:
        async with running(postgres_url) as floor:
            at = await betting_table(floor)
            await at.bet("ann", 100_00, "first")
            with psycopg.connect(postgres_url, autocommit=True) as connection:
                connection.execute(
                    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
                    " $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
                )
                connection.execute(
                    "CREATE TRIGGER full_disk BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION full_disk()"
                )
                refused = await refused_bet(at, 1_00, "second", FloorCode.DISK_FULL)
                assert "could not extend file" in refused.message
                assert stakes(floor) == 100_00
                connection.execute("DROP TRIGGER full_disk ON entries")
            await at.bet("ann", 1_00, "second")
            assert stakes(floor) == 101_00

    asyncio.run(evening())


# ---- a lost connection


def _terminate(url: str) -> int:
    """End every other connection to the database; return how many."""
    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    return len(rows)


def test_connections_that_died_meanwhile_are_made_anew(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url) as floor:
            at = await betting_table(floor)
            for number in range(1, 4):
                assert _terminate(postgres_url) >= 2
                answer = await at.bet("ann", 1_00, f"bet {number}")
                assert answer.refusal is None
                assert stakes(floor) == number * 1_00
                assert await at.bet("ann", 1_00, f"bet {number}") == answer  # a read

    asyncio.run(evening())


def test_a_connection_that_dies_in_the_middle_of_work(postgres_url: str) -> None:
    database = open_database(postgres_url)
    killed: list[bool] = []

    def work(transaction: Transaction) -> None:
        transaction.change("INSERT INTO meta (name, value) VALUES ('tried', 'x')")
        if len(killed) < 2:
            killed.append(True)
            transaction.rows("SELECT pg_terminate_backend(pg_backend_pid())")

    database.writing(work).result()
    assert database.reading(lambda tx: tx.rows("SELECT count(*) FROM meta WHERE name = 'tried'")).result() == [(1,)]
    assert len(killed) == 2
    database.close()


def _ending_itself(url: str, transaction: Transaction) -> None:
    """End the connection of this job before its own process notices."""
    ((pid,),) = transaction.rows("SELECT pg_backend_pid()")
    alive = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        wait_until(lambda: connection.execute(alive, (pid,)).fetchone() == (0,), "the end of the connection")


def test_a_connection_that_dies_before_it_can_be_rolled_back(postgres_url: str) -> None:
    """Nothing was committed, so it starts again, and then its own error is reported."""
    database = open_database(postgres_url)
    tries: list[int] = []

    def in_the_way(transaction: Transaction) -> None:
        tries.append(1)
        transaction.change("INSERT INTO meta (name, value) VALUES ('tried', 'x')")
        if len(tries) < 3:
            _ending_itself(postgres_url, transaction)
        raise Duplicate("somebody was quicker")

    with pytest.raises(Duplicate, match="somebody was quicker"):
        database.writing(in_the_way).result()
    assert len(tries) == 3
    assert database.reading(lambda tx: tx.rows("SELECT count(*) FROM meta WHERE name = 'tried'")).result() == [(0,)]
    database.writing(lambda tx: tx.change("INSERT INTO meta (name, value) VALUES ('tried', 'x')")).result()
    database.close()


def test_a_server_that_dies_before_it_can_be_rolled_back(own_postgres: PostgresServer) -> None:
    database = open_database(new_database(own_postgres.url))

    def in_the_way(transaction: Transaction) -> None:
        transaction.change("INSERT INTO meta (name, value) VALUES ('tried', 'x')")
        own_postgres.kill()
        raise Duplicate("somebody was quicker")

    try:
        with pytest.raises(FloorRefused) as refused:
            database.writing(in_the_way).result()
    finally:
        own_postgres.start()
    assert refused.value.code is FloorCode.DATABASE_LOST
    assert database.reading(lambda tx: tx.rows("SELECT count(*) FROM meta WHERE name = 'tried'")).result() == [(0,)]
    database.writing(lambda tx: tx.change("INSERT INTO meta (name, value) VALUES ('tried', 'x')")).result()
    database.close()


def test_a_server_that_is_gone_and_comes_back(own_postgres: PostgresServer) -> None:
    url = new_database(own_postgres.url)

    async def evening() -> None:
        async with running(url) as floor:
            at = await betting_table(floor)
            await at.bet("ann", 100_00, "first")
            own_postgres.kill()
            try:
                for _ in range(2):
                    refused = await refused_bet(at, 1_00, "second", FloorCode.DATABASE_LOST)
                    assert "Send the command again with the same id." in refused.message
                    assert stakes(floor) == 100_00
            finally:
                own_postgres.start()
            answer = await at.bet("ann", 1_00, "second")
            assert answer.refusal is None
            assert stakes(floor) == 101_00

    asyncio.run(evening())


def test_processes_that_stand_in_each_others_way(postgres_url: str) -> None:
    """A deadlock: the server rolls one back, which starts again.

    That one waits for the other. If it were faster than the one that the server let continue, there would be another
    deadlock.
    """
    one, two = open_database(postgres_url), open_database(postgres_url)
    both = threading.Barrier(2)
    over = {"a": threading.Event(), "b": threading.Event()}
    tries: list[str] = []

    def work(first: str, second: str) -> Work[None]:
        def touching(transaction: Transaction) -> None:
            tries.append(first)
            if tries.count(first) > 1:
                assert over[second].wait(DEADLINE_S)
            transaction.change("UPDATE meta SET value = value || '.' WHERE name = ?", (first,))
            if tries.count(first) == 1:
                both.wait(DEADLINE_S)
            transaction.change("UPDATE meta SET value = value || '.' WHERE name = ?", (second,))

        return touching

    rows = [("a", ""), ("b", "")]
    one.writing(lambda tx: tx.many("INSERT INTO meta (name, value) VALUES (?, ?)", rows)).result()
    waiting = {"a": one.writing(work("a", "b")), "b": two.writing(work("b", "a"))}
    waiting["a"].add_done_callback(lambda _: over["a"].set())
    waiting["b"].add_done_callback(lambda _: over["b"].set())
    for future in waiting.values():
        future.result(DEADLINE_S)
    assert sorted(tries) in (["a", "a", "b"], ["a", "b", "b"])
    assert one.reading(lambda tx: tx.rows("SELECT value FROM meta WHERE name <> 'schema'")).result() == [("..",)] * 2
    one.close()
    two.close()


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_commit_whose_answer_is_lost(postgres_url: str, where: str) -> None:
    """Only the journal knows whether it was committed. A retry with the same id gets the answer."""

    async def evening() -> None:
        with wire_to(postgres_url) as wire:
            async with running(wire.url) as floor:
                at = await betting_table(floor)
                for number in range(1, 4):
                    wire.cut = where
                    await refused_bet(at, 1_00, f"bet {number}", FloorCode.DATABASE_LOST)
                    assert wire.cuts == number
                    if number == 2:  # another process does not decide by the state of this one
                        other = await at.bet("ben", 5, f"other {number}", box=2)
                        assert other.refusal is None
                    answer = await at.bet("ann", 1_00, f"bet {number}")
                    assert answer.refusal is None
                    assert await at.bet("ann", 1_00, f"bet {number}") == answer
                assert stakes(floor) == 3_00 + 5
            async with running(postgres_url) as floor:
                assert stakes(floor) == 3_00 + 5

    asyncio.run(evening())


def test_a_lost_answer_for_many_at_once(postgres_url: str) -> None:
    async def evening() -> None:
        with wire_to(postgres_url) as wire:
            async with running(wire.url) as floor:
                tables = [await betting_table(floor, f"t{number}") for number in range(8)]
                wire.cut = "after"
                first = await asyncio.gather(
                    *(at.bet("ann", 1_00, f"{at.name} bet") for at in tables), return_exceptions=True
                )
                assert any(isinstance(answer, FloorRefused) for answer in first)
                again = await asyncio.gather(*(at.bet("ann", 1_00, f"{at.name} bet") for at in tables))
                assert all(answer.refusal is None for answer in again)
                assert [stakes(floor, at.name) for at in tables] == [1_00] * 8

    asyncio.run(evening())
