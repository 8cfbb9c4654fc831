"""An SQLite file, through apsw, which brings its own SQLite."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import apsw

from punto.catalogue.sentence import phrase
from punto.floor.database.base import READERS, Database, Duplicate, Row, StreamEnd, Transaction, Work
from punto.floor.database.schema import SQLITE_TYPES, Opening
from punto.floor.errors import FloorCode, FloorRefused, in_use

T = TypeVar("T")
BUSY_MS = 5_000

_MOVE = "UPDATE streams SET version = ?, hash = ? WHERE id = ? AND version = ? AND hash = ?"


class SqliteTransaction:
    """A connection as a piece of work sees it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """What a question finds."""
        return list(self._connection.execute(sql, tuple(values)))

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """Change rows: how many."""
        try:
            self._connection.execute(sql, tuple(values))
        except apsw.ConstraintError as error:
            raise Duplicate(str(error)) from error
        return self._connection.changes()

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """The same statement for each of some rows."""
        try:
            self._connection.executemany(sql, rows)
        except apsw.ConstraintError as error:
            raise Duplicate(str(error)) from error

    def follow(self, stream: int, before: StreamEnd, columns: Sequence[str], rows: Sequence[Row]) -> bool:
        """The end first: it is the lock."""
        if not self.change(_MOVE, (rows[-1][0], rows[-1][-1], stream, *before)):
            return False
        self.many(_appending(tuple(columns)), [(stream, *row) for row in rows])
        return True

    def tell(self, name: str) -> None:
        """Nobody else listens to a file."""


@lru_cache
def _appending(columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * (1 + len(columns)))
    return f"INSERT INTO entries (stream, {', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - our own names


class SqliteDatabase(Database):
    """One file; one process runs its tables."""

    shared = False

    def __init__(self, path: str, opening: Opening, *, create: bool, exclusive: bool = False) -> None:
        self.path = _real(path)
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
        self._make_private()
        self._writer = self._connect()
        self._refuse_half_a_page()
        self._transact([partial(opening, types=SQLITE_TYPES)], [])
        self._write_ahead()  # not before it is known that the file is ours
        self._readers = [self._connect() for _ in range(READERS)]

    def _make_private(self) -> None:
        """Only the owner may read the file: it holds the order of sealed shoes."""
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))

    def _refuse_half_a_page(self) -> None:
        """SQLite takes what is missing of the last page for zeros."""
        page = next(iter(self._writer.execute("PRAGMA page_size")))[0]
        if self.path.stat().st_size % page:
            raise FloorRefused(FloorCode.BAD_DATABASE, variant="cut_off", path=self.path)

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        self._connections.append(connection)
        connection.set_busy_timeout(BUSY_MS)
        for pragma in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _write_ahead(self) -> None:
        deadline_s = time.monotonic() + BUSY_MS / 1_000
        while True:
            try:
                self._writer.execute("PRAGMA journal_mode = WAL")
            except apsw.BusyError:  # the change to WAL does not wait by itself for another that is making it
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

    def _undo(self, trouble: Exception) -> bool:  # noqa: ARG002 - a file never asks to begin again
        if self._writer.in_transaction:  # a full disk may have rolled back by itself
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
        """A file belongs to one floor at a time: the lock lies on a file beside it and dies with the process."""
        if self._entered is not None:
            return True
        try:
            connection = apsw.Connection(f"{self.path}-floor")
            try:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("BEGIN EXCLUSIVE")
            except BaseException:
                connection.close()
                raise
        except apsw.BusyError:
            return False
        except apsw.Error as error:
            raise self.refusal(error) from error
        self._entered = connection
        return True

    def claim(self, names: Sequence[str]) -> set[str]:
        """Whoever has the file has all of its tables."""
        return set(names) if self.enter() else set()

    def listen(self, heard: Callable[[str], None]) -> None:
        """Nobody else writes to the file."""

    def copy_to(self, path: str) -> None:
        """SQLite's own online backup."""
        target = apsw.Connection(path)
        source = self._connect()
        try:
            with target.backup("main", source, "main") as backup:
                backup.step(-1)  # in one go: between steps a writer would make it begin again, perhaps for ever
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            source.close()
            target.close()

    def refusal(self, trouble: Exception) -> Exception:
        """A full disk, a file that is none, one that does not answer."""
        if isinstance(trouble, apsw.FullError):
            return FloorRefused(FloorCode.DISK_FULL, variant="file", path=self.path)
        if isinstance(trouble, apsw.SQLError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="unfit", path=self.path, reason=str(trouble))
        if isinstance(trouble, apsw.NotADBError | apsw.CorruptError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="damaged", path=self.path, reason=str(trouble))
        if isinstance(trouble, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError | OSError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="not_opened", path=self.path, reason=str(trouble))
        if isinstance(trouble, apsw.Error):
            return self._unanswered(phrase("phrase.sqlite_lost", path=self.path, reason=str(trouble)))
        return trouble


def _real(path: str) -> Path:
    """The file itself, whatever links lead to it: the lock that keeps a second floor away lies beside it."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError) as error:  # links that lead in a circle
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="no_file", path=path, reason=str(error)) from error
