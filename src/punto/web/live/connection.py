"""One WebSocket connection: who it belongs to, how long it stays open, and what it may send.

A client that stops reading is disconnected. Other clients never wait for it.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import Any

from msgspec import Struct

import punto
from punto.catalogue.sentence import phrase
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor, person_key
from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.http import errors
from punto.web.http.auth import Caller, caller, require_own_origin
from punto.web.http.body import has_nul, require_no_nul
from punto.web.http.client_address import client_key
from punto.web.http.context import Service
from punto.web.http.endpoint import Receive, Scope, Send
from punto.web.http.errors import WebCode, problem_of
from punto.web.http.headers import header_map
from punto.web.http.language import Reader, language_of, reader_of
from punto.web.http.rate_limits import Bucket, TooMany
from punto.web.messages.releases import CLIENT_HEADER, RELEASE_HEADER

UNREAD_TIMEOUT_S = 5.0
SESSION_CHECK_S = 2.0
MAX_MESSAGE_LENGTH = 4_096
MAX_MESSAGES_PER_S = 20
MAX_MESSAGE_BURST = 200
MAX_CLOSE_REASON_BYTES = 120
"""The protocol allows 123."""

CLOSE_SLOW = 4008
CLOSE_SESSION_OVER = 4001
CLOSE_LOCKED = 4023
CLOSE_BAD_MESSAGE = 4000
CLOSE_TOO_MANY = 4029
CLOSE_ERROR = 1011
CLOSE_LATER = 1013
"""The database does not answer. The client should reconnect and continue from its last cursor."""

_LOG = logging.getLogger("punto.web")


class Closing(Refused):
    """Ends the connection with a WebSocket close code."""

    def __init__(self, close_code: int, code: str, /, *, variant: str, **values: Any) -> None:
        super().__init__(code, variant=variant, **values)
        self.close_code = close_code


class SocketClient(Struct, frozen=True, eq=False):
    """The client at the other end of a WebSocket."""

    service: Service
    address: str
    token: str
    """Empty for an anonymous client."""
    actor: Actor | None
    receive: Receive
    send: Send
    reader: Reader
    """Language and position at the handshake."""
    locked: bool = False
    """At the handshake, where ``on_terminal`` allows it."""
    on_terminal: bool = False
    """It is what the terminal shows at which the session was opened, and so goes on when the session is locked."""


class Sockets(ABC):
    """Accepts the WebSockets at one path."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        service = self._service
        assert (await receive())["type"] == "websocket.connect"  # noqa: S101 - ASGI guarantees it
        headers = header_map(scope["headers"])
        address, language = client_key(scope), language_of(headers)
        with ExitStack() as stack:
            try:
                service.limits.requests.take(address)
                service.hosts.require(headers)
                require_no_nul(scope["path"])
                service.client_releases.note(headers.get(CLIENT_HEADER, ""))
                require_own_origin(service.config, headers)
                who = caller(service.config, headers)
                on_terminal = await self._is_on_terminal(scope, who, headers)
                token, actor, locked = await self._actor(who, shown_locked=on_terminal)
                staff = is_staff(actor)
                stack.enter_context(
                    service.sockets.count_one(person_key(actor) if actor else None, address, staff=staff)
                )
            except Refused as refused:
                await refuse_socket(send, refused, reader_of(language, None))
                return
            stack.enter_context(service.metrics.sockets.track_inprogress())
            release = (RELEASE_HEADER.encode(), punto.__version__.encode())
            await send({"type": "websocket.accept", "headers": [release]})
            reader = reader_of(language, actor)
            client = SocketClient(service, address, token, actor, receive, send, reader, locked, on_terminal)
            await self.connection(scope, client).serve()

    async def _is_on_terminal(self, scope: Scope, who: Caller, headers: dict[str, str]) -> bool:  # noqa: ARG002 - of pages
        """Whether the sender's terminal shows what is sent here."""
        return False

    async def _actor(self, who: Caller, *, shown_locked: bool) -> tuple[str, Actor | None, bool]:
        """An expired cookie counts as none, as in every other request."""
        if not who.token:
            return "", None, False
        try:
            return who.token, *await on_duty(self._service, who.token, shown_locked=shown_locked)
        except FloorRefused as refused:
            if not who.by_cookie or refused.code is FloorCode.DATABASE_LOST:
                raise
            return "", None, False

    @abstractmethod
    def connection(self, scope: Scope, client: SocketClient) -> "Connection":
        """The object that serves one client."""


def is_staff(actor: Actor | None) -> bool:
    return actor is not None and actor.position is not Position.PLAYER


async def on_duty(service: Service, token: str, *, shown_locked: bool = False) -> tuple[Actor, bool]:
    """The holder of a session, in their current position, and whether it is locked, which ``shown_locked`` allows.

    Unlike with ``Sessions.actor``, refusals are not recorded.
    """
    standing = await service.sessions.standing(token)
    actor = standing.viewer() if shown_locked else standing.actor()
    if isinstance(actor, FloorRefused):
        raise actor
    return actor, standing.locked


async def refuse_socket(send: Send, refused: Exception, reader: Reader) -> None:
    """Answer the handshake with an HTTP error."""
    problem = problem_of(refused, reader)
    body = errors.encode_problem(problem)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    status = errors.status_of(problem.code)
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})


class Connection(ABC):
    """One open WebSocket. It ends with its session, or when the client stops reading."""

    def __init__(self, client: SocketClient) -> None:
        self.service, self.actor = client.service, client.actor
        self._token, self.reader = client.token, client.reader
        self._on_terminal = client.on_terminal
        self.locked = client.locked
        """Whether the session is locked, on the screen of its terminal."""
        self._receive, self._send = client.receive, client.send
        self._sign_outs = client.service.floor.house_log.sign_outs
        self._message_limit = Bucket(
            client.service.floor.clock, phrase("phrase.messages"), MAX_MESSAGES_PER_S, MAX_MESSAGE_BURST
        )

    async def serve(self) -> None:
        """Serve until either side closes the connection."""
        tasks = [
            asyncio.create_task(each) for each in (self._receive_messages(), self._check_session(), self.send_updates())
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except Closing as closing:
            await self._close(closing.close_code, closing)
        except TooMany as refused:
            await self._close(CLOSE_TOO_MANY, refused)
        except OSError:  # the connection is lost
            pass
        except FloorRefused as refused:
            await self._close(CLOSE_LATER, refused)
        except Exception:  # noqa: BLE001 - any error is logged, and the client is told
            _LOG.exception("WebSocket failed")
            await self._close(CLOSE_ERROR, Refused(WebCode.INTERNAL))
        finally:
            await cancel_all(tasks)
            await self.on_disconnect()

    async def _close(self, code: int, cause: Refused) -> None:
        self.service.metrics.dropped.labels(code).inc()
        _LOG.info("WebSocket closed", extra={"fields": {"code": code, "reason": cause.message}})
        reason = problem_of(cause, self.reader).message
        short = reason.encode()[:MAX_CLOSE_REASON_BYTES].decode(errors="ignore")
        with suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": short})

    @abstractmethod
    async def send_updates(self) -> None:
        """Send messages to the client until there are no more."""

    async def on_message(self, text: str) -> None:  # noqa: ARG002 - subclasses use it
        """Handle a message from the client. By default none is expected, and one ends the connection."""
        raise Closing(CLOSE_BAD_MESSAGE, WebCode.BAD_REQUEST, variant="message_unexpected")

    async def on_disconnect(self) -> None:
        """Clean up after the connection has ended."""
        return

    async def _receive_messages(self) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            text = message.get("text")
            if text is None or len(text) > MAX_MESSAGE_LENGTH or has_nul(text.encode()):
                raise Closing(CLOSE_BAD_MESSAGE, WebCode.BAD_REQUEST, variant="message_form")
            self._message_limit.take("")
            await self.on_message(text)

    async def send(self, message: bytes) -> None:
        """Send a message. A client that does not read it in time is disconnected, and so is one that has signed out."""
        if self._sign_outs != self.service.floor.house_log.sign_outs:
            await self._require_session()
        try:
            async with asyncio.timeout(UNREAD_TIMEOUT_S):
                await self._send({"type": "websocket.send", "text": message.decode()})
        except TimeoutError as error:
            raise Closing(CLOSE_SLOW, WebCode.TOO_SLOW, variant="unread") from error
        self.service.metrics.messages.inc()

    async def _check_session(self) -> None:
        """Disconnect a client whose session has ended or whose position has changed."""
        while True:
            await asyncio.sleep(SESSION_CHECK_S)
            await self._require_session()

    async def _require_session(self) -> None:
        sign_outs = self.service.floor.house_log.sign_outs
        if not self._token:
            return
        try:
            actor, self.locked = await on_duty(self.service, self._token, shown_locked=self._on_terminal)
        except FloorRefused as refused:
            if refused.code is FloorCode.DATABASE_LOST:
                return
            if refused.code is FloorCode.SESSION_LOCKED:
                raise Closing(CLOSE_LOCKED, FloorCode.SESSION_LOCKED, variant="socket") from refused
            raise Closing(CLOSE_SESSION_OVER, FloorCode.NOT_SIGNED_IN, variant="socket") from refused
        if actor != self.actor:
            raise Closing(CLOSE_SESSION_OVER, FloorCode.NO_POSITION, variant="changed")
        self._sign_outs = sign_outs


async def cancel_all(tasks: Iterable["asyncio.Future[None]"]) -> None:
    """Cancel all and wait until they have ended. Their exceptions were already reported where they happened."""
    pending = list(tasks)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
