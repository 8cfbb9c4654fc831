"""One socket a client: who it belongs to, how long it stays open, and what it may send.

A client that stops reading is disconnected, and nobody else waits for it.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.http import errors
from punto.web.http.auth import Caller, caller, require_own_origin
from punto.web.http.client_address import address_of
from punto.web.http.context import Service
from punto.web.http.endpoint import Receive, Scope, Send
from punto.web.http.errors import WebCode, problem_of
from punto.web.http.headers import header_map
from punto.web.http.language import Reader, language_of, reader_of
from punto.web.http.rate_limits import Bucket, TooMany

UNREAD_S = 5.0
"""How long a client may leave a message unread before it is disconnected."""
CHECK_S = 2.0
"""How often the session of a socket is checked."""
MAX_CLIENT_MESSAGE = 4_096
ASKS_PER_S = 20
ASKS_AT_ONCE = 200
"""Messages a client may send: at once, and in the long run."""
MAX_CLOSE_REASON = 120
"""Bytes of a reason; the protocol has room for a few more."""

CLOSE_SLOW = 4008
CLOSE_SESSION_OVER = 4001
CLOSE_BAD_MESSAGE = 4000
CLOSE_TOO_MANY = 4029
CLOSE_TROUBLE = 1011
CLOSE_LATER = 1013
"""The database does not answer: come back, and go on from the last cursor."""

_LOG = logging.getLogger("punto.web")


class Closing(Refused):
    """The socket is to be closed, with a close code of the protocol."""

    def __init__(self, close_code: int, code: str, /, *, variant: str, **values: Any) -> None:
        super().__init__(code, variant=variant, **values)
        self.close_code = close_code


class SocketClient(Struct, frozen=True, eq=False):
    """Who is at the other end of a socket, and how to reach them."""

    service: Service
    token: str
    """Empty for an anonymous client."""
    actor: Actor | None
    receive: Receive
    send: Send
    reader: Reader
    """As the handshake has it."""


class Sockets(ABC):
    """The sockets of a server at one path."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one, until it is closed."""
        service = self._service
        assert (await receive())["type"] == "websocket.connect"  # noqa: S101 - as ASGI has it
        headers = header_map(scope["headers"])
        address, language = address_of(scope), language_of(headers)
        with ExitStack() as held:
            try:
                service.limits.asks.take(address)
                service.hosts.require(headers)
                require_own_origin(service.config, headers)
                token, actor = await self._actor(caller(service.config, headers))
                staff = actor is not None and actor.position is not Position.PLAYER
                held.enter_context(service.sockets.one_more(actor.name if actor else None, address, staff=staff))
            except Refused as trouble:
                await close_refused(send, trouble, Reader(language))
                return
            held.enter_context(service.metrics.sockets.track_inprogress())
            await send({"type": "websocket.accept"})
            client = SocketClient(service, token, actor, receive, send, reader_of(language, actor))
            await self.connection(scope, client).serve()

    async def _actor(self, who: Caller) -> tuple[str, Actor | None]:
        """The session of a client; an expired cookie counts as none, as in every other request."""
        if not who.token:
            return "", None
        try:
            return who.token, await on_duty(self._service, who.token)
        except FloorRefused as refused:
            if not who.by_cookie or refused.code is FloorCode.DATABASE_LOST:
                raise
            return "", None

    @abstractmethod
    def connection(self, scope: Scope, client: SocketClient) -> "Connection":
        """What serves one of them."""


async def on_duty(service: Service, token: str) -> Actor:
    """Who holds this session, in their present position. Unlike ``Sessions.actor``, nothing is written down."""
    actor = (await service.sessions.standing(token)).actor()
    if isinstance(actor, FloorRefused):
        raise actor
    return actor


async def close_refused(send: Send, trouble: Exception, reader: Reader) -> None:
    """An answer of HTTP instead of a socket."""
    problem = problem_of(trouble, reader)
    body = errors.encoded(problem)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    status = errors.status_of(problem.code)
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})


class Connection(ABC):
    """One open socket, as long as its session holds and the client reads what it is sent."""

    def __init__(self, client: SocketClient) -> None:
        self.service, self.actor = client.service, client.actor
        self._token, self.reader = client.token, client.reader
        self._receive, self._send = client.receive, client.send
        self._asks = Bucket(client.service.floor.clock, phrase("phrase.messages"), ASKS_PER_S, ASKS_AT_ONCE)

    async def serve(self) -> None:
        """Until either side closes it."""
        tasks = [asyncio.create_task(each) for each in (self._hear(), self._check(), self.speak())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except Closing as closing:
            await self._close(closing.close_code, closing)
        except TooMany as many:
            await self._close(CLOSE_TOO_MANY, many)
        except OSError:  # the line is gone
            pass
        except FloorRefused as refused:
            await self._close(CLOSE_LATER, refused)
        except Exception:  # noqa: BLE001 - whatever it was, the client is told, and the log says what
            _LOG.exception("a socket failed")
            await self._close(CLOSE_TROUBLE, Refused(WebCode.INTERNAL))
        finally:
            await call_off(tasks)
            await self.gone()

    async def _close(self, code: int, why: Refused) -> None:
        self.service.metrics.dropped.labels(code).inc()
        _LOG.info("socket closed", extra={"said": {"code": code, "reason": why.message}})
        reason = problem_of(why, self.reader).message
        short = reason.encode()[:MAX_CLOSE_REASON].decode(errors="ignore")
        with suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": short})

    @abstractmethod
    async def speak(self) -> None:
        """Send what there is to send, until there is nothing more."""

    async def hear(self, text: str) -> None:  # noqa: ARG002 - for those that expect messages
        """Take a message of the client; where none is expected, it ends the connection."""
        raise Closing(CLOSE_BAD_MESSAGE, WebCode.BAD_REQUEST, variant="message_unexpected")

    async def gone(self) -> None:
        """Leave nothing behind: the client is gone."""
        return

    async def _hear(self) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            text = message.get("text")
            if text is None or len(text) > MAX_CLIENT_MESSAGE:
                raise Closing(CLOSE_BAD_MESSAGE, WebCode.BAD_REQUEST, variant="message_form")
            self._asks.take("")
            await self.hear(text)

    async def tell(self, written: bytes) -> None:
        """Send a message; a client that does not read it in time is disconnected."""
        try:
            async with asyncio.timeout(UNREAD_S):
                await self._send({"type": "websocket.send", "text": written.decode()})
        except TimeoutError as error:
            raise Closing(CLOSE_SLOW, WebCode.TOO_SLOW, variant="unread") from error
        self.service.metrics.told.inc()

    async def _check(self) -> None:
        """Disconnect a client whose session is over or whose position has changed."""
        while True:
            await asyncio.sleep(CHECK_S)
            if not self._token:
                continue
            try:
                actor = await on_duty(self.service, self._token)
            except FloorRefused as refused:
                if refused.code is FloorCode.DATABASE_LOST:
                    continue
                raise Closing(CLOSE_SESSION_OVER, FloorCode.NOT_SIGNED_IN, variant="socket") from refused
            if actor != self.actor:
                raise Closing(CLOSE_SESSION_OVER, FloorCode.NO_POSITION, variant="changed")


async def call_off(tasks: Iterable["asyncio.Future[None]"]) -> None:
    """Cancel them all and wait for their end; whatever ended one of them was reported where it happened."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
