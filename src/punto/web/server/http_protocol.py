"""uvicorn's HTTP protocol with limits: size and duration of a request's head, and the number of connections.

Bytes that are not HTTP are answered in the same shape as every other error.
"""

from asyncio import TimerHandle, Transport
from enum import Enum
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from punto.rules.refusals import Refused
from punto.web.http.body import BODY_TIMEOUT_S
from punto.web.http.connection_limits import OpenConnections
from punto.web.http.errors import WebCode, encode_problem, problem_of, status_of
from punto.web.http.language import reader_of

MAX_HEAD_BYTES = 32 * 1024
"""Address and headers of a request together."""
HEAD_TIMEOUT_S = 10.0
REFUSED_LINGER_S = 1.0
"""How long a refused client may go on sending: closing the connection at once would lose the answer."""


RETRY_AFTER = "retry-after: 1\r\n"


class _Waits(Enum):
    """What a connection waits for from its client."""

    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"


class RequestProtocol(HttpToolsProtocol):
    open_connections: OpenConnections
    _taken: str | None = None
    """The address this connection is counted for; None: not counted."""
    _waits = _Waits.HEAD
    _timeout: TimerHandle | None = None
    _timeout_for = _Waits.NOTHING
    _refused = False
    _reading_head = False
    _received_head_bytes = 0
    """Of a head that has not ended yet."""
    _parsed_head_bytes = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Count the connection, unless there are too many."""
        super().connection_made(transport)
        address = self.client[0] if self.client else "unknown"
        try:
            self.open_connections.take(address)
        except Refused as refused:
            self._refuse(refused)
        else:
            self._taken = address
            self._set_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        self._release()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Stop counting this connection: WebSockets have limits of their own."""
        self._release()
        super().handle_websocket_upgrade()

    def _release(self) -> None:
        self._cancel_timeout()
        if self._taken is not None:
            self.open_connections.release(self._taken)
            self._taken = None

    # ---- timeouts

    def _set_timeout(self) -> None:
        """Each head and each body has one time limit as a whole: a trickle of bytes does not extend it."""
        if self._refused or (self._waits is _Waits.NOTHING and not self.cycle.response_complete):
            self._cancel_timeout()
        elif self._timeout is None or self._timeout_for is not self._waits:
            self._cancel_timeout()
            self._timeout_for = self._waits
            # the handler times out a body that it reads; this is for bodies that nobody reads
            wait_s = BODY_TIMEOUT_S + REFUSED_LINGER_S if self._waits is _Waits.BODY else HEAD_TIMEOUT_S
            self._timeout = self.loop.call_later(wait_s, self._on_timeout)

    def _cancel_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None

    def _on_timeout(self) -> None:
        self._timeout = None
        if self._reading_head:
            self._refuse(Refused(WebCode.TOO_SLOW, variant="head", seconds=HEAD_TIMEOUT_S))
        elif self._waits is not _Waits.NOTHING or self.cycle.response_complete:
            self.transport.close()

    # ---- incoming data

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        was_reading_head = self._reading_head
        super().data_received(data)
        if self._taken is None:  # disconnected, or now a WebSocket
            return
        self._set_timeout()
        if was_reading_head and self._reading_head and not self._refused:
            self._received_head_bytes += len(data)
            if self._received_head_bytes > MAX_HEAD_BYTES:
                self._refuse_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading_head, self._received_head_bytes, self._parsed_head_bytes = True, 0, 0
        self._waits = _Waits.HEAD

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._reading_head = False
        self._waits = _Waits.BODY
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Called at the end of the body, also if there was none."""
        self._waits = _Waits.NOTHING
        super().on_message_complete()

    def _count(self, length: int) -> None:
        self._parsed_head_bytes += length
        if self._parsed_head_bytes > MAX_HEAD_BYTES:
            raise ValueError("the head is too long")  # the parser stops and calls send_400_response

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own message is not used
        """Answer bytes that are not HTTP, and close the connection."""
        if self._parsed_head_bytes > MAX_HEAD_BYTES:
            self._refuse_head()
        else:
            self._refuse(Refused(WebCode.BAD_REQUEST, variant="not_http"))

    def _refuse_head(self) -> None:
        self._refuse(Refused(WebCode.HEAD_TOO_LONG, most=MAX_HEAD_BYTES))

    def _refuse(self, refused: Refused) -> None:
        body, status = encode_problem(problem_of(refused, reader_of("en", None))), HTTPStatus(status_of(refused.code))
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n"
            f"{RETRY_AFTER if status is HTTPStatus.SERVICE_UNAVAILABLE else ''}"
            "connection: close\r\n\r\n"
        )
        self._refused = True
        self._cancel_timeout()
        self.transport.write(head.encode() + body)
        self.transport.write_eof()
        self.loop.call_later(REFUSED_LINGER_S, self.transport.close)


def protocol_of(connections: OpenConnections) -> type[RequestProtocol]:
    """The protocol class of one server; its connections are counted together."""
    return type("RequestProtocol", (RequestProtocol,), {"open_connections": connections})
