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
from punto.floor.database.base import READERS, Database, Duplicate, Row, StreamEnd, Transaction, Work, note_appended
from punto.floor.database.postgres_listener import Listener
from punto.floor.database.schema import POSTGRES_TYPES, Opening
from punto.floor.database.signatures import Appended
from punto.floor.errors import FloorCode, FloorRefused, in_use, unfit_value

T = TypeVar("T")
CHANNEL = "punto_entries"
FLOOR = "punto floor"
"""Name of the advisory lock that all running floors share."""
CONNECT_TIMEOUT_S = 5
SET_DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
"""Turns `synchronous_commit` on if the server's default is off: a commit must be on the disk."""
SET_KEEPALIVES = (
    "SELECT set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""The server notices within seconds that a machine is gone and releases its claims."""
PLAN_BY_VALUES = "SELECT set_config('plan_cache_mode', 'force_custom_plan', false)"
"""A plan for any value takes the usual path through the marks of rounds, which is wrong for a mark that few have."""

_Connection = psycopg.Connection[Row]


class _Transaction:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self.appended: dict[int, Appended] = {}
        self._messages: list[str] = []

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(_with_psycopg_marks(sql), values).fetchall()

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        try:
            return self._connection.execute(_with_psycopg_marks(sql), values).rowcount
        except errors.UniqueViolation as error:
            raise Duplicate(str(error)) from error

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(_with_psycopg_marks(sql), list(rows))
        except errors.UniqueViolation as error:
            raise Duplicate(str(error)) from error

    def follow(self, stream: int, before: StreamEnd, columns: Sequence[str], rows: Sequence[Row]) -> bool:
        """One round trip to the server for all entries."""
        values = [rows[-1][0], rows[-1][-1], stream, *before]
        for row in rows:
            values.extend(row)
        kinds = tuple("bigint" if type(value) is int else "text" for value in rows[0])
        if not self.change(_follow_statement(tuple(columns), kinds, len(rows)), values):
            return False
        note_appended(self.appended, stream, rows)
        return True

    def tell(self, name: str) -> None:
        self._messages.append(name)

    def tell_all(self) -> None:
        """Send all messages at once, before the commit. The server delivers them after it."""
        if self._messages:
            notify = "SELECT count(pg_notify(%s, message)) FROM unnest(%s::text[]) AS message"
            self._connection.execute(notify, (CHANNEL, self._messages))


@lru_cache
def _follow_statement(columns: tuple[str, ...], kinds: tuple[str, ...], rows: int) -> str:
    """Move the end of a stream if it has not changed, and only then append this many rows."""
    row = f"({', '.join(f'?::{kind}' for kind in kinds)})"
    return (
        "WITH moved AS (UPDATE streams SET version = ?, hash = ? WHERE id = ? AND version = ? AND hash = ?"  # noqa: S608
        f" RETURNING id) INSERT INTO entries (stream, {', '.join(columns)})"
        f" SELECT moved.id, row.* FROM moved, (VALUES {', '.join([row] * rows)}) AS row"
    )


@lru_cache
def _with_psycopg_marks(sql: str) -> Any:
    """Replace the ``?`` marks by ``%s``. No statement has either of them inside a literal."""
    return sql.replace("?", "%s").encode()


class PostgresDatabase(Database):
    """A PostgreSQL server. Several processes may write to it."""

    shared = True
    clock_sql = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

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
            first = [_lock_schema, _lock_out_floors] if exclusive else [_lock_schema]
            self._transact([*first, partial(opening, types=POSTGRES_TYPES)], [])
        except BaseException:
            self._disconnect()
            raise
        super().__init__()

    def _connect(self, first: str = "") -> _Connection:
        connection = psycopg.connect(
            self.url, connect_timeout=CONNECT_TIMEOUT_S, application_name="punto", autocommit=True
        )
        if first:
            connection.execute(_with_psycopg_marks(first))
        return connection

    # ---- the writer

    def _begin(self) -> Transaction:
        self._committing = False
        if self._writer is None:
            self._writer = self._connect(SET_DURABLE)
            self._writer.autocommit = False
        self._transaction = _Transaction(self._writer)  # psycopg starts it with the first statement
        return self._transaction

    def _commit(self) -> None:
        self._transaction.tell_all()
        self._committing = True
        if self._writer is not None:
            self._writer.commit()

    def _undo(self, error: Exception) -> bool:
        """Retry after a deadlock, and after a connection that died before the commit."""
        connection, self._writer = self._writer, None
        if connection is None:
            return False  # no connection could be made
        if connection.closed or connection.broken:
            connection.close()
            return not self._committing and isinstance(error, psycopg.Error)
        try:
            connection.rollback()
        except psycopg.Error:  # the connection died now, and the open transaction with it
            connection.close()
            return not self._committing
        self._writer = connection
        return isinstance(error, errors.DeadlockDetected | errors.SerializationFailure)

    # ---- the readers

    def _look(self, work: Work[T], reader: int = 0) -> T:
        had = self._readers[reader] is not None
        try:
            return self._look_once(work, reader)
        except psycopg.OperationalError:
            if not had:
                raise
            return self._look_once(work, reader)  # the connection was dead: reading twice is safe

    def _look_once(self, work: Work[T], reader: int) -> T:
        connection = self._readers[reader]
        if connection is None:
            connection = self._readers[reader] = self._connect(PLAN_BY_VALUES)
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
            with suppress(psycopg.Error):  # the server needs a moment to notice a closed connection
                self._claims.execute("SELECT pg_advisory_unlock_all()")
        for connection in (*self._readers, self._writer, self._claims):
            if connection is not None:
                connection.close()

    # ---- claims

    def enter(self) -> bool:
        """Several floors may share a database, but not with a process that migrates it."""
        self._entered = True
        self.claim(())
        return self._entered

    def claim(self, names: Sequence[str]) -> set[str]:
        """Claims are advisory locks of one connection, so they end with the process."""
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
            self._claims = self._connect(SET_KEEPALIVES)
            if self._entered:
                row = self._claims.execute("SELECT pg_try_advisory_lock_shared(%s)", (_key(FLOOR),)).fetchone()
                self._entered = row is not None and row[0]
        wanted = [name for name in names if name not in self._claimed]
        keys = {_key(name): name for name in wanted}
        # run even if there is nothing to claim: it checks that the connection, which holds the locks, is alive
        rows = self._claims.execute(
            "SELECT key FROM unnest(%s::bigint[]) AS key WHERE pg_try_advisory_lock(key)", (list(keys),)
        )
        self._claimed.update(keys[row[0]] for row in rows)
        return self._claimed.intersection(names)

    # ---- messages of other processes

    def listen(self, on_message: Callable[[str], None]) -> None:
        self._listener = Listener(self._connect, CHANNEL, on_message)

    def differences(self) -> list[str]:
        from punto.floor.database.expected_schema import postgres_differences  # noqa: PLC0415 - only this needs SQLite

        return self.reading(lambda transaction: sorted(postgres_differences(transaction))).result()

    def copy_to(self, path: str) -> None:
        """Write an SQLite file, from one snapshot."""
        from punto.floor.database.copying import write_file  # noqa: PLC0415 - only this needs SQLite

        self.reading(lambda transaction: write_file(transaction, Path(path))).result()

    def refusal(self, error: Exception) -> Exception:
        words = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if isinstance(error, errors.DiskFull):
            return FloorRefused(FloorCode.DISK_FULL, variant="postgres", reason=words)
        if isinstance(error, errors.InvalidCatalogName | errors.InvalidAuthorizationSpecification):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="postgres_not_opened", reason=words)
        if isinstance(error, psycopg.ProgrammingError) and not isinstance(error, errors.SyntaxError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="postgres_unfit", reason=words)
        if isinstance(error, psycopg.DataError | OverflowError | UnicodeEncodeError):
            return unfit_value(words)
        if isinstance(error, psycopg.Error) and not isinstance(error, psycopg.IntegrityError):
            return self._unanswered(phrase("phrase.postgres_lost", reason=words))
        return error


def _address(url: str) -> str:
    """Check the URL. The refusal does not repeat it, because it may contain a password."""
    try:
        conninfo_to_dict(url)
    except psycopg.Error as error:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="postgres_address") from error
    return url


def _lock_schema(transaction: Transaction) -> None:
    """Processes that open an empty database at the same time do so one after the other."""
    transaction.rows("SELECT pg_advisory_xact_lock(?)", (_key("punto schema"),))


def _lock_out_floors(transaction: Transaction) -> None:
    """Refuse if a floor runs on the database, and keep others from starting during the transaction."""
    if not transaction.rows("SELECT pg_try_advisory_xact_lock(?)", (_key(FLOOR),))[0][0]:
        raise in_use()


def _key(name: str) -> int:
    """The key of an advisory lock."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)
