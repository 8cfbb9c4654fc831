"""Watch a table over web sockets, and resume after each reconnection. No input or output here."""

from typing import Any

import msgspec

from punto.client.errors import ClientCode, ClientRefused, answered
from punto.client.retry import Backoff, Reply, refusal, retry_after_s, unreachable
from punto.floor.errors import FloorCode
from punto.web.http.errors import WebCode
from punto.web.messages import Cursor, Moved, Problem, Stopped, Watch

MAX_SERVER_MESSAGE_BYTES = 64 * 1024 * 1024  # after a long absence, one message holds many events
TEMPORARY_CODES = frozenset({FloorCode.DATABASE_LOST, WebCode.TOO_MANY, WebCode.STOPPING})
"""If the server stops a subscription for one of these, try again."""
FATAL_CLOSES = frozenset({4000, 4029})
"""Close codes for errors of the client, which a retry would repeat. After all others, try again."""

_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Moved | Stopped)


class Subscription:
    """The position in a table's history. Every event is delivered once."""

    def __init__(self, table: str, after: Cursor | None, patience_s: float, *, state: bool) -> None:
        self._table, self._state = table, state
        self._cursor = after
        self._backoff = Backoff(patience_s)

    def watch_message(self) -> str:
        """The first message to send on a socket: continue where the last one ended."""
        return msgspec.json.encode(Watch(table=self._table, after=self._cursor, state=self._state)).decode()

    def receive(self, text: str | bytes) -> Moved:
        """Decode a message. Raises if the server has stopped the subscription."""
        try:
            message: Moved | Stopped = _DECODER.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ClientRefused(ClientCode.UNEXPECTED_ANSWER, variant="message", reason=str(error)) from error
        if isinstance(message, Stopped):
            temporary = message.error.code in TEMPORARY_CODES
            raise TemporarilyStopped(message.error) if temporary else answered(message.error)
        self._backoff.reset()
        self._cursor = message.cursor
        return message

    def wait_s_after(self, error: Exception) -> float:
        """Seconds to wait before the next socket, after one was lost or not opened. Raises if a retry is useless."""
        refused, after_s = _classify(error)
        wait_s = None if after_s is None else self._backoff.wait_s(after_s)
        if wait_s is None:
            raise refused from error
        return wait_s


class TemporarilyStopped(Exception):
    """The server has stopped the subscription, but may accept it again later."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _classify(error: Exception) -> tuple[ClientRefused, float | None]:
    """The refusal to raise, and the least time to wait before a retry, or None if a retry is useless."""
    from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: PLC0415 - needs the extra

    if isinstance(error, TemporarilyStopped):
        return answered(error.problem), 1.0
    if isinstance(error, InvalidStatus):
        response = error.response
        reply = Reply(response.status_code, bytes(response.body or b""), response.headers.get("Retry-After"))
        return refusal(reply), _socket_retry_after_s(reply)
    if isinstance(error, ConnectionClosed) and error.rcvd is not None:
        code, reason = error.rcvd.code, error.rcvd.reason
        closed = ClientRefused(ClientCode.UNREACHABLE, variant="closed", close_code=code, reason=reason)
        return closed, None if code in FATAL_CLOSES else 0.0
    return unreachable(str(error) or type(error).__name__), 0.0


def _socket_retry_after_s(reply: Reply) -> float | None:
    """Like ``retry_after_s``, but 429 without a time means too many sockets, and another one will close soon."""
    return 1.0 if reply.status == 429 and reply.retry_after is None else retry_after_s(reply, repeatable=True)
