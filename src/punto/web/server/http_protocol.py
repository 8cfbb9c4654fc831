"""uvicorn's HTTP, with some things more.

A head has an end and takes no longer than it may, there are only so many lines from one address, and what is no HTTP is
refused in the one shape too.
"""

from asyncio import TimerHandle, Transport
from enum import Enum
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from punto.rules.refusals import Refused
from punto.web.http.endpoint import BODY_S
from punto.web.http.errors import WebCode, encoded, problem_of, status_of
from punto.web.http.rate_limits import Lines

MOST_HEAD = 32 * 1024
"""So long the address and the headers of a request may be together."""
HEAD_S = 10.0
"""So long the head of a request may take to be there."""
REFUSED_LINGER_S = 1.0
"""So long who was refused may go on talking: a line that is cut at once takes the answer with it."""


class _Waits(Enum):
    """What a line waits for."""

    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"


class RequestProtocol(HttpToolsProtocol):
    """One line to a client."""

    lines: Lines
    """Those that are open on the same server."""
    _taken: str | None = None
    """The address for which it is counted among them."""
    _waits = _Waits.HEAD
    _late: TimerHandle | None = None
    _late_for = _Waits.NOTHING
    """What may no longer be late."""
    _refused = False
    _heading = False
    _unfinished = 0
    """How much has come of a head that has not ended yet."""
    _counted = 0
    """How much of a head has been read."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """A new line, unless there are enough from there."""
        super().connection_made(transport)
        address = self.client[0] if self.client else "unknown"
        if self.lines.take(address):
            self._taken = address
            self._watch_the_time()
        else:
            self._refuse(Refused(WebCode.TOO_MANY, variant="connections"))

    def connection_lost(self, exc: Exception | None) -> None:
        """The end of it."""
        self._let_go()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """From here on it is a socket, and sockets have counts and times of their own."""
        self._let_go()
        super().handle_websocket_upgrade()

    def _let_go(self) -> None:
        self._late_no_more()
        if self._taken is not None:
            self.lines.give_back(self._taken)
            self._taken = None

    # ---- what may take how long

    def _watch_the_time(self) -> None:
        """Each head and each body has its time, however little comes however often."""
        if self._refused or (self._waits is _Waits.NOTHING and not self.cycle.response_complete):
            self._late_no_more()
        elif self._late is None or self._late_for is not self._waits:
            self._late_no_more()
            self._late_for = self._waits
            # of a body the door says that it is late; this is for bodies that nobody reads
            wait_s = BODY_S + REFUSED_LINGER_S if self._waits is _Waits.BODY else HEAD_S
            self._late = self.loop.call_later(wait_s, self._too_late)

    def _late_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        if self._heading:
            self._refuse(Refused(WebCode.TOO_SLOW, variant="head", seconds=HEAD_S))
        elif self._waits is not _Waits.NOTHING or self.cycle.response_complete:
            self.transport.close()

    # ---- what comes

    def data_received(self, data: bytes) -> None:
        """As uvicorn does, while a head may still go on."""
        if self._refused:
            return
        before = self._heading
        super().data_received(data)
        if self._taken is None:  # gone, or a socket now
            return
        self._watch_the_time()
        if before and self._heading and not self._refused:
            self._unfinished += len(data)
            if self._unfinished > MOST_HEAD:
                self._refuse_head()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._heading, self._unfinished, self._counted = True, 0, 0
        self._waits = _Waits.HEAD

    def on_url(self, url: bytes) -> None:
        """A piece of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is over."""
        self._heading = False
        self._waits = _Waits.BODY
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The body is over, or there was none."""
        self._waits = _Waits.NOTHING
        super().on_message_complete()

    def _count(self, length: int) -> None:
        self._counted += length
        if self._counted > MOST_HEAD:
            raise ValueError("the head is too long")  # the parser gives up, and what follows is below

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words for it
        """What is no request is told so, and the line is closed."""
        if self._counted > MOST_HEAD:
            self._refuse_head()
        else:
            self._refuse(Refused(WebCode.BAD_REQUEST, variant="not_http"))

    def _refuse_head(self) -> None:
        self._refuse(Refused(WebCode.HEAD_TOO_LONG, most=MOST_HEAD))

    def _refuse(self, refused: Refused) -> None:
        body, status = encoded(problem_of(refused)), HTTPStatus(status_of(refused.code))
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n"
            "connection: close\r\n\r\n"
        )
        self._refused = True
        self._late_no_more()
        self.transport.write(head.encode() + body)
        self.transport.write_eof()
        self.loop.call_later(REFUSED_LINGER_S, self.transport.close)


def protocol_of(lines: Lines) -> type[RequestProtocol]:
    """The protocol of one server, whose lines are counted together."""
    return type("RequestProtocol", (RequestProtocol,), {"lines": lines})
