"""Rate limits: token buckets by person or address. A refusal says how long to wait."""

import math

from punto.catalogue.sentence import Phrase, phrase
from punto.floor.clock import Clock
from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.client_address import MAX_ADDRESSES
from punto.web.http.errors import WebCode

BURST_S = 3
"""A bucket holds the requests of this many seconds."""


class TooMany(Refused):
    def __init__(self, what: Phrase, wait_s: float) -> None:
        self.wait_s = max(1, math.ceil(wait_s))
        super().__init__(WebCode.TOO_MANY, variant="wait", what=what, seconds=self.wait_s)


class Bucket:
    """A token bucket for each key, refilled at a steady rate. Drops the keys that were not used for longest."""

    def __init__(self, clock: Clock, what: Phrase, per_s: float, burst: float) -> None:
        self._clock, self._what, self._per_s, self._burst = clock, what, per_s, burst
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str, cost: int = 1) -> None:
        """Take ``cost`` tokens. Refused if there are not enough left."""
        weight = min(cost, self._burst)  # a full bucket pays for any request
        now_s = self._clock.steady_s()
        left, at_s = self._left.pop(key, (self._burst, now_s))
        left = min(self._burst, left + (now_s - at_s) * self._per_s)
        taken = left >= weight
        self._left[key] = (left - weight if taken else left, now_s)
        if len(self._left) > MAX_ADDRESSES:
            del self._left[next(iter(self._left))]
        if not taken:
            raise TooMany(self._what, (weight - left) / self._per_s)


class RateLimits:
    def __init__(self, config: Config, clock: Clock) -> None:
        self.commands = Bucket(clock, phrase("phrase.commands"), config.commands_per_s, config.commands_per_s * BURST_S)
        self.requests = Bucket(clock, phrase("phrase.requests"), config.asks_per_s, config.asks_per_s * BURST_S)
        self.sign_ins = Bucket(clock, phrase("phrase.sign_ins"), config.sign_ins_per_min / 60, config.sign_ins_per_min)
