"""Rate limits: nobody gets more than his share, and who asks too often is told when to come back."""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TypeVar

from punto.catalogue.sentence import Phrase, phrase
from punto.floor.clock import Clock
from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.errors import WebCode

Key = TypeVar("Key")
BURST_S = 3
"""What was not used is saved up for so long."""
MOST_KNOWN = 20_000
"""How many are kept in mind at the most; the longest silent are forgotten, and they have their whole share again."""


class TooMany(Refused):
    """Asked too often."""

    def __init__(self, what: Phrase, wait_s: float) -> None:
        self.wait_s = max(1, math.ceil(wait_s))
        super().__init__(WebCode.TOO_MANY, variant="wait", what=what, seconds=self.wait_s)


class Bucket:
    """So many at once, filled again at a steady rate."""

    def __init__(self, clock: Clock, what: Phrase, per_s: float, burst: float) -> None:
        self._clock, self._what, self._per_s, self._burst = clock, what, per_s, burst
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str, cost: int = 1) -> None:
        """One of them, or one that counts as some; or refused."""
        weight = min(cost, self._burst)  # who has his whole share may always ask
        now_s = self._clock.steady_s()
        left, at_s = self._left.pop(key, (self._burst, now_s))
        left = min(self._burst, left + (now_s - at_s) * self._per_s)
        taken = left >= weight
        self._left[key] = (left - weight if taken else left, now_s)
        if len(self._left) > MOST_KNOWN:
            del self._left[next(iter(self._left))]
        if not taken:
            raise TooMany(self._what, (weight - left) / self._per_s)


class RateLimits:
    """The limits of a server."""

    def __init__(self, config: Config, clock: Clock) -> None:
        self.commands = Bucket(clock, phrase("phrase.commands"), config.commands_per_s, config.commands_per_s * BURST_S)
        self.asks = Bucket(clock, phrase("phrase.requests"), config.asks_per_s, config.asks_per_s * BURST_S)
        self.sign_ins = Bucket(clock, phrase("phrase.sign_ins"), config.sign_ins_per_min / 60, config.sign_ins_per_min)


# ---- where somebody comes from


@lru_cache(MOST_KNOWN)
def share_of(address: str) -> str:
    """Whose share an address draws on: of the newer kind everybody has a whole network to himself."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address) or found.is_loopback:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> 64 << 64)) + "/64"


def is_here(address: str) -> bool:
    """Whether somebody comes from this very machine."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


# ---- lines that are open

FOR_THE_STAFF = 10
"""One in so many sockets is kept for those who work here, however many others come."""


class OpenSockets:
    """The sockets of a server that are open: of each person, from each address, and together."""

    def __init__(self, config: Config) -> None:
        self._most, self._each, self._from = config.sockets, config.sockets_each, config.lines_each
        self._open: Counter[tuple[str, str]] = Counter()
        self._total = 0

    def total(self) -> int:
        """How many."""
        return self._total

    def __bool__(self) -> bool:
        return bool(self._total or self._open)

    @contextmanager
    def one_more(self, name: str | None, address: str, *, staff: bool) -> Iterator[None]:
        """A further one, as long as it is open; None is nobody in particular. Names cost a visitor nothing."""
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


def _is_among(address: str, proxies: tuple[str, ...]) -> bool:
    """Whether a proxy is one of these: addresses, networks, or all there are."""
    try:
        found = ip_address(address)
        return any(one in ("*", address) or found in ip_network(one, strict=False) for one in proxies)
    except ValueError:
        return address in proxies


class Lines:
    """The connections that are open, by the address they come from."""

    def __init__(self, config: Config) -> None:
        self._most, self._proxies = config.lines_each, config.proxies
        self._open: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """A further one, unless there are enough; a proxy brings as many as it likes."""
        if self._proxies and _is_among(address, self._proxies):
            return True
        if self.open_from(address) >= self._most:
            return False
        self._open[share_of(address)] += 1
        return True

    def open_from(self, address: str) -> int:
        """How many."""
        return self._open[share_of(address)]

    def give_back(self, address: str) -> None:
        """One less."""
        _one_less(self._open, share_of(address))


def _one_less(counted: "Counter[Key]", key: Key) -> None:
    if counted[key] > 1:
        counted[key] -= 1
    else:
        del counted[key]  # a counter takes that for what was never in it too
