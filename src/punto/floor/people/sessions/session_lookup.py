"""Looks up sessions. Every command needs one, so lookups at the same time share one query."""

import asyncio
from functools import lru_cache, partial

from punto.floor.database.base import Database, Row, Transaction, Work
from punto.floor.errors import FloorRefused
from punto.floor.house.projections.sessions import SessionKind

MAX_SESSIONS_A_QUERY = 256

_Request = tuple[str, "asyncio.Future[Row | None]"]


class SessionLookup:
    """Lookups that arrive while a query runs share the next query."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[asyncio.AbstractEventLoop, list[_Request]] = {}
        """Requests for the next query, for each event loop with a query running."""

    def find(self, key: str) -> "asyncio.Future[Row | None]":
        """A row with the columns of ``_sql``; None if there is no such session."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Row | None] = loop.create_future()
        waiting = self._waiting.get(loop)
        if waiting is None:
            waiting = self._waiting[loop] = []
            loop.call_soon(self._query, loop)
        waiting.append((key, future))
        return future

    def _query(self, loop: asyncio.AbstractEventLoop) -> None:
        waiting = self._waiting[loop]
        if not waiting:
            del self._waiting[loop]
            return
        requests, self._waiting[loop] = waiting[:MAX_SESSIONS_A_QUERY], waiting[MAX_SESSIONS_A_QUERY:]
        try:
            reading = self._database.read(_select([key for key, _ in requests]))
        except FloorRefused as refused:  # the database is closed
            _answer(requests, {}, refused)
            self._query(loop)
        else:
            reading.add_done_callback(partial(self._read, loop, requests))

    def _read(
        self, loop: asyncio.AbstractEventLoop, requests: list[_Request], reading: "asyncio.Future[dict[str, Row]]"
    ) -> None:
        error = reading.exception()
        _answer(requests, {} if error else reading.result(), error)
        self._query(loop)


def _answer(requests: list[_Request], rows: dict[str, Row], error: BaseException | None) -> None:
    for key, future in requests:
        if future.done():  # cancelled
            continue
        if error is None:
            future.set_result(rows.get(key))
        else:
            future.set_exception(error)


def _select(keys: list[str]) -> Work[dict[str, Row]]:
    size = 1 << (len(keys) - 1).bit_length()  # a power of two, so the database can reuse its query plans
    padded = keys + keys[-1:] * (size - len(keys))

    def work(transaction: Transaction) -> dict[str, Row]:
        return {row[0]: row for row in transaction.rows(_sql(size), padded)}

    return work


@lru_cache
def _sql(keys: int) -> str:
    return (
        "SELECT s.token, s.name, s.kind, s.expires_us, s.work, s.at_table, a.kind, a.position, a.to_change,"  # noqa: S608 - our own marks
        " s.seen_us, length(t.secret), s.terminal"
        # a visitor may have the name of an account
        f" FROM sessions AS s LEFT JOIN accounts AS a ON a.folded = s.folded AND s.kind <> '{SessionKind.VISITOR}'"
        " LEFT JOIN totp AS t ON t.folded = a.folded"
        f" WHERE s.token IN ({', '.join('?' * keys)})"
    )
