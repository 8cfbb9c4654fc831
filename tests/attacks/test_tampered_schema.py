"""Somebody with the disk changes what the tables are: no row is changed, and no hash shows it."""

import apsw
import pytest

from punto.floor.audit.faults import FaultCode
from tests.attacks.tampered import found, set_up
from tests.attacks.test_tampering import ROWS
from tests.floor.audit.forging import tamper
from tests.floor.servers import drop_database, new_database

pytestmark = pytest.mark.slow

SCHEMA = "UPDATE sqlite_master SET sql = replace(sql, {old}, {new}) WHERE name = {name}"

SQLITE_SCHEMA: dict[str, tuple[str, ...]] = {
    "a trigger": ("CREATE TRIGGER eve AFTER INSERT ON sessions BEGIN UPDATE sessions SET expires_us = 1; END",),
    "a unique index is gone": ("DROP INDEX accepted",),
    "an index that is no longer unique": (
        "DROP INDEX accepted",
        "CREATE INDEX accepted ON entries (command_id) WHERE part = 0",
    ),
    "a unique index for less": (
        "DROP INDEX accepted",
        "CREATE UNIQUE INDEX accepted ON entries (command_id) WHERE part = 1",
    ),
    "an index is gone": ("DROP INDEX seals_of",),
    "one index more": ("CREATE UNIQUE INDEX eve ON sessions (name)",),
    "one column more": ("ALTER TABLE accounts ADD COLUMN eve TEXT",),
    "a view": ("CREATE VIEW eve AS SELECT * FROM accounts",),
    "one table more": ("CREATE TABLE eve (name TEXT)",),
    "a table is gone": ("DROP TABLE scan_reads",),
    "a table that is a view": (
        "ALTER TABLE scan_reads RENAME TO eve",
        "CREATE VIEW scan_reads AS SELECT * FROM eve WHERE 0",
    ),
    "a row that replaces another": (
        "PRAGMA writable_schema = ON",
        SCHEMA.format(
            old="'UNIQUE (stream, version)'", new="'UNIQUE (stream, version) ON CONFLICT REPLACE'", name="'entries'"
        ),
    ),
    "a default": (
        "PRAGMA writable_schema = ON",
        SCHEMA.format(old="'DEFAULT 0'", new="'DEFAULT 1'", name="'sessions'"),
    ),
}


@pytest.mark.parametrize("change", SQLITE_SCHEMA)
def test_a_changed_schema_is_found(whole_url: str, change: str) -> None:
    tamper(whole_url, *((statement, ()) for statement in SQLITE_SCHEMA[change]))
    assert found(whole_url)[0] is FaultCode.SCHEMA_DIFFERS


def test_an_index_that_forgot_a_command_is_found(whole_url: str) -> None:
    """Its definition is as it should be: the floor would accept the command again."""
    less, whole = "WHERE part = 99", "WHERE part = 0"
    for before, after in ((whole, less), (less, whole)):
        file = apsw.Connection(whole_url)
        file.execute("PRAGMA writable_schema = ON")
        sql = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'accepted'"
        file.execute(sql, (before, after))
        file.close()
        if after == less:
            tamper(whole_url, ("REINDEX accepted", ()))
    assert found(whole_url)[0] is FaultCode.SCHEMA_DIFFERS


# ---- PostgreSQL

POSTGRES: dict[str, tuple[FaultCode, tuple[str, ...]]] = {
    "a trigger": (
        FaultCode.SCHEMA_DIFFERS,
        (
            "CREATE FUNCTION eve() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "CREATE TRIGGER eve BEFORE INSERT ON scan_reads FOR EACH ROW EXECUTE FUNCTION eve()",
        ),
    ),
    "a rule": (FaultCode.SCHEMA_DIFFERS, ("CREATE RULE eve AS ON INSERT TO scan_reads DO INSTEAD NOTHING",)),
    "a unique index is gone": (FaultCode.SCHEMA_DIFFERS, ("DROP INDEX accepted",)),
    "a unique index for less": (
        FaultCode.SCHEMA_DIFFERS,
        ("DROP INDEX accepted", "CREATE UNIQUE INDEX accepted ON entries (command_id) WHERE part = 1"),
    ),
    "a unique constraint is gone": (
        FaultCode.SCHEMA_DIFFERS,
        ("ALTER TABLE entries DROP CONSTRAINT entries_stream_version_key",),
    ),
    "a primary key is gone": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions DROP CONSTRAINT sessions_pkey",)),
    "a foreign key is gone": (
        FaultCode.SCHEMA_DIFFERS,
        ("ALTER TABLE entries DROP CONSTRAINT entries_stream_fkey",),
    ),
    "a foreign key is off": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE entries DISABLE TRIGGER ALL",)),
    "row security": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ENABLE ROW LEVEL SECURITY",)),
    "one more constraint": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ADD CONSTRAINT eve CHECK (name <> 'x')",)),
    "a default": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ALTER COLUMN stopped SET DEFAULT 1",)),
    "null is allowed": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ALTER COLUMN name DROP NOT NULL",)),
    "one column more": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE accounts ADD COLUMN eve TEXT",)),
    "a table without a log": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE scan_reads SET UNLOGGED",)),
    "a table that inherits": (FaultCode.SCHEMA_DIFFERS, ("CREATE TABLE eve () INHERITS (scan_reads)",)),
    "a table that is a view": (
        FaultCode.SCHEMA_DIFFERS,
        ("ALTER TABLE scan_reads RENAME TO eve", "CREATE VIEW scan_reads AS SELECT * FROM eve"),
    ),
    "a table is gone": (FaultCode.SCHEMA_DIFFERS, ("DROP TABLE scan_reads",)),
    **{
        name: ROWS[name]
        for name in (
            "another PIN",
            "a terminal's key",
            "a session nobody opened",
            "a password",
            "a card before it is turned, and its read",
        )
    },
}


def test_changes_on_postgresql_are_found(postgres_server: str) -> None:
    first = new_database(postgres_server)
    try:
        set_up(first)
        assert found(first) == []
        for change, (code, statements) in POSTGRES.items():
            copy = new_database(postgres_server, like=first)
            try:
                tamper(copy, *((statement, ()) for statement in statements))
                assert found(copy)[0] is code, change
            finally:
                drop_database(postgres_server, copy)
    finally:
        drop_database(postgres_server, first)
