"""Who holds which session: read for every command, in one query for all that come at the same moment."""

import asyncio
from functools import lru_cache, partial

from punto.floor.database.base import Database, Row, Transaction, Work
from punto.floor.errors import FloorRefused

MAX_SESSIONS_A_QUERY = 256

_Asked = tuple[str, "asyncio.Future[Row | None]"]


class SessionLookup:
    """Looks sessions up. Those that are asked for while one query runs share the next one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[asyncio.AbstractEventLoop, list[_Asked]] = {}
        """By event loop where a query runs: the keys for the next one."""

    def find(self, key: str) -> "asyncio.Future[Row | None]":
        """Token, name, kind and end of a session, then kind, position and whether to change of its account."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Row | None] = loop.create_future()
        waiting = self._waiting.get(loop)
        if waiting is None:
            waiting = self._waiting[loop] = []
            loop.call_soon(self._ask, loop)
        waiting.append((key, future))
        return future

    def _ask(self, loop: asyncio.AbstractEventLoop) -> None:
        waiting = self._waiting[loop]
        if not waiting:
            del self._waiting[loop]
            return
        asked, self._waiting[loop] = waiting[:MAX_SESSIONS_A_QUERY], waiting[MAX_SESSIONS_A_QUERY:]
        try:
            reading = self._database.read(_question([key for key, _ in asked]))
        except FloorRefused as refused:  # the database is closed
            _tell(asked, {}, refused)
            self._ask(loop)
        else:
            reading.add_done_callback(partial(self._read, loop, asked))

    def _read(
        self, loop: asyncio.AbstractEventLoop, asked: list[_Asked], reading: "asyncio.Future[dict[str, Row]]"
    ) -> None:
        trouble = reading.exception()
        _tell(asked, {} if trouble else reading.result(), trouble)
        self._ask(loop)


def _tell(asked: list[_Asked], found: dict[str, Row], trouble: BaseException | None) -> None:
    for key, future in asked:
        if future.done():  # called off
            continue
        if trouble is None:
            future.set_result(found.get(key))
        else:
            future.set_exception(trouble)


def _question(keys: list[str]) -> Work[dict[str, Row]]:
    room = 1 << (len(keys) - 1).bit_length()  # few lengths, so that the database knows the question
    asked = keys + keys[-1:] * (room - len(keys))

    def work(transaction: Transaction) -> dict[str, Row]:
        return {row[0]: row for row in transaction.rows(_sql(room), asked)}

    return work


@lru_cache
def _sql(keys: int) -> str:
    return (
        "SELECT s.token, s.name, s.kind, s.expires_us, a.kind, a.position, a.to_change"  # noqa: S608 - our own marks
        " FROM sessions AS s LEFT JOIN accounts AS a ON a.folded = s.folded"
        f" WHERE s.token IN ({', '.join('?' * keys)})"
    )
