"""How the schema of a floor's database differs from the one that this release creates.

A planted trigger or a dropped index changes what a floor writes, and no hash shows it.
"""

from collections.abc import Iterator, Mapping

import apsw

from punto.floor.database.base import Transaction
from punto.floor.database.postgres_parts import column, foreign_key, index, postgres_parts
from punto.floor.database.schema import SQLITE_TYPES, VERSION, create_tables
from punto.floor.database.sqlite import SqliteTransaction

_IDENTITY = "IDENTITY"
_POSTGRES_NAMES = {**SQLITE_TYPES, "key": f"{_IDENTITY} PRIMARY KEY", "bytes": "BYTEA", "int": "BIGINT"}
"""SQLite takes any name for a type, so the schema for PostgreSQL can be read from a database in memory."""


def sqlite_differences(transaction: Transaction) -> Iterator[str]:
    """Compare the definitions of tables, indexes, triggers and views, and the file with itself."""
    with _memory(SQLITE_TYPES) as connection:
        expected = _definitions(SqliteTransaction(connection))
    actual = _definitions(transaction)
    for kind, name in expected.keys() - actual.keys():
        yield f"the {kind} `{name}` is missing"
    for kind, name in actual.keys() - expected.keys():
        yield f"there is a {kind} `{name}` that this release does not create"
    for kind, name in expected.keys() & actual.keys():
        if expected[kind, name] != actual[kind, name]:
            yield f"the {kind} `{name}` is not defined as this release defines it"
    for (words,) in transaction.rows("PRAGMA integrity_check(1)"):
        if words != "ok":
            yield f"the file contradicts itself: {words}"


def _memory(types: Mapping[str, str]) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    create_tables(SqliteTransaction(connection), types, VERSION)
    return connection


def _definitions(transaction: Transaction) -> dict[tuple[str, str], str]:
    """Kind and name to the statement, without line breaks. SQLite's own tables have names of their own."""
    sql = "SELECT type, name, sql FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_'"
    return {(str(kind), str(name)): _plain(str(text)) for kind, name, text in transaction.rows(sql)}


def _plain(sql: str) -> str:
    return " ".join(sql.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split())


# ---- PostgreSQL


def postgres_differences(transaction: Transaction) -> Iterator[str]:
    """Compare tables, columns, indexes and foreign keys; find triggers, rules and what else changes their rows."""
    with _memory(_POSTGRES_NAMES) as connection:
        expected = set(_expected_parts(SqliteTransaction(connection)))
    actual = set(postgres_parts(transaction))
    for part in expected - actual:
        yield f"{part} is missing"
    for part in actual - expected:
        yield f"there is {part}, which this release does not create"


def _expected_parts(transaction: Transaction) -> Iterator[str]:
    for (table,) in transaction.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
        yield f"the table {table}"
        key = []
        columns = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY pk'
        for name, kind, required, default, in_key in transaction.rows(columns, (table,)):
            words = "bigint" if kind == _IDENTITY else kind.lower()
            line = column(table, name, words, required=bool(required or in_key), default=default)
            yield f"{line} identity" if kind == _IDENTITY else line
            key += [name] if in_key else []
        yield index(table, key, unique=True)
        yield from _expected_indexes(transaction, table)
        foreign_keys = 'SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)'
        for name, other, target in transaction.rows(foreign_keys, (table,)):
            yield foreign_key(table, name, other, target)


def _expected_indexes(transaction: Transaction, table: str) -> Iterator[str]:
    """All but those of primary keys."""
    indexes = (
        'SELECT i.name, i."unique", m.sql FROM pragma_index_list(?) AS i'
        " LEFT JOIN sqlite_master AS m ON m.name = i.name WHERE i.origin <> 'pk'"
    )
    for name, unique, sql in transaction.rows(indexes, (table,)):
        columns = transaction.rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", (name,))
        where = (sql or "").partition(" WHERE ")[2]
        yield index(table, [each for (each,) in columns], unique=bool(unique), where=where)
