"""The floor's database: an SQLite file or a PostgreSQL server, behind one interface.

One thread does all writes. It commits everything that is waiting in one transaction, and all writers share one wait
for the disk. A write is acknowledged only when it is on the disk.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from punto.floor.database.base import Database, Transaction, Work
from punto.floor.database.schema import Filling, Opening, known_version, migrate, prepare
from punto.floor.errors import FloorCode, FloorRefused
from punto.rules.refusals import needing

T = TypeVar("T")


def open_database(url: str, *, create: bool = True) -> Database:
    """Open a database: ``postgresql://...`` or the path of an SQLite file."""
    return _opened(url, partial(prepare, create=create), create=create)


def read_database(url: str, *, older: bool = False) -> Database:
    """Open an existing floor's database. An SQLite file is opened read-only.

    ``older`` accepts the schema of an earlier release, of which only a copy can be made.
    """
    opening: Opening = known_version if older else partial(prepare, create=False)
    return _opened(url, opening, create=False, read_only=True)


def migrate_database(url: str, fillings: Mapping[int, Filling]) -> tuple[int, int]:
    """Migrate an older database to the schema of this release; return the old and the new version.

    Refused while a floor runs on it. :func:`punto.floor.upkeep.migration.migrate` supplies the fillings.
    """
    versions = (0, 0)

    def opening(transaction: Transaction, types: Mapping[str, str]) -> None:
        nonlocal versions
        versions = migrate(transaction, types, fillings)

    _opened(url, opening, create=False, exclusive=True).close()
    return versions


def change_alone(url: str, work: Work[T]) -> T:
    """Do work in one transaction on an existing floor's database; refused while a floor runs on it."""
    results: list[T] = []

    def opening(transaction: Transaction, types: Mapping[str, str]) -> None:
        prepare(transaction, types, create=False)
        results.append(work(transaction))

    _opened(url, opening, create=False, exclusive=True).close()
    return results[-1]


def fill_database(url: str, filling: Opening) -> None:
    """Fill a new database in one transaction."""
    _opened(url, filling, create=True).close()


def _opened(url: str, opening: Opening, *, create: bool, exclusive: bool = False, read_only: bool = False) -> Database:
    _require_address(url)
    if url.startswith(("postgresql://", "postgres://")):
        with needing("postgres", FloorRefused):
            from punto.floor.database.postgres import PostgresDatabase  # noqa: PLC0415 - an extra
        return PostgresDatabase(url, opening, exclusive=exclusive)
    with needing("serve", FloorRefused):
        from punto.floor.database.sqlite import SqliteDatabase  # noqa: PLC0415 - an extra
        from punto.floor.database.sqlite_read_only import ReadOnlySqlite  # noqa: PLC0415 - an extra
    kind = ReadOnlySqlite if read_only else SqliteDatabase
    return kind(file_of(url), opening, create=create, exclusive=exclusive)


def file_of(url: str) -> str:
    """The path of the SQLite file that a URL names."""
    return url.removeprefix("sqlite://")


def _require_address(url: str) -> None:
    """Refuse URLs that SQLite would take for an odd file name or an in-memory database."""
    path = file_of(url)
    foreign = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://|file:", path)
    if not path.strip() or "\0" in path:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="unnamed")
    if path.startswith(":memory:"):
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="in_memory")
    if foreign and foreign[1] not in ("postgresql", "postgres"):
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="scheme", scheme=foreign[0].rstrip(":/"))


__all__ = [
    "Database",
    "Transaction",
    "Work",
    "change_alone",
    "file_of",
    "fill_database",
    "migrate_database",
    "open_database",
    "read_database",
]
