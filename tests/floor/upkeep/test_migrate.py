"""The schema of a database: a newer one is refused, an older one migrated, anything else left unchanged."""

import subprocess
import sys
from pathlib import Path

import apsw
import psycopg
import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.floor.clock import SystemClock
from punto.floor.database import open_database, schema
from punto.floor.database.base import Duplicate
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, command_record
from punto.floor.journal.stream_name import StreamName
from punto.floor.shoes.scan_store import Scan, StoredScan, find_scan, store_scan
from punto.floor.upkeep.migration import migrate
from punto.rules.coup.cards import Card
from punto.rules.refusals import Code
from tests.waiting import DEADLINE_S

LATER = """
-- what a later release might do
ALTER TABLE tables ADD COLUMN colour TEXT NOT NULL DEFAULT 'green';
UPDATE tables SET colour = 'blue' WHERE name = 't1'
"""


def _refused(url: str, *, create: bool = True) -> FloorRefused:
    with pytest.raises(FloorRefused) as refused:
        open_database(url, create=create).close()
    return refused.value


def _run(url: str, *sql: str) -> None:
    """Run it directly on the database."""
    if url.startswith("postgresql"):
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in sql:
                connection.execute(statement.encode())
    else:
        file = apsw.Connection(url)
        for statement in sql:
            file.execute(statement)
        file.close()


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> int:
    """As if this release had the next schema."""
    now = schema.VERSION
    monkeypatch.setattr(schema, "VERSION", now + 1)
    monkeypatch.setitem(schema.MIGRATIONS, now, LATER)
    return now + 1


def _older(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database as the previous release would create it."""
    with monkeypatch.context() as patched:
        patched.setattr(schema, "VERSION", schema.VERSION - 1)
        database = open_database(url)
        row = [("t1", "{}")]
        database.writing(lambda tx: tx.many("INSERT INTO tables (name, setup) VALUES (?, ?)", row)).result()
        database.writing(lambda tx: streams.create(tx, "t1/1")).result()
        database.close()


def test_an_older_database_is_migrated(database_url: str, later: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _older(database_url, monkeypatch)
    refused = _refused(database_url)
    assert (refused.code, "punto migrate" in refused.message) == (FloorCode.DATABASE_OLDER, True)
    assert migrate(database_url) == (later - 1, later)
    database = open_database(database_url, create=False)
    assert database.reading(lambda tx: tx.rows("SELECT name, colour FROM tables")).result() == [("t1", "blue")]
    assert list(database.reading(streams.heads).result()) == ["t1/1"]
    database.close()
    assert migrate(database_url) == (later, later)


def test_a_migration_happens_whole_or_not_at_all(
    database_url: str, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _older(database_url, monkeypatch)
    monkeypatch.setitem(schema.MIGRATIONS, later - 1, f"{LATER}; DROP TABLE no_such_table")
    with pytest.raises(FloorRefused) as refused:
        migrate(database_url)
    assert refused.value.code is FloorCode.BAD_DATABASE
    assert _refused(database_url).code is FloorCode.DATABASE_OLDER
    monkeypatch.setitem(schema.MIGRATIONS, later - 1, LATER)
    assert migrate(database_url) == (later - 1, later)


def test_several_steps_one_after_the_other(database_url: str, later: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _older(database_url, monkeypatch)
    monkeypatch.setattr(schema, "VERSION", later + 1)
    monkeypatch.setitem(schema.MIGRATIONS, later, "UPDATE tables SET colour = 'red'")
    assert migrate(database_url) == (later - 1, later + 1)
    database = open_database(database_url)
    assert database.reading(lambda tx: tx.rows("SELECT colour FROM tables")).result() == [("red",)]
    database.close()


def test_a_schema_that_is_forgotten(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_database(database_url).close()
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(FloorRefused) as refused:
        migrate(database_url)
    assert refused.value.code is FloorCode.DATABASE_OLDER


def test_a_newer_database_is_refused(database_url: str) -> None:
    open_database(database_url).close()
    _run(database_url, "UPDATE meta SET value = '9999' WHERE name = 'schema'")
    refused = _refused(database_url)
    assert refused.code is FloorCode.DATABASE_NEWER
    assert "Use a newer version." in refused.message
    with pytest.raises(FloorRefused) as migrating:
        migrate(database_url)
    assert migrating.value.code is FloorCode.DATABASE_NEWER


def test_the_first_schema_gets_a_place_for_what_scanners_read(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(schema, "VERSION", 1)
        open_database(database_url).close()
    assert _refused(database_url).code is FloorCode.DATABASE_OLDER
    assert migrate(database_url)[0] == 1
    database = open_database(database_url, create=False)
    record = command_record(THE_HOUSE, SystemClock())
    stream, scan = StreamName("t1", 1), Scan("t1 1", 1, Card.ACE_SPADES)
    database.writing(lambda tx: store_scan(tx, stream, scan, record, 7)).result()
    assert database.reading(lambda tx: find_scan(tx, stream, "t1 1", 1)).result() == StoredScan(Card.ACE_SPADES, 7)
    with pytest.raises(Duplicate):
        database.writing(lambda tx: store_scan(tx, stream, scan, record)).result()
    database.close()


# ---- not a database


def test_somebody_elses_database_is_left_alone(database_url: str) -> None:
    _run(database_url, "CREATE TABLE recipes (name TEXT)")
    for create in (True, False):
        assert _refused(database_url, create=create).code is FloorCode.NOT_A_FLOOR
    _run(database_url, "CREATE TABLE meta (a TEXT)", "CREATE TABLE streams (a TEXT)", "CREATE TABLE entries (a TEXT)")
    assert _refused(database_url).code is FloorCode.BAD_DATABASE


def test_a_floor_that_does_not_say_its_schema(database_url: str) -> None:
    open_database(database_url).close()
    _run(database_url, "UPDATE meta SET value = 'new'")
    assert _refused(database_url).code is FloorCode.NOT_A_FLOOR
    _run(database_url, "DELETE FROM meta")
    assert _refused(database_url).code is FloorCode.NOT_A_FLOOR


def test_an_empty_database_holds_no_floor(database_url: str) -> None:
    assert _refused(database_url, create=False).code is FloorCode.NOT_A_FLOOR
    with pytest.raises(FloorRefused) as refused:
        migrate(database_url)
    assert refused.value.code is FloorCode.NOT_A_FLOOR


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    path.write_bytes(b"the quick brown fox jumps over the lazy dog\n" * 100)
    assert _refused(str(path)).code is FloorCode.BAD_DATABASE
    assert path.read_bytes().startswith(b"the quick brown fox")


@pytest.mark.parametrize("name", ["", "no/such/directory/floor.db"])
def test_a_place_where_no_file_can_be(tmp_path: Path, name: str) -> None:
    refused = _refused(str(tmp_path / name))
    assert refused.code is FloorCode.BAD_DATABASE
    assert str(tmp_path) in refused.message


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://nobody@127.0.0.1:1/none", FloorCode.DATABASE_LOST),
        ("postgresql://?host=/no/such/directory", FloorCode.DATABASE_LOST),
        ("postgresql://a b c d/?%%", FloorCode.BAD_DATABASE),
    ],
)
def test_a_server_that_is_none(url: str, code: FloorCode) -> None:
    assert _refused(url).code is code


def test_a_database_that_a_server_does_not_have(postgres_url: str) -> None:
    assert _refused(postgres_url.replace("/punto_", "/not_there_")).code in (
        FloorCode.BAD_DATABASE,
        FloorCode.DATABASE_LOST,
    )


@pytest.mark.parametrize(("missing", "extra"), [("apsw", "serve"), ("psycopg", "postgres")])
def test_what_is_not_installed_says_how_to_install_it(
    missing: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sqlite", "postgres"):
        monkeypatch.delitem(sys.modules, f"punto.floor.database.{name}", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    refused = _refused(str(tmp_path / "floor.db") if missing == "apsw" else "postgresql://localhost/none")
    assert refused.code is Code.EXTRA_MISSING
    assert f"punto[{extra}]" in refused.message


# ---- two at once


OPENING = """
import sys, time
from punto.floor.database import open_database
from punto.floor.upkeep.migration import migrate
print("ready", flush=True)
sys.stdin.readline()
open_database(sys.argv[1]).close()
"""


def test_processes_that_open_an_empty_database_at_once(database_url: str) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPENING, database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert not process.returncode, errors
    database = open_database(database_url, create=False)
    assert database.reading(lambda tx: tx.rows("SELECT count(*) FROM meta")).result() == [(1,)]
    database.close()


# ---- manually


def test_punto_migrate(database_url: str, later: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _older(database_url, monkeypatch)
    run = CliRunner()
    done = run.invoke(main, ["migrate", "--db", database_url])
    assert (done.exit_code, done.output) == (0, f"Migrated from schema {later - 1} to {later}.\n")
    done = run.invoke(main, ["migrate", "--db", database_url])
    assert (done.exit_code, done.output) == (0, f"Already up to date: schema {later}.\n")
    done = run.invoke(main, ["migrate", "--db", database_url, "--json"])
    assert done.exit_code == 0
    assert f'"was": {later}' in done.output


def test_punto_migrate_waits_for_the_floor_to_end(database_url: str) -> None:
    database = open_database(database_url)
    assert database.enter()
    done = CliRunner().invoke(main, ["migrate", "--db", database_url])
    assert done.exit_code == 2
    assert "Another server already uses this database" in done.stderr
    database.close()
    assert CliRunner().invoke(main, ["migrate", "--db", database_url]).exit_code == 0


def test_punto_migrate_refuses_in_the_one_shape(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["migrate", "--db", str(tmp_path / "none.db"), "--json"])
    assert done.exit_code == 2
    assert '"code": "not_a_floor"' in done.output
