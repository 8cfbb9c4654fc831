"""A PostgreSQL server, through psycopg 3."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from punto.catalogue.sentence import phrase
from punto.floor.database.base import READERS, Database, Duplicate, Row, StreamEnd, Transaction, Work
from punto.floor.database.postgres_listener import Listener
from punto.floor.database.schema import POSTGRES_TYPES, Opening
from punto.floor.errors import FloorCode, FloorRefused, in_use

T = TypeVar("T")
CHANNEL = "punto_entries"
FLOOR = "punto floor"
"""The lock that every floor that runs shares."""
CONNECT_S = 5
DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
"""Nothing is acknowledged before it is on the disk, whatever a server's default."""
ALIVE = (
    "SELECT set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""The server notices within seconds that a machine is gone, and with it its claims."""

_Connection = psycopg.Connection[Row]


class _Transaction:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._told: list[str] = []

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(_marked(sql), values).fetchall()

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        try:
            return self._connection.execute(_marked(sql), values).rowcount
        except errors.UniqueViolation as error:
            raise Duplicate(str(error)) from error

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(_marked(sql), list(rows))
        except errors.UniqueViolation as error:
            raise Duplicate(str(error)) from error

    def follow(self, stream: int, before: StreamEnd, columns: Sequence[str], rows: Sequence[Row]) -> bool:
        """One way to the server and back for all of it."""
        values = [rows[-1][0], rows[-1][-1], stream, *before]
        for row in rows:
            values.extend(row)
        kinds = tuple("bigint" if type(value) is int else "text" for value in rows[0])
        return self.change(_following(tuple(columns), kinds, len(rows)), values) > 0

    def tell(self, name: str) -> None:
        self._told.append(name)

    def tell_all(self) -> None:
        """All at once, before the commit: the server sends them after it."""
        if self._told:
            notify = "SELECT count(pg_notify(%s, told)) FROM unnest(%s::text[]) AS told"
            self._connection.execute(notify, (CHANNEL, self._told))


@lru_cache
def _following(columns: tuple[str, ...], kinds: tuple[str, ...], rows: int) -> str:
    """Move the end of a stream, if it is still there, and only then append this many rows."""
    row = f"({', '.join(f'?::{kind}' for kind in kinds)})"
    return (
        "WITH moved AS (UPDATE streams SET version = ?, hash = ? WHERE id = ? AND version = ? AND hash = ?"  # noqa: S608
        f" RETURNING id) INSERT INTO entries (stream, {', '.join(columns)})"
        f" SELECT moved.id, row.* FROM moved, (VALUES {', '.join([row] * rows)}) AS row"
    )


@lru_cache
def _marked(sql: str) -> Any:
    """Values are marked with ``?`` everywhere but here; no statement of ours has either in a text."""
    return sql.replace("?", "%s").encode()


class PostgresDatabase(Database):
    """A server that several processes write to."""

    shared = True

    def __init__(self, url: str, opening: Opening, *, exclusive: bool = False) -> None:
        self.url = _address(url)
        self._writer: _Connection | None = None
        self._committing = False
        self._readers: list[_Connection | None] = [None] * READERS
        self._claims: _Connection | None = None
        self._claimed: set[str] = set()
        self._claiming = threading.Lock()
        self._entered = False
        self._listener: Listener | None = None
        try:
            first = [_alone, _without_floors] if exclusive else [_alone]
            self._transact([*first, partial(opening, types=POSTGRES_TYPES)], [])
        except BaseException:
            self._disconnect()
            raise
        super().__init__()

    def _connect(self, first: str = "") -> _Connection:
        connection = psycopg.connect(self.url, connect_timeout=CONNECT_S, application_name="punto", autocommit=True)
        if first:
            connection.execute(_marked(first))
        return connection

    # ---- the writer

    def _begin(self) -> Transaction:
        self._committing = False
        if self._writer is None:
            self._writer = self._connect(DURABLE)
            self._writer.autocommit = False
        self._transaction = _Transaction(self._writer)  # psycopg begins with the first statement
        return self._transaction

    def _commit(self) -> None:
        self._transaction.tell_all()
        self._committing = True
        if self._writer is not None:
            self._writer.commit()

    def _undo(self, trouble: Exception) -> bool:
        """Begin again after a deadlock; and after a connection that died before anything was to be committed."""
        connection, self._writer = self._writer, None
        if connection is None:
            return False  # there is none to be had
        if connection.closed or connection.broken:
            connection.close()
            return not self._committing and isinstance(trouble, psycopg.Error)
        try:
            connection.rollback()
        except psycopg.Error:  # it has died only now, and with it all that was not committed
            connection.close()
            return not self._committing
        self._writer = connection
        return isinstance(trouble, errors.DeadlockDetected | errors.SerializationFailure)

    # ---- the readers

    def _look(self, work: Work[T], reader: int = 0) -> T:
        had = self._readers[reader] is not None
        try:
            return self._look_once(work, reader)
        except psycopg.OperationalError:
            if not had:
                raise
            return self._look_once(work, reader)  # the connection was dead: reading twice does no harm

    def _look_once(self, work: Work[T], reader: int) -> T:
        connection = self._readers[reader]
        if connection is None:
            connection = self._readers[reader] = self._connect()
            connection.autocommit = False
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
        try:
            answer = work(_Transaction(connection))
            connection.rollback()
        except BaseException:
            connection.close()
            self._readers[reader] = None
            raise
        return answer

    def _disconnect(self) -> None:
        if self._listener is not None:
            self._listener.close()
        if self._claims is not None:
            with suppress(psycopg.Error):  # at once: the server takes a moment to notice that a connection is closed
                self._claims.execute("SELECT pg_advisory_unlock_all()")
        for connection in (*self._readers, self._writer, self._claims):
            if connection is not None:
                connection.close()

    # ---- who runs what

    def enter(self) -> bool:
        """Floors share a database, but not with a process that is changing its schema."""
        self._entered = True
        self.claim(())
        return self._entered

    def claim(self, names: Sequence[str]) -> set[str]:
        """By advisory locks of one connection: when the process is gone, so are they."""
        with self._claiming:
            try:
                return self._claim(names)
            except psycopg.Error as error:
                if self._claims is not None:
                    self._claims.close()
                self._claims = None
                raise self.refusal(error) from error

    def _claim(self, names: Sequence[str]) -> set[str]:
        if self._claims is None or self._claims.closed:
            self._claimed.clear()
            self._claims = self._connect(ALIVE)
            if self._entered:
                row = self._claims.execute("SELECT pg_try_advisory_lock_shared(%s)", (_key(FLOOR),)).fetchone()
                self._entered = row is not None and row[0]
        wanted = [name for name in names if name not in self._claimed]
        keys = {_key(name): name for name in wanted}
        # one question whatever there is to claim: it also finds out whether the connection, and all it holds, is alive
        found = self._claims.execute(
            "SELECT key FROM unnest(%s::bigint[]) AS key WHERE pg_try_advisory_lock(key)", (list(keys),)
        )
        self._claimed.update(keys[row[0]] for row in found)
        return self._claimed.intersection(names)

    # ---- what others say

    def listen(self, heard: Callable[[str], None]) -> None:
        """On a connection of its own; after a lost one everything may have changed."""
        self._listener = Listener(self._connect, CHANNEL, heard)

    def copy_to(self, path: str) -> None:
        """As an SQLite file, from one snapshot."""
        from punto.floor.database.copying import write_file  # noqa: PLC0415 - only this needs SQLite

        self.reading(lambda transaction: write_file(transaction, Path(path))).result()

    def refusal(self, trouble: Exception) -> Exception:
        """A full disk, a database that is not ours, a server that does not answer."""
        words = str(trouble).strip().splitlines()[0] if str(trouble).strip() else type(trouble).__name__
        if isinstance(trouble, errors.DiskFull):
            return FloorRefused(FloorCode.DISK_FULL, variant="postgres", reason=words)
        if isinstance(trouble, errors.InvalidCatalogName | errors.InvalidAuthorizationSpecification):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="postgres_not_opened", reason=words)
        if isinstance(trouble, psycopg.ProgrammingError) and not isinstance(trouble, errors.SyntaxError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="postgres_unfit", reason=words)
        if isinstance(trouble, psycopg.Error):
            return self._unanswered(phrase("phrase.postgres_lost", reason=words))
        return trouble


def _address(url: str) -> str:
    """The URL, if it is one; what is wrong with it is not repeated, for a password may stand in it."""
    try:
        conninfo_to_dict(url)
    except psycopg.Error as error:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="postgres_address") from error
    return url


def _alone(transaction: Transaction) -> None:
    """Two processes that open an empty database at once do so one after the other."""
    transaction.rows("SELECT pg_advisory_xact_lock(?)", (_key("punto schema"),))


def _without_floors(transaction: Transaction) -> None:
    """No floor runs on the database, nor starts before the end of the transaction."""
    if not transaction.rows("SELECT pg_try_advisory_xact_lock(?)", (_key(FLOOR),))[0][0]:
        raise in_use()


def _key(name: str) -> int:
    """The number of an advisory lock."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)
