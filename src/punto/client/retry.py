"""How one thing is asked until it is answered: what to send, how long to wait, when to give up. No line is opened here.

A talk is a generator. It yields a ``Request`` to be sent or a ``Wait`` to be waited, is sent the ``Reply`` or ``Lost``,
and returns the answer. Whoever drives it, with threads or with an event loop, does nothing but that.
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
BUSY = frozenset({429, 502, 503, 504})
"""Statuses that pass: too much was asked, or the server or its database is just not there."""

_JITTER = secrets.SystemRandom()


class Request(Struct, frozen=True):
    """Something to send."""

    method: str
    path: str
    body: bytes | None = None


class Wait(Struct, frozen=True):
    """Something to wait."""

    seconds: float


class Reply(Struct, frozen=True):
    """What came back."""

    status: int
    body: bytes
    retry_after: str | None = None


class Lost(Struct, frozen=True):
    """Nothing came back."""

    why: str
    sent: bool
    """The server may have got it."""


Talk: TypeAlias = Generator[Request | Wait, Reply | Lost | None, T]


class Ask(Struct, Generic[T], frozen=True):
    """Something that is asked of a server, and the record in which it answers."""

    request: Request
    answer: type[T]
    again: bool = True
    """To ask twice does no more than to ask once, so that it can be asked until it is answered."""


class Backoff:
    """How long to wait before the next try: longer each time, never all at the same moment, and not for ever."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self.heard()

    def heard(self) -> None:
        """The server answers: patience begins anew."""
        self._next_s, self._until_s = FIRST_WAIT_S, time.monotonic() + self._patience_s

    def wait_s(self, at_least_s: float = 0.0) -> float | None:
        """So many seconds; None: it has been long enough."""
        wait_s = max(at_least_s, self._next_s * _JITTER.uniform(0.5, 1.0))
        self._next_s = min(2 * self._next_s, LONGEST_WAIT_S)
        return wait_s if time.monotonic() + wait_s <= self._until_s else None


def asking(ask: Ask[T], patience_s: float) -> Talk[T]:
    """Ask until there is an answer, or until it has been long enough."""
    backoff = Backoff(patience_s)
    while True:
        reply = yield ask.request
        if isinstance(reply, Reply) and reply.status < 400:
            return read(reply, ask.answer)
        if isinstance(reply, Reply):
            trouble, after_s = refusal(reply), busy_s(reply, again=ask.again)
        else:
            assert reply is not None  # noqa: S101 - a request is answered, or lost
            trouble, after_s = lost(reply.why), 0.0 if ask.again or not reply.sent else None
        wait_s = None if after_s is None else backoff.wait_s(after_s)
        if wait_s is None:
            raise trouble
        yield Wait(wait_s)


def busy_s(reply: Reply, *, again: bool) -> float | None:
    """After how long a refusal may have passed; None: it will not."""
    told = reply.retry_after or ""
    if reply.status == 429:  # nothing was done; where no time is told it is a lock-out, which takes long
        return float(told) if told.isdecimal() else None
    if reply.status not in BUSY or not again:
        return None
    return float(told) if told.isdecimal() else 0.0


def lost(why: str) -> ClientRefused:
    """Nobody answers."""
    return ClientRefused(ClientCode.UNREACHABLE, reason=why)


def read(reply: Reply, answer: type[T]) -> T:
    """The record that was answered; None where that is what is expected."""
    if answer is type(None):
        return None  # T is None then
    try:
        return msgspec.json.decode(reply.body, type=answer)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise unexpected(error, reply.status) from error


def refusal(reply: Reply) -> ClientRefused:
    """The refusal that was answered."""
    try:
        return answered(msgspec.json.decode(reply.body, type=messages.ErrorBody).error, reply.status)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return unexpected(error, reply.status)


def unexpected(error: Exception, status: int) -> ClientRefused:
    """What was answered cannot be read."""
    return ClientRefused(ClientCode.UNEXPECTED_ANSWER, status=status, http_status=status, reason=str(error))
