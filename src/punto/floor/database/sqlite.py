"""An SQLite file, through apsw, which includes its own SQLite."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import apsw

from punto.catalogue.sentence import phrase
from punto.floor.database.base import READERS, Database, Duplicate, Row, StreamEnd, Transaction, Work, note_appended
from punto.floor.database.schema import SQLITE_TYPES, Opening, mark_backup
from punto.floor.database.signatures import Appended
from punto.floor.errors import FloorCode, FloorRefused, in_use, unfit_value

T = TypeVar("T")
BUSY_TIMEOUT_MS = 5_000
KEY_FILE = "punto.key"

_MOVE = "UPDATE streams SET version = ?, hash = ? WHERE id = ? AND version = ? AND hash = ?"


class SqliteTransaction:
    """A connection as a job sees it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.appended: dict[int, Appended] = {}

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return list(self._connection.execute(sql, tuple(values)))

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        try:
            self._connection.execute(sql, tuple(values))
        except apsw.ConstraintError as error:
            raise Duplicate(str(error)) from error
        return self._connection.changes()

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except apsw.ConstraintError as error:
            raise Duplicate(str(error)) from error

    def follow(self, stream: int, before: StreamEnd, columns: Sequence[str], rows: Sequence[Row]) -> bool:
        """Move the end of the stream first: it is the lock."""
        if not self.change(_MOVE, (rows[-1][0], rows[-1][-1], stream, *before)):
            return False
        self.many(_appending(tuple(columns)), [(stream, *row) for row in rows])
        note_appended(self.appended, stream, rows)
        return True

    def tell(self, name: str) -> None:
        """Do nothing: no other process uses the file."""


@lru_cache
def _appending(columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * (1 + len(columns)))
    return f"INSERT INTO entries (stream, {', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - our own names


class SqliteDatabase(Database):
    """One file. One process at a time runs its tables."""

    shared = False

    def __init__(self, path: str, opening: Opening, *, create: bool, exclusive: bool = False) -> None:
        self.path = _real(path)
        self.key_file = self.path.with_name(KEY_FILE)
        if self.path.is_dir():
            raise FloorRefused(FloorCode.BAD_DATABASE, variant="directory", path=path)
        if not create and not self.path.exists():
            raise FloorRefused(FloorCode.NOT_A_FLOOR, variant="no_file", path=path)
        self._entered: apsw.Connection | None = None
        self._connections: list[apsw.Connection] = []
        try:
            self._open(opening, exclusive=exclusive)
        except (apsw.Error, OSError) as error:
            self._disconnect()
            raise self.refusal(error) from error
        except BaseException:
            self._disconnect()
            raise
        super().__init__()

    def _open(self, opening: Opening, *, exclusive: bool) -> None:
        if exclusive and not self.enter():
            raise in_use()
        _make_private(self.path)
        self._writer = self._connect()
        self._refuse_half_a_page()
        self._transact([partial(opening, types=SQLITE_TYPES)], [])
        self._write_ahead()  # only after `opening` has accepted the file
        self._readers = [self._connect() for _ in range(READERS)]

    def _refuse_half_a_page(self) -> None:
        """SQLite would read the missing part of a last page as zeros."""
        page = next(iter(self._writer.execute("PRAGMA page_size")))[0]
        if self.path.stat().st_size % page:
            raise FloorRefused(FloorCode.BAD_DATABASE, variant="cut_off", path=self.path)

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        self._connections.append(connection)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        # secure_delete overwrites what is deleted: orders that were stored in clear, names of players who were erased
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _write_ahead(self) -> None:
        deadline_s = time.monotonic() + BUSY_TIMEOUT_MS / 1_000
        while True:
            try:
                self._writer.execute("PRAGMA journal_mode = WAL")
            except apsw.BusyError:  # unlike other statements, the change to WAL does not wait for a concurrent one
                if time.monotonic() > deadline_s:
                    raise
                time.sleep(0.01)
            else:
                return

    # ---- the writer

    def _begin(self) -> Transaction:
        self._writer.execute("BEGIN IMMEDIATE")
        return SqliteTransaction(self._writer)

    def _commit(self) -> None:
        self._writer.execute("COMMIT")

    def _undo(self, error: Exception) -> bool:  # noqa: ARG002 - SQLite never asks to retry
        if self._writer.in_transaction:  # SQLite rolls back by itself when the disk is full
            self._writer.execute("ROLLBACK")
        return False

    # ---- the readers

    def _look(self, work: Work[T], reader: int = 0) -> T:
        connection = self._readers[reader]
        connection.execute("BEGIN")
        try:
            return work(SqliteTransaction(connection))
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _disconnect(self) -> None:
        for connection in self._connections:
            connection.close()
        if self._entered is not None:
            self._entered.close()

    # ---- one floor at a time

    def enter(self) -> bool:
        """A file belongs to one floor at a time. The lock is on a second file and ends with the process."""
        if self._entered is not None:
            return True
        try:
            lock = self.path.with_name(f"{self.path.name}-floor")
            _make_private(lock)
            lock.chmod(0o600)  # earlier releases left it for everybody
            connection = apsw.Connection(str(lock))
            try:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("BEGIN EXCLUSIVE")
            except BaseException:
                connection.close()
                raise
        except apsw.BusyError:
            return False
        except (apsw.Error, OSError) as error:
            raise self.refusal(error) from error
        self._entered = connection
        return True

    def claim(self, names: Sequence[str]) -> set[str]:
        """The floor that has the file has all of its tables."""
        return set(names) if self.enter() else set()

    def listen(self, on_message: Callable[[str], None]) -> None:
        """Do nothing: no other process writes to the file."""

    def differences(self) -> list[str]:
        """Compare the file with itself too."""
        from punto.floor.database.expected_schema import sqlite_differences  # noqa: PLC0415 - it imports this module

        return self.reading(lambda transaction: sorted(sqlite_differences(transaction))).result()

    def copy_to(self, path: str) -> None:
        """Use SQLite's online backup."""
        target = apsw.Connection(path)
        source = self._connect()
        try:
            with target.backup("main", source, "main") as backup:
                backup.step(-1)  # in one step: a write between two steps would restart it, possibly for ever
            mark_backup(SqliteTransaction(target))
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            source.close()
            target.close()

    def refusal(self, error: Exception) -> Exception:
        if isinstance(error, apsw.FullError):
            return FloorRefused(FloorCode.DISK_FULL, variant="file", path=self.path)
        if isinstance(error, apsw.SQLError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="unfit", path=self.path, reason=str(error))
        if isinstance(error, apsw.NotADBError | apsw.CorruptError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="damaged", path=self.path, reason=str(error))
        if isinstance(error, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError | OSError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="not_opened", path=self.path, reason=str(error))
        if isinstance(error, apsw.TooBigError | apsw.MismatchError | OverflowError | UnicodeEncodeError):
            return unfit_value(str(error))
        if isinstance(error, apsw.Error) and not isinstance(error, apsw.ConstraintError):
            return self._unanswered(phrase("phrase.sqlite_lost", path=self.path, reason=str(error)))
        return error


def _make_private(path: Path) -> None:
    """Only the owner may read a new file: it contains hashes of passwords and names of players, or is their lock."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _real(path: str) -> Path:
    """Resolve links: the lock file must be beside the real file."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError) as error:  # a circle of links
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="no_file", path=path, reason=str(error)) from error
