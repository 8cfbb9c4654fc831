"""The database under a floor: an SQLite file or a PostgreSQL server, behind one small door.

Everything written goes through one thread that takes what has gathered meanwhile into one transaction, so that many
writers share one wait for the disk. What a writer is told, is on the disk.
"""

from collections.abc import Mapping
from functools import partial

from punto.floor.database.door import Database, Transaction, Work
from punto.floor.database.schema import Opening, migrate, prepare
from punto.floor.troubles import FloorCode, FloorRefused


def open_database(url: str, *, create: bool = True) -> Database:
    """The database of a URL: ``postgresql://...``, or the path of an SQLite file."""
    return _opened(url, partial(prepare, create=create), create=create)


def read_database(url: str) -> Database:
    """The same, of a floor that there is, to look at: an SQLite file is not written to."""
    return _opened(url, partial(prepare, create=False), create=False, read_only=True)


def migrate_database(url: str) -> tuple[int, int]:
    """Bring an older database up to the schema of this release, while no floor runs on it; from which to which."""
    versions = (0, 0)

    def opening(transaction: Transaction, types: Mapping[str, str]) -> None:
        nonlocal versions
        versions = migrate(transaction, types)

    _opened(url, opening, create=False, exclusive=True).close()
    return versions


def fill_database(url: str, filling: Opening) -> None:
    """Have a database filled, in one transaction."""
    _opened(url, filling, create=True).close()


def _opened(url: str, opening: Opening, *, create: bool, exclusive: bool = False, read_only: bool = False) -> Database:
    try:
        if url.startswith(("postgresql://", "postgres://")):
            from punto.floor.database.postgres import PostgresDatabase  # noqa: PLC0415 - an extra

            return PostgresDatabase(url, opening, exclusive=exclusive)
        from punto.floor.database.read_only import ReadOnlySqlite  # noqa: PLC0415 - an extra
        from punto.floor.database.sqlite import SqliteDatabase  # noqa: PLC0415 - an extra

        kind = ReadOnlySqlite if read_only else SqliteDatabase
        return kind(url.removeprefix("sqlite://"), opening, create=create, exclusive=exclusive)
    except ModuleNotFoundError as error:
        extra = {"psycopg": "postgres", "apsw": "serve"}.get(error.name or "")
        if extra is None:
            raise
        message = f"this needs {error.name}: install it with `pip install 'punto[{extra}]'`"
        raise FloorRefused(FloorCode.EXTRA_MISSING, message) from error


__all__ = [
    "Database",
    "Transaction",
    "Work",
    "fill_database",
    "migrate_database",
    "open_database",
    "read_database",
]
