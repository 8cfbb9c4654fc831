"""A table that is watched over a socket, across as many sockets as it takes. No line is opened here."""

from typing import Any

import msgspec

from punto.client.errors import ClientCode, ClientRefused, answered
from punto.client.retry import Backoff, Reply, busy_s, lost, refusal
from punto.floor.errors import FloorCode
from punto.web.http.errors import WebCode
from punto.web.messages import Cursor, Moved, Problem, Stopped, Watch

MAX_SERVER_MESSAGE = 64 * 1024 * 1024
"""Who has been away for long is told of much at once."""
PASSES = frozenset({FloorCode.DATABASE_LOST, WebCode.TOO_MANY, WebCode.STOPPING})
"""Why nothing is told of a table, where it may be otherwise the next time."""
FATAL_CLOSES = frozenset({4000, 4029})
"""Close codes of a client that asks badly: it would do so again. Any other is followed by another try."""

_HEARD: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Moved | Stopped)


class Subscription:
    """Where one is in the history of a table; every event is told once."""

    def __init__(self, table: str, after: Cursor | None, patience_s: float, *, state: bool) -> None:
        self._table, self._state = table, state
        self._at = after
        self._backoff = Backoff(patience_s)

    def asked(self) -> str:
        """What to say when a socket is open: go on where the last one ended."""
        return msgspec.json.encode(Watch(table=self._table, after=self._at, state=self._state)).decode()

    def heard(self, text: str | bytes) -> Moved:
        """What was told; that nothing is told is raised."""
        try:
            told: Moved | Stopped = _HEARD.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ClientRefused(ClientCode.UNEXPECTED_ANSWER, variant="message", reason=str(error)) from error
        if isinstance(told, Stopped):
            raise NotTold(told.error) if told.error.code in PASSES else answered(told.error)
        self._backoff.heard()
        self._at = told.cursor
        return told

    def lost(self, trouble: Exception) -> float:
        """The socket is gone or never was: how long to wait before the next, or why there is none."""
        refused, after_s = _judged(trouble)
        wait_s = None if after_s is None else self._backoff.wait_s(after_s)
        if wait_s is None:
            raise refused from trouble
        return wait_s


class NotTold(Exception):
    """Nothing is told now, and it may be otherwise the next time."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _judged(trouble: Exception) -> tuple[ClientRefused, float | None]:
    """What is said of a lost socket, and after how long to try again; None: not at all."""
    from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: PLC0415 - of the extra

    if isinstance(trouble, NotTold):
        return answered(trouble.problem), 1.0
    if isinstance(trouble, InvalidStatus):
        answer = trouble.response
        reply = Reply(answer.status_code, bytes(answer.body or b""), answer.headers.get("Retry-After"))
        return refusal(reply), _busy_s(reply)
    if isinstance(trouble, ConnectionClosed) and trouble.rcvd is not None:
        code, reason = trouble.rcvd.code, trouble.rcvd.reason
        closed = ClientRefused(ClientCode.UNREACHABLE, variant="closed", close_code=code, reason=reason)
        return closed, None if code in FATAL_CLOSES else 0.0
    return lost(str(trouble) or type(trouble).__name__), 0.0


def _busy_s(reply: Reply) -> float | None:
    """As of any request; but too many sockets are told without a time, and one of them will close."""
    return 1.0 if reply.status == 429 and reply.retry_after is None else busy_s(reply, again=True)
