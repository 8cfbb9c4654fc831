"""One socket a client: the tables it watches, each event once and in order, and the state after it.

A client that lost the line watches again with the last cursor it has, and misses nothing. One that does not read is
dropped, and nobody else waits for it.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import msgspec

from punto.catalogue.sentence import phrase
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import Entry
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.floor import Actor
from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.api.history import read_cursor
from punto.web.http import errors
from punto.web.http.auth import Caller, caller, header_map, require_own_origin
from punto.web.http.context import Service
from punto.web.http.endpoint import Receive, Scope, Send, address_of
from punto.web.http.errors import WebCode, problem_of
from punto.web.http.rate_limits import Bucket, TooMany
from punto.web.messages import Stopped, Unwatch, Watch
from punto.web.views.table_cache import Showing
from punto.web.views.table_view import me_at
from punto.web.views.visibility import sight_of

UNREAD_S = 5.0
"""So long a client may leave what is sent to it unread."""
CHECK_S = 2.0
"""So often it is asked whether a session still holds, and in which position."""
MOST_WATCHED = 50
MOST_TOGETHER = 100
"""So many events a message, so that also over a bad line one gets through."""
MAX_CLIENT_MESSAGE = 4_096
ASKS_PER_S = 20
ASKS_AT_ONCE = 4 * MOST_WATCHED
"""So often a client may say something."""
MAX_CLOSE_REASON = 120
"""Bytes of a reason; the protocol has room for a few more."""

CLOSE_SLOW = 4008
CLOSE_SESSION_OVER = 4001
CLOSE_BAD_MESSAGE = 4000
CLOSE_TOO_MANY = 4029
CLOSE_TROUBLE = 1011
CLOSE_LATER = 1013
"""The database does not answer: come back, and go on from the last cursor."""

_ASKED: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Watch | Unwatch)
_ENCODER = msgspec.json.Encoder()
_LOG = logging.getLogger("punto.web")


class Closing(Exception):
    """The socket is to be closed, with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Sockets:
    """The sockets of a server at one address."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one, until it is closed."""
        service = self._service
        assert (await receive())["type"] == "websocket.connect"  # noqa: S101 - as ASGI has it
        headers = header_map(scope["headers"])
        address = address_of(scope)
        with ExitStack() as held:
            try:
                service.limits.asks.take(address)
                service.hosts.require(headers)
                require_own_origin(service.config, headers)
                token, actor = await self._actor(caller(service.config, headers))
                staff = actor is not None and actor.position is not Position.PLAYER
                held.enter_context(service.sockets.one_more(actor.name if actor else None, address, staff=staff))
            except Refused as trouble:
                await refuse(send, trouble)
                return
            held.enter_context(service.metrics.sockets.track_inprogress())
            await send({"type": "websocket.accept"})
            await self.client(scope, token, actor, receive, send).serve()

    async def _actor(self, who: Caller) -> tuple[str, Actor | None]:
        """Who comes, with his token; an old cookie is no cookie, as at every other door."""
        if not who.token:
            return "", None
        try:
            return who.token, await on_duty(self._service, who.token)
        except FloorRefused as refused:
            if not who.by_cookie or refused.code is FloorCode.DATABASE_LOST:
                raise
            return "", None

    def client(self, scope: Scope, token: str, actor: Actor | None, receive: Receive, send: Send) -> "Speaking":  # noqa: ARG002
        """Who is served over one of them."""
        return Socket(self._service, token, actor, receive, send)


async def on_duty(service: Service, token: str) -> Actor:
    """Who holds this session, in the position that he holds now; nobody has done anything that goes on record."""
    held = await service.sessions.standing(token)
    if held.to_change:
        raise FloorRefused(FloorCode.PASSWORD_TO_CHANGE)
    if held.position is None:
        raise FloorRefused(FloorCode.NO_POSITION, name=held.name)
    return Actor(held.name, held.position)


async def refuse(send: Send, trouble: Exception) -> None:
    """An answer of HTTP instead of a socket."""
    problem = problem_of(trouble)
    body = errors.encoded(problem)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    status = errors.status_of(problem.code)
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})


class Speaking:
    """Somebody at the other end of a socket, as long as his session holds and he reads what he is told."""

    def __init__(self, service: Service, token: str, actor: Actor | None, receive: Receive, send: Send) -> None:
        self.service, self.actor = service, actor
        self._token = token
        self._receive, self._send = receive, send
        self._asks = Bucket(service.floor.clock, phrase("phrase.messages"), ASKS_PER_S, ASKS_AT_ONCE)

    async def serve(self) -> None:
        """Until somebody has enough."""
        tasks = [asyncio.create_task(each) for each in (self._hear(), self._check(), self.speak())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except Closing as closing:
            await self._close(closing.code, closing.reason)
        except OSError:  # the line is gone
            pass
        except FloorRefused as refused:
            await self._close(CLOSE_LATER, refused.message)
        except Exception:  # noqa: BLE001 - whatever it was, he is told, and the log says what
            _LOG.exception("a socket failed")
            await self._close(CLOSE_TROUBLE, "something went wrong here, and the log says what")
        finally:
            await _called_off(tasks)
            await self.gone()

    async def _close(self, code: int, reason: str) -> None:
        self.service.metrics.dropped.labels(code).inc()
        _LOG.info("socket closed", extra={"said": {"code": code, "reason": reason}})
        short = reason.encode()[:MAX_CLOSE_REASON].decode(errors="ignore")
        with suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": short})

    async def speak(self) -> None:
        """Tell him what there is to tell, until there is nothing more."""
        raise NotImplementedError

    async def hear(self, text: str) -> None:  # noqa: ARG002 - for who listens
        """Something he says; where nothing is to be said it ends the talk."""
        raise Closing(CLOSE_BAD_MESSAGE, "nothing was asked")

    async def gone(self) -> None:
        """Leave nothing behind: he is gone, and neither speaks nor hears any more."""

    async def _hear(self) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            text = message.get("text")
            if text is None or len(text) > MAX_CLIENT_MESSAGE:
                raise Closing(CLOSE_BAD_MESSAGE, "expected a short message of JSON text")
            try:
                self._asks.take("")
            except TooMany as many:
                raise Closing(CLOSE_TOO_MANY, many.message) from many
            await self.hear(text)

    async def tell(self, written: bytes) -> None:
        """Send him something; who does not read it in time is dropped."""
        try:
            async with asyncio.timeout(UNREAD_S):
                await self._send({"type": "websocket.send", "text": written.decode()})
        except TimeoutError as error:
            raise Closing(CLOSE_SLOW, "what was sent is not read: watch again from your last cursor") from error
        self.service.metrics.told.inc()

    async def _check(self) -> None:
        """Who is signed out, demoted or over time sees no more than he may from then on."""
        while True:
            await asyncio.sleep(CHECK_S)
            if not self._token:
                continue
            try:
                actor = await on_duty(self.service, self._token)
            except FloorRefused as refused:
                if refused.code is FloorCode.DATABASE_LOST:
                    continue
                raise Closing(CLOSE_SESSION_OVER, "the session is over") from refused
            if actor != self.actor:
                raise Closing(CLOSE_SESSION_OVER, "the position has changed: connect again")


class Socket(Speaking):
    """A program that watches tables."""

    def __init__(self, service: Service, token: str, actor: Actor | None, receive: Receive, send: Send) -> None:
        super().__init__(service, token, actor, receive, send)
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Has what ended a watch that nobody called off."""

    async def speak(self) -> None:
        """Each watch speaks for itself; whatever ends one of them ends them all."""
        await self._ended

    async def gone(self) -> None:
        """Nobody watches for him any more."""
        await _called_off([*self._watching.values(), self._ended])

    async def hear(self, text: str) -> None:
        """What he wants to be told of."""
        try:
            asked = _ASKED.decode(text)
        except msgspec.MsgspecError as error:
            raise Closing(CLOSE_BAD_MESSAGE, f"this is no message: {error}") from error
        await self._take(asked)

    async def _take(self, asked: Watch | Unwatch) -> None:
        before = self._watching.pop(asked.table, None)
        if before is not None:
            before.cancel()
            await asyncio.gather(before, return_exceptions=True)
        if isinstance(asked, Unwatch):
            return
        if len(self._watching) >= MOST_WATCHED:
            raise Closing(CLOSE_TOO_MANY, f"expected at most {MOST_WATCHED} tables a socket")
        task = self._watching[asked.table] = asyncio.create_task(self._watch(asked))
        task.add_done_callback(partial(self._watched, asked.table))

    def _watched(self, table: str, task: "asyncio.Task[None]") -> None:
        """Whatever ends a watch that nobody called off ends the socket."""
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
            await self.tell(_ENCODER.encode(Stopped(table=asked.table[:100], error=problem_of(trouble))))
            return
        if at == showing.end:  # nothing is to be told but that it is so
            await self._moved(showing, at, [], with_state=asked.state)
        async for entries in showing.live.watch_together(at[1], at[0]):
            for first in range(0, len(entries), MOST_TOGETHER):
                some = entries[first : first + MOST_TOGETHER]
                at = StreamName.parse(some[-1].stream).opening, some[-1].version
                await self._moved(showing, at, some, with_state=asked.state)

    async def _moved(self, showing: Showing, at: tuple[int, int], entries: list[Entry], *, with_state: bool) -> None:
        actor = self.actor
        sight = sight_of(actor.position if actor else None)
        told, stated = await showing.told(sight, at, entries, with_state=with_state)
        me = me_at(showing.live.state, actor.name, actor.position) if actor and stated else None
        await self.tell(told + _ENCODER.encode(me) + b"}")


def _place(cursor: str, end: tuple[int, int]) -> tuple[int, int]:
    """Where a client wants to go on."""
    place = read_cursor(cursor)
    if place > end:
        raise Refused(WebCode.BAD_REQUEST, variant="cursor_late", cursor=cursor)
    return place


async def _called_off(tasks: Iterable["asyncio.Future[None]"]) -> None:
    """None of them goes on, and what ended any of them was told where it happened."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
