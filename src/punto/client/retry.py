"""Repeat a request until it is answered: what to send, how long to wait, when to give up. No input or output here.

An exchange is a generator. It yields a ``Request`` to send or a ``Wait`` to sleep, is sent the ``Reply`` or ``Lost``,
and returns the answer. The clients only drive it, in a thread or in an event loop.
"""

import secrets
import time
from collections.abc import Generator
from typing import Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from punto.client.errors import ClientCode, ClientRefused, answered
from punto.web import messages

T = TypeVar("T")

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 5.0
BUSY_STATUSES = frozenset({429, 502, 503, 504})
"""Temporary statuses: too many requests, or the server or its database is not available."""

_JITTER = secrets.SystemRandom()


class Request(Struct, frozen=True):
    method: str
    path: str
    body: bytes | None = None


class Wait(Struct, frozen=True):
    seconds: float


class Reply(Struct, frozen=True):
    status: int
    body: bytes
    retry_after: str | None = None
    release: str | None = None
    """Of the server."""


class Lost(Struct, frozen=True):
    """The connection failed before a reply."""

    why: str
    sent: bool
    """The server may have received the request."""


Exchange: TypeAlias = Generator[Request | Wait, Reply | Lost | None, T]


class ApiCall(Struct, Generic[T], frozen=True):
    """A request, and the type of its answer."""

    request: Request
    answer: type[T]
    repeatable: bool = True
    """Sending it twice has the same effect as sending it once."""


class Backoff:
    """Waiting times between tries: growing, with jitter, for at most ``patience_s`` in total."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self.reset()

    def reset(self) -> None:
        """Start again with the shortest wait: the server has answered."""
        self._next_s, self._until_s = FIRST_WAIT_S, time.monotonic() + self._patience_s

    def wait_s(self, at_least_s: float = 0.0) -> float | None:
        """Seconds to wait before the next try, or None to give up."""
        wait_s = max(at_least_s, self._next_s * _JITTER.uniform(0.5, 1.0))
        self._next_s = min(2 * self._next_s, LONGEST_WAIT_S)
        return wait_s if time.monotonic() + wait_s <= self._until_s else None


def send_until_answered(call: ApiCall[T], patience_s: float) -> Exchange[T]:
    """Send until there is an answer, a refusal that will not pass, or ``patience_s`` is over."""
    backoff = Backoff(patience_s)
    while True:
        reply = yield call.request
        if isinstance(reply, Reply) and reply.status < 400:
            return read(reply, call.answer)
        if isinstance(reply, Reply):
            refused, after_s = refusal(reply), retry_after_s(reply, repeatable=call.repeatable)
        else:
            assert reply is not None  # noqa: S101 - a request gets a Reply or Lost
            refused, after_s = unreachable(reply.why), 0.0 if call.repeatable or not reply.sent else None
        wait_s = None if after_s is None else backoff.wait_s(after_s)
        if wait_s is None:
            raise refused
        yield Wait(wait_s)


def retry_after_s(reply: Reply, *, repeatable: bool) -> float | None:
    """The least time to wait before a retry, or None if a retry is useless or unsafe."""
    header = reply.retry_after or ""
    if reply.status == 429:  # the request had no effect; without a time it is a lock-out, which lasts long
        return float(header) if header.isdecimal() else None
    if reply.status not in BUSY_STATUSES or not repeatable:
        return None
    return float(header) if header.isdecimal() else 0.0


def unreachable(why: str) -> ClientRefused:
    return ClientRefused(ClientCode.UNREACHABLE, reason=why)


def read(reply: Reply, answer: type[T]) -> T:
    if answer is type(None):
        return None  # T is None then
    try:
        return msgspec.json.decode(reply.body, type=answer)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise unexpected(error, reply.status) from error


def refusal(reply: Reply) -> ClientRefused:
    """Decode the refusal in a reply."""
    try:
        return answered(msgspec.json.decode(reply.body, type=messages.ErrorBody).error, reply.status)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return unexpected(error, reply.status)


def unexpected(error: Exception, status: int) -> ClientRefused:
    """A reply that cannot be decoded."""
    return ClientRefused(ClientCode.UNEXPECTED_ANSWER, status=status, http_status=status, reason=str(error))
