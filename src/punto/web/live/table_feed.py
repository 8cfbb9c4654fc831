"""Sends the events of tables to a client that watches them: each event once, in order, with the state after it.

After losing the connection, a client watches again with its last cursor and misses nothing.
"""

import asyncio
import logging
from functools import partial
from typing import Any

import msgspec

from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import person_key
from punto.floor.journal.entry import Entry
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.looks import LookKind
from punto.rules.refusals import Code, Refused
from punto.web.api.history import read_cursor
from punto.web.http.body import MAX_DEPTH, too_deep
from punto.web.http.endpoint import Scope
from punto.web.http.errors import WebCode, problem_of
from punto.web.live.connection import (
    CLOSE_BAD_MESSAGE,
    CLOSE_TOO_MANY,
    Closing,
    Connection,
    SocketClient,
    Sockets,
    cancel_all,
    is_staff,
)
from punto.web.messages import Stopped, Unwatch, Watch
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import record_sight

MAX_WATCHED_TABLES = 50
MAX_EVENTS_PER_MESSAGE = 100
"""Small enough for slow connections."""

_REQUEST: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Watch | Unwatch)
_ENCODER = msgspec.json.Encoder()
_LOG = logging.getLogger("punto.web")


class TableFeeds(Sockets):
    def connection(self, scope: Scope, client: SocketClient) -> Connection:  # noqa: ARG002 - all are served alike
        return TableFeed(client)


class TableFeed(Connection):
    """One client that watches tables."""

    def __init__(self, client: SocketClient) -> None:
        super().__init__(client)
        staff = client.actor if is_staff(client.actor) else None
        self._replay_key = person_key(staff) if staff else client.address
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Gets the exception of a watch that failed."""

    async def send_updates(self) -> None:
        """Wait while the watches send. If one fails, the connection ends."""
        await self._ended

    async def on_disconnect(self) -> None:
        await cancel_all([*self._watching.values(), self._ended])

    async def on_message(self, text: str) -> None:
        """Watch or unwatch a table."""
        if too_deep(text.encode()):
            raise Closing(CLOSE_BAD_MESSAGE, Code.MALFORMED_JSON, variant="deep", most=MAX_DEPTH)
        try:
            request = _REQUEST.decode(text)
        except msgspec.MsgspecError as error:
            raise Closing(CLOSE_BAD_MESSAGE, WebCode.BAD_REQUEST, variant="message", reason=str(error)) from error
        await self._take(request)

    async def _take(self, request: Watch | Unwatch) -> None:
        earlier = self._watching.pop(request.table, None)
        if earlier is not None:
            earlier.cancel()
            await asyncio.gather(earlier, return_exceptions=True)
        if isinstance(request, Unwatch):
            return
        if len(self._watching) >= MAX_WATCHED_TABLES:
            raise Closing(CLOSE_TOO_MANY, WebCode.TOO_MANY, variant="tables", most=MAX_WATCHED_TABLES)
        task = self._watching[request.table] = asyncio.create_task(self._watch(request))
        task.add_done_callback(partial(self._on_watch_done, request.table))

    def _on_watch_done(self, table: str, task: "asyncio.Task[None]") -> None:
        """If the watch has failed, end the connection."""
        if self._watching.get(table) is task:
            del self._watching[table]
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not self._ended.done():
            self._ended.set_exception(error)
        elif not isinstance(error, Closing | OSError | FloorRefused):
            _LOG.error("WebSocket failed", exc_info=error)

    async def _watch(self, request: Watch) -> None:
        try:
            cache = await self.service.table_caches.of(request.table)
            at = _place(request.after, cache.end) if request.after is not None else cache.end
        except Refused as refused:
            await self.send(_ENCODER.encode(Stopped(table=request.table[:100], error=problem_of(refused, self.reader))))
            return
        with self.service.floor.watched_by(cache.live, self.actor):
            await self._send_from(cache, at, with_state=request.state)

    async def _send_from(self, cache: TableCache, at: tuple[int, int], *, with_state: bool) -> None:
        end = cache.end
        if at == end:  # no new events: send only the state
            await self._send_moved(cache, at, [], with_state=with_state, replayed=True)
        async for entries in cache.live.watch_batches(at[1], at[0]):
            for first in range(0, len(entries), MAX_EVENTS_PER_MESSAGE):
                batch = entries[first : first + MAX_EVENTS_PER_MESSAGE]
                at = StreamName.parse(batch[-1].stream).opening, batch[-1].version
                await self._send_moved(cache, at, batch, with_state=with_state, replayed=at <= end)

    async def _send_moved(
        self, cache: TableCache, at: tuple[int, int], entries: list[Entry], *, with_state: bool, replayed: bool
    ) -> None:
        """Send what has happened up to ``at``. What is ``replayed`` for this client alone may have to wait."""
        actor = self.actor
        rules = await self.service.floor_view.rules()
        sight = record_sight(actor, cache.live.setup.name, rules, await self.service.floor_view.on_duty())
        if sight.whole:
            await self.service.looks.saw(actor, LookKind.EVENTS, cache.live.setup.name)
        message, has_state = await cache.message(sight, at, entries, with_state=with_state)
        me = cache.me(actor, rules) if actor and has_state else None
        whole = message + _ENCODER.encode(me) + b"}"
        if replayed:
            await self.service.limits.replay.take(self._replay_key, len(whole))
        await self.send(whole)


def _place(cursor: str, end: tuple[int, int]) -> tuple[int, int]:
    """The opening and version of a cursor. Refused if it is after ``end``."""
    place = read_cursor(cursor)
    if place > end:
        raise Refused(WebCode.BAD_REQUEST, variant="cursor_late", cursor=cursor)
    return place
