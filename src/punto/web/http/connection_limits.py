"""Limits on the connections and WebSockets that are open at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from punto.floor.errors import FloorCode, FloorRefused
from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.client_address import is_among, limit_key
from punto.web.http.errors import WebCode

Key = TypeVar("Key")
STAFF_SHARE = 10
"""One in this many WebSockets is reserved for staff."""


class OpenSockets:
    """Counts the open WebSockets of each person, of each address and in total."""

    def __init__(self, config: Config) -> None:
        self._max, self._max_each, self._max_from = config.sockets, config.sockets_each, config.lines_each
        self._open: Counter[tuple[str, str]] = Counter()
        self._total = 0

    def total(self) -> int:
        return self._total

    def __bool__(self) -> bool:
        return bool(self._total or self._open)

    @contextmanager
    def count_one(self, who: str | None, address: str, *, staff: bool) -> Iterator[None]:
        """Count one more in the ``with`` block. ``who`` identifies a person; None for an anonymous client.

        Everybody except staff is also counted by address, because a visitor can use any number of names.
        """
        person, origin = ("person", who) if who is not None else ("anonymous", address), ("from", address)
        limit = self._max if staff else self._max - self._max // STAFF_SHARE
        full = self._total >= limit or self._open[person] >= self._max_each
        if full or (not staff and self._open[origin] >= self._max_from):
            raise Refused(WebCode.TOO_MANY, variant="sockets")
        counted = (person,) if staff else (person, origin)
        self._total += 1
        self._open.update(counted)
        try:
            yield
        finally:
            self._total -= 1
            for key in counted:
                _decrement(self._open, key)


class OpenConnections:
    """Counts the open connections of each address and in total. WebSockets are counted elsewhere."""

    def __init__(self, config: Config) -> None:
        self._max, self._max_each, self._proxies = config.lines, config.lines_each, config.proxies
        self._open: Counter[str] = Counter()
        self._total = 0

    def take(self, address: str) -> None:
        """Count one more. Refused if the server or the address is at its limit; proxies have none of their own."""
        if self._total >= self._max:
            raise FloorRefused(FloorCode.BUSY, variant="connections")
        trusted = self._proxies and is_among(address, self._proxies)
        if not trusted and self.open_from(address) >= self._max_each:
            raise Refused(WebCode.TOO_MANY, variant="connections")
        self._open[limit_key(address)] += 1
        self._total += 1

    def open_from(self, address: str) -> int:
        return self._open[limit_key(address)]

    def release(self, address: str) -> None:
        _decrement(self._open, limit_key(address))
        self._total -= 1


def _decrement(counts: "Counter[Key]", key: Key) -> None:
    if counts[key] > 1:
        counts[key] -= 1
    else:
        del counts[key]  # a Counter allows deleting a missing key
