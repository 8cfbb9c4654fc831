"""The tables a client watches: each event once and in order, and the state after it.

A client that lost its connection watches again with the last cursor it has, and misses nothing.
"""

import asyncio
import logging
from functools import partial
from typing import Any

import msgspec

from punto.floor.errors import FloorRefused
from punto.floor.journal.entry import Entry
from punto.floor.journal.stream_name import StreamName
from punto.rules.refusals import Refused
from punto.web.api.history import read_cursor
from punto.web.http.endpoint import Scope
from punto.web.http.errors import WebCode, problem_of
from punto.web.live.connection import (
    CLOSE_BAD_MESSAGE,
    CLOSE_TOO_MANY,
    Closing,
    Connection,
    SocketClient,
    Sockets,
    call_off,
)
from punto.web.messages import Stopped, Unwatch, Watch
from punto.web.views.table_cache import Showing
from punto.web.views.visibility import sight_of

MAX_WATCHED_TABLES = 50
MAX_EVENTS_A_MESSAGE = 100
"""Small enough that a message gets through over a bad connection too."""

_ASKED: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Watch | Unwatch)
_ENCODER = msgspec.json.Encoder()
_LOG = logging.getLogger("punto.web")


class TableFeeds(Sockets):
    """The sockets at which programs watch tables."""

    def connection(self, scope: Scope, client: SocketClient) -> Connection:  # noqa: ARG002 - all are served alike
        """One of them."""
        return TableFeed(client)


class TableFeed(Connection):
    """A program that watches tables."""

    def __init__(self, client: SocketClient) -> None:
        super().__init__(client)
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Holds the exception of a watch that failed."""

    async def speak(self) -> None:
        """Each watch sends for itself; a failure of one ends them all."""
        await self._ended

    async def gone(self) -> None:
        """Stop watching."""
        await call_off([*self._watching.values(), self._ended])

    async def hear(self, text: str) -> None:
        """Watch or unwatch a table."""
        try:
            asked = _ASKED.decode(text)
        except msgspec.MsgspecError as error:
            raise Closing(CLOSE_BAD_MESSAGE, WebCode.BAD_REQUEST, variant="message", reason=str(error)) from error
        await self._take(asked)

    async def _take(self, asked: Watch | Unwatch) -> None:
        before = self._watching.pop(asked.table, None)
        if before is not None:
            before.cancel()
            await asyncio.gather(before, return_exceptions=True)
        if isinstance(asked, Unwatch):
            return
        if len(self._watching) >= MAX_WATCHED_TABLES:
            raise Closing(CLOSE_TOO_MANY, WebCode.TOO_MANY, variant="tables", most=MAX_WATCHED_TABLES)
        task = self._watching[asked.table] = asyncio.create_task(self._watch(asked))
        task.add_done_callback(partial(self._watched, asked.table))

    def _watched(self, table: str, task: "asyncio.Task[None]") -> None:
        """A watch that failed ends the socket."""
        if self._watching.get(table) is task:
            del self._watching[table]
        if task.cancelled() or (trouble := task.exception()) is None:
            return
        if not self._ended.done():
            self._ended.set_exception(trouble)
        elif not isinstance(trouble, Closing | OSError | FloorRefused):
            _LOG.error("a socket failed", exc_info=trouble)

    # ---- what it is told

    async def _watch(self, asked: Watch) -> None:
        try:
            showing = await self.service.showings.of(asked.table)
            at = _place(asked.after, showing.end) if asked.after is not None else showing.end
        except Refused as trouble:
            await self.tell(_ENCODER.encode(Stopped(table=asked.table[:100], error=problem_of(trouble, self.reader))))
            return
        if at == showing.end:  # nothing has happened since: only the state is sent
            await self._moved(showing, at, [], with_state=asked.state)
        async for entries in showing.live.watch_batches(at[1], at[0]):
            for first in range(0, len(entries), MAX_EVENTS_A_MESSAGE):
                some = entries[first : first + MAX_EVENTS_A_MESSAGE]
                at = StreamName.parse(some[-1].stream).opening, some[-1].version
                await self._moved(showing, at, some, with_state=asked.state)

    async def _moved(self, showing: Showing, at: tuple[int, int], entries: list[Entry], *, with_state: bool) -> None:
        actor = self.actor
        sight = sight_of(actor.position if actor else None)
        message, stated = await showing.message(sight, at, entries, with_state=with_state)
        me = showing.me(actor.name, actor.position) if actor and stated else None
        await self.tell(message + _ENCODER.encode(me) + b"}")


def _place(cursor: str, end: tuple[int, int]) -> tuple[int, int]:
    """The opening and version that a client wants to go on from."""
    place = read_cursor(cursor)
    if place > end:
        raise Refused(WebCode.BAD_REQUEST, variant="cursor_late", cursor=cursor)
    return place
