"""How many connections and sockets are open at once, and how many may be."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.client_address import is_among, share_of
from punto.web.http.errors import WebCode

Key = TypeVar("Key")
FOR_THE_STAFF = 10
"""One in so many sockets is reserved for the staff, however many others connect."""


class OpenSockets:
    """The open sockets of a server: of each person, from each address, and together."""

    def __init__(self, config: Config) -> None:
        self._most, self._each, self._from = config.sockets, config.sockets_each, config.lines_each
        self._open: Counter[tuple[str, str]] = Counter()
        self._total = 0

    def total(self) -> int:
        """How many are open."""
        return self._total

    def __bool__(self) -> bool:
        return bool(self._total or self._open)

    @contextmanager
    def one_more(self, name: str | None, address: str, *, staff: bool) -> Iterator[None]:
        """Count one more while it is open. ``name`` is None for an anonymous client.

        Everybody but the staff is counted by address as well: a visitor can take as many names as they like.
        """
        whose, from_there = ("name", name) if name is not None else ("nobody at", address), ("from", address)
        most = self._most if staff else self._most - self._most // FOR_THE_STAFF
        full = self._total >= most or self._open[whose] >= self._each
        if full or (not staff and self._open[from_there] >= self._from):
            raise Refused(WebCode.TOO_MANY, variant="sockets")
        counted = (whose,) if staff else (whose, from_there)
        self._total += 1
        self._open.update(counted)
        try:
            yield
        finally:
            self._total -= 1
            for key in counted:
                _one_less(self._open, key)


class Lines:
    """The open connections, by the address they come from."""

    def __init__(self, config: Config) -> None:
        self._most, self._proxies = config.lines_each, config.proxies
        self._open: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Count one more, unless the address has as many as it may; a proxy may have any number."""
        if self._proxies and is_among(address, self._proxies):
            return True
        if self.open_from(address) >= self._most:
            return False
        self._open[share_of(address)] += 1
        return True

    def open_from(self, address: str) -> int:
        """How many are open from there."""
        return self._open[share_of(address)]

    def give_back(self, address: str) -> None:
        """Count one less."""
        _one_less(self._open, share_of(address))


def _one_less(counted: "Counter[Key]", key: Key) -> None:
    if counted[key] > 1:
        counted[key] -= 1
    else:
        del counted[key]  # a Counter allows deleting a key it never had
