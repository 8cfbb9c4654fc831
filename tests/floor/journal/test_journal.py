"""The journal on every database: entries stay, in order, once and chained."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest

from punto.floor.database import open_database
from punto.floor.database.base import Database, Row, Transaction, Work
from punto.floor.errors import CommandIdTaken, FloorCode, FloorRefused, VersionConflict
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.command_ids import find_accepted
from punto.floor.journal.entry import NO_PREVIOUS_HASH, CommandRecord, Entry, digest, follow
from punto.floor.journal.house_events import HOUSE, FloorStarted
from punto.floor.journal.streams import Head, Snapshot
from tests.floor.playing import DEALER, At, betting_table, manual_table, running
from tests.waiting import DEADLINE_S


def said(command_id: str, command: str = '{"command":"sit.1"}') -> CommandRecord:
    """A command record for these tests."""
    return CommandRecord(1_700_000_000_000_000, "ann", "player", command_id, "law", command)


def entries_after(head: Head, command_id: str, *events: str) -> list[Entry]:
    """The entries for these events."""
    return follow(head.stream, head.version, head.hash, said(command_id), events)


def appending(head: Head, command_id: str) -> Work[Head]:
    """The database job that appends an entry."""
    return lambda transaction: streams.append(transaction, head, entries_after(head, command_id, "e"))


def all_of(database: Database, stream: Head) -> list[Entry]:
    """Every stored entry, whatever the head says."""
    return database.reading(lambda transaction: streams.read(transaction, stream, 0)).result()


class Journal:
    """Tests that hold on every database; the subclasses choose it."""

    @pytest.fixture
    def url(self) -> str:
        """An empty database."""
        raise NotImplementedError

    @pytest.fixture
    def database(self, url: str) -> Iterator[Database]:
        database = open_database(url)
        yield database
        database.close()

    def _begun(self, database: Database, stream: str = "t1/1") -> Head:
        return database.writing(lambda tx: streams.create(tx, stream)).result()

    def _appended(self, database: Database, head: Head, command_id: str, *events: str) -> Head:
        entries = entries_after(head, command_id, *events)
        return database.writing(lambda tx: streams.append(tx, head, entries)).result()

    # ---- appending and reading

    @pytest.mark.parametrize("piece", [1, 2, 5, 6, 100])
    def test_the_way_back_is_the_way_there_reversed(
        self, database: Database, monkeypatch: pytest.MonkeyPatch, piece: int
    ) -> None:
        monkeypatch.setattr(streams, "ENTRIES_A_STEP_BACK", piece)
        head = self._appended(database, self._begun(database), "c1", *"abcde")
        entries = all_of(database, head)
        for before in (None, *range(1, 9)):
            back = database.reading(lambda tx, at=before: list(streams.read_back(tx, head, at))).result()  # type: ignore[misc]
            assert back == [entry for entry in reversed(entries) if before is None or entry.version < before]

    def test_what_is_appended_is_read_in_order(self, database: Database) -> None:
        head = self._begun(database)
        assert (head.version, head.hash) == (0, NO_PREVIOUS_HASH)
        after = self._appended(database, head, "c1", "e1", "e2")
        after = self._appended(database, after, "c2", "e3")
        entries = all_of(database, head)
        assert [(entry.version, entry.event, entry.command_id, entry.part) for entry in entries] == [
            (1, "e1", "c1", 0),
            (2, "e2", "c1", 1),
            (3, "e3", "c2", 0),
        ]
        assert [entry.command is None for entry in entries] == [False, True, False]
        assert (entries[0].actor, entries[0].position, entries[0].law, entries[0].at_us) == (
            *("ann", "player", "law"),
            1_700_000_000_000_000,
        )
        assert database.reading(lambda tx: streams.head(tx, "t1/1")).result() == after
        assert (after.version, after.hash) == (3, entries[-1].hash)

    def test_reading_goes_on_from_any_version(self, database: Database) -> None:
        head = after = self._begun(database)
        for number in range(10):
            after = self._appended(database, after, f"c{number}", f"e{number}")
        for version in range(11):
            found = database.reading(lambda tx, at=version: streams.read(tx, head, at)).result()  # type: ignore[misc]
            assert [entry.version for entry in found] == list(range(version + 1, 11))

    def test_each_entry_is_chained_to_the_one_before(self, database: Database) -> None:
        head = after = self._begun(database)
        for number in range(5):
            after = self._appended(database, after, f"c{number}", "first", "second")
        before = NO_PREVIOUS_HASH
        for entry in all_of(database, head):
            assert entry.hash == digest(before, entry)
            for field in ("stream", "version", "at_us", "actor", "position", "command_id", "part", "law", "event"):
                value = getattr(entry, field)
                other = value + 1 if isinstance(value, int) else f"{value}x"
                assert digest(before, msgspec.structs.replace(entry, **{field: other})) != entry.hash
            before = entry.hash

    def test_streams_do_not_mix(self, database: Database) -> None:
        one, two = self._begun(database, "t1/1"), self._begun(database, "t2/1")
        self._appended(database, one, "c1", "one")
        self._appended(database, two, "c2", "two")
        assert [entry.event for entry in all_of(database, one)] == ["one"]
        assert [entry.event for entry in all_of(database, two)] == ["two"]
        assert list(database.reading(streams.heads).result()) == ["t1/1", "t2/1"]
        assert database.reading(streams.openings).result() == {"t1": 1, "t2": 1}

    # ---- the lock

    def test_a_version_is_taken_once(self, database: Database) -> None:
        head = self._begun(database)
        after = self._appended(database, head, "c1", "e1")
        with pytest.raises(VersionConflict):
            self._appended(database, head, "c2", "late")
        assert [entry.event for entry in all_of(database, head)] == ["e1"]
        assert database.reading(lambda tx: streams.head(tx, "t1/1")).result() == after

    def test_a_head_with_another_hash_is_no_head(self, database: Database) -> None:
        after = self._appended(database, self._begun(database), "c1", "e1")
        with pytest.raises(VersionConflict):
            self._appended(database, msgspec.structs.replace(after, hash="f" * 64), "c2", "e2")

    def test_a_stream_begins_once(self, database: Database) -> None:
        self._begun(database)
        with pytest.raises(VersionConflict):
            self._begun(database)

    def test_a_command_id_is_taken_once_on_the_whole_floor(self, database: Database) -> None:
        one, two = self._begun(database, "t1/1"), self._begun(database, "t2/1")
        self._appended(database, one, "c1", "e1", "e2")
        with pytest.raises(CommandIdTaken):
            self._appended(database, two, "c1", "e1")
        assert all_of(database, two) == []
        assert database.reading(lambda tx: streams.head(tx, "t2/1")).result() == two
        found = database.reading(lambda tx: find_accepted(tx, "c1")).result()
        assert found is not None
        assert [(entry.stream, entry.version, entry.event) for entry in found.entries] == [
            ("t1/1", 1, "e1"),
            ("t1/1", 2, "e2"),
        ]
        assert database.reading(lambda tx: find_accepted(tx, "c2")).result() is None

    # ---- many at once

    def test_work_in_the_way_harms_nobody_else(self, database: Database) -> None:
        heads = [self._begun(database, f"t{number}/1") for number in range(20)]
        stale = self._begun(database, "old/1")
        self._appended(database, stale, "c", "e")
        gate = threading.Event()
        # while this one waits, the rest queues up and shares one commit
        database.writing(lambda _: gate.wait(DEADLINE_S))
        waiting = []
        for number, head in enumerate(heads):
            waiting.append(database.writing(appending(head, f"a{number}")))
            if number in (3, 11):
                waiting.append(database.writing(appending(stale, f"late{number}")))
        gate.set()
        troubles = [future.exception() for future in waiting]
        assert [type(trouble) for trouble in troubles if trouble] == [VersionConflict, VersionConflict]
        ends = database.reading(streams.heads).result()
        assert [ends[head.stream].version for head in heads] == [1] * 20

    def test_the_house_stream_takes_turns(self, database: Database) -> None:
        events = [FloorStarted(f"release {number}") for number in range(50)]
        waiting = [
            database.writing(lambda tx, at=number: append_house(tx, said(f"house:{at}"), events[at]))  # type: ignore[misc]
            for number in range(50)
        ]
        for future in waiting:
            future.result()
        head = database.reading(lambda tx: streams.head(tx, HOUSE)).result()
        assert head.version == 50
        assert len(all_of(database, head)) == 50

    def test_reads_see_one_moment(self, database: Database) -> None:
        head = self._begun(database)
        self._appended(database, head, "c1", "e1")

        def twice(transaction: Transaction) -> tuple[int, int]:
            first = streams.head(transaction, "t1/1").version
            after = database.writing(lambda tx: streams.head(tx, "t1/1")).result()
            self._appended(database, after, "c2", "e2")
            return first, streams.head(transaction, "t1/1").version

        assert database.reading(twice).result() == (1, 1)
        assert database.reading(lambda tx: streams.head(tx, "t1/1")).result().version == 2

    # ---- snapshots

    def test_the_last_snapshot_is_kept(self, database: Database) -> None:
        head = self._begun(database)
        assert database.reading(lambda tx: streams.snapshot(tx, head)).result() is None
        for taken in (Snapshot(1, "form", b"\x00one", "h1"), Snapshot(2, "form", b"two\xff", "h2")):
            database.writing(lambda tx, one=taken: streams.save_snapshot(tx, head, one)).result()  # type: ignore[misc]
            assert database.reading(lambda tx: streams.snapshot(tx, head)).result() == taken

    # ---- acknowledged writes are on the disk

    def test_another_process_sees_what_was_acknowledged(self, database: Database, url: str) -> None:
        head = self._begun(database)
        self._appended(database, head, "c1", "e1")
        program = (
            "import sys; from punto.floor.journal import streams; from punto.floor.database import open_database;"
            "database = open_database(sys.argv[1], create=False);"
            "print(len(list(streams.read_all(database, database.reading(lambda tx: streams.head(tx, 't1/1')).result()))"
            " ))"
        )
        done = subprocess.run([sys.executable, "-c", program, url], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "1"

    def test_trouble_in_work_undoes_all_of_it(self, database: Database) -> None:
        def work(transaction: Transaction) -> None:
            streams.create(transaction, "t9/1")
            raise LookupError("no such luck")

        with pytest.raises(LookupError, match="no such luck"):
            database.writing(work).result()
        assert database.reading(lambda tx: streams.find(tx, "t9/1")).result() is None

    def test_after_the_end_nothing_hangs(self, url: str) -> None:
        database = open_database(url)
        database.close()
        with pytest.raises(FloorRefused, match="of this floor is closed"):
            database.writing(lambda tx: streams.create(tx, "t1/1"))
        database.close()

    # ---- commands

    def test_an_accepted_command_answers_the_same_for_ever(self, url: str) -> None:
        async def evening() -> None:
            async with running(url) as floor:
                at = await betting_table(floor)
                first = await at.bet("ann", 100_00, "bet 1")
                assert await at.bet("ann", 100_00, "bet 1") == first
                await at.bet("ann", 50_00, "bet 2")
                assert await at.bet("ann", 100_00, "bet 1") == first
            async with running(url) as floor:
                at = At(floor, "t1", "later")
                assert await at.bet("ann", 100_00, "bet 1") == first
                round_now = floor.table("t1").state.round
                assert round_now is not None
                assert [placed.stake_minor for placed in round_now.bets.values()] == [150_00]

        asyncio.run(evening())

    def test_an_id_with_another_body_is_refused(self, url: str) -> None:
        async def evening() -> None:
            async with running(url) as floor:
                at = await betting_table(floor)
                other = await betting_table(floor, "t2")
                await at.bet("ann", 100_00, "bet 1")
                for asking in (at.bet("ann", 101_00, "bet 1"), at.bet("ben", 100_00, "bet 1", box=2)):
                    with pytest.raises(FloorRefused) as refused:
                        await asking
                    assert refused.value.code is FloorCode.COMMAND_ID_TAKEN
                # not even the same command at another table
                with pytest.raises(FloorRefused) as refused:
                    await other.bet("ann", 100_00, "bet 1")
                assert refused.value.code is FloorCode.COMMAND_ID_TAKEN
                assert (await at.bet("ann", 100_00, "bet 1")).refusal is None

        asyncio.run(evening())

    def test_a_refused_command_is_judged_afresh(self, url: str) -> None:
        async def evening() -> None:
            async with running(url) as floor:
                at = await manual_table(floor)
                refused = await at.bet("ann", 100_00, "bet 1")
                assert refused.refusal is not None
                await at.do(DEALER, "open_betting")
                accepted = await at.bet("ann", 100_00, "bet 1")
                assert accepted.refusal is None
                assert accepted.entries

        asyncio.run(evening())

    @pytest.mark.parametrize("command_id", ["", "x" * 101, "a\nb", "house:1", "auto:t1/1:3", "recovery:t1/1:3"])
    def test_ids_that_nobody_may_give(self, url: str, command_id: str) -> None:
        async def evening() -> None:
            async with running(url) as floor:
                await manual_table(floor)
                with pytest.raises(FloorRefused) as refused:
                    await floor.submit(DEALER, "t1", command_id, {"command": "open_betting.1"})
                assert refused.value.code is FloorCode.BAD_COMMAND_ID

        asyncio.run(evening())


class TestSqliteJournal(Journal):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        """A file that does not exist yet."""
        return str(tmp_path / "floor.db")

    def test_every_commit_waits_for_the_disk(self, database: Database) -> None:
        assert database.writing(lambda tx: tx.rows("PRAGMA synchronous")).result() == [(2,)]  # FULL
        assert database.writing(lambda tx: tx.rows("PRAGMA journal_mode")).result() == [("wal",)]

    def test_the_file_is_nobody_elses_to_read(self, database: Database, url: str) -> None:
        self._begun(database)
        for path in (Path(url), Path(f"{url}-wal"), Path(f"{url}-shm")):
            assert path.stat().st_mode & 0o777 == 0o600, path


class TestPostgresJournal(Journal):
    @pytest.fixture
    def url(self, postgres_url: str) -> str:
        """A new database on the server."""
        return postgres_url

    def test_every_commit_waits_for_the_disk(self, url: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            name = connection.info.dbname
            connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off'.encode())
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
        database = open_database(url)
        assert database.writing(lambda tx: tx.rows("SHOW synchronous_commit")).result() == [("on",)]
        database.close()

    def test_what_is_read_often_is_planned_for_its_values(self, database: Database) -> None:
        def read(transaction: Transaction) -> list[Row]:
            for version in range(20):
                transaction.rows("SELECT hash FROM streams WHERE version = ?", (version,))
            return transaction.rows("SELECT generic_plans, custom_plans > 9 FROM pg_prepared_statements")

        assert database.reading(read).result() == [(0, True)]
