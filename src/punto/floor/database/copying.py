"""Copies all rows of a floor's database between SQLite and PostgreSQL.

A backup is always an SQLite file, with the schema of the database it was made from.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from punto.floor.database.base import Row, Transaction
from punto.floor.database.schema import POSTGRES_TYPES, create_tables, known_version, mark_backup
from punto.floor.database.sqlite import SqliteDatabase

ROWS_A_BATCH = 2_000
KEYED = ("streams", "entries", "rounds", "scan_reads", "signatures")
"""Tables that may be long. They are read in batches, in the order of their key."""


def write_file(source: Transaction, path: Path) -> None:
    """Copy every row of a PostgreSQL database into a new SQLite file."""
    path.unlink(missing_ok=True)
    version = known_version(source, POSTGRES_TYPES)
    file = SqliteDatabase(str(path), partial(create_tables, version=version), create=True)
    try:
        file.writing(lambda target: target.change("DELETE FROM meta")).result()
        for table, columns in file.reading(tables_of).result():
            insert = _insert(table, columns)
            for rows in _batches(source, table, columns):
                file.writing(lambda target, sql=insert, rows=rows: target.many(sql, rows)).result()  # type: ignore[misc]
        file.writing(mark_backup).result()
    finally:
        file.close()


def copy_rows(source: Transaction, target: Transaction) -> None:
    """Copy every row of an SQLite file to a database whose tables are empty."""
    for table, columns in tables_of(source):
        for rows in _batches(source, table, columns):
            target.many(_insert(table, columns), [row for row in rows if not _is_schema(table, row)])


def _is_schema(table: str, row: Row) -> bool:
    """The schema version is not copied: the target has its own."""
    return table == "meta" and "schema" in row


def advance_key_sequences(target: Transaction, types: Mapping[str, str]) -> None:
    """Make PostgreSQL continue after the copied keys. SQLite does so by itself."""
    if types is not POSTGRES_TYPES:
        return
    for table in KEYED:
        last = target.rows(f"SELECT max(id) FROM {table}")[0][0]  # noqa: S608 - our own names
        if last is not None:
            target.rows("SELECT setval(pg_get_serial_sequence(?, 'id'), ?)", (table, last))


def tables_of(file: Transaction) -> list[tuple[str, list[str]]]:
    """Tables and their columns in an SQLite file, each table after those it references."""
    names = file.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    info = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
    return [(name, [column for (column,) in file.rows(info, (name,))]) for (name,) in names]


def _insert(table: str, columns: Sequence[str]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - names of our schema


def _batches(source: Transaction, table: str, columns: Sequence[str]) -> Iterator[list[Row]]:
    select = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - names of our schema
    if table not in KEYED:
        yield source.rows(select)
        return
    after, at = -1, columns.index("id")
    while rows := source.rows(f"{select} WHERE id > ? ORDER BY id LIMIT {ROWS_A_BATCH}", (after,)):
        yield rows
        after = rows[-1][at]
