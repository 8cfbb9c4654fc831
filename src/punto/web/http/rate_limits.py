"""Rate limits: token buckets by person or address. A refusal says how long to wait."""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from punto.catalogue.sentence import Phrase, phrase
from punto.floor.clock import Clock
from punto.floor.journal.actor import Actor, person_key
from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.config import Config
from punto.web.http.client_address import MAX_ADDRESSES
from punto.web.http.errors import WebCode

BURST_S = 3
"""A bucket holds the requests of this many seconds."""
REPLAY_BURST_S = 10
COMPLAINTS_PER_HOUR, COMPLAINTS_AT_ONCE = 6, 3
"""Of one player, and from one address."""
STAFF_FACTOR = 10
"""An employee or a machine may give this many times the commands of a player."""


class TooMany(Refused):
    def __init__(self, what: Phrase, wait_s: float) -> None:
        self.wait_s = max(1, math.ceil(wait_s))
        super().__init__(WebCode.TOO_MANY, variant="wait", what=what, seconds=self.wait_s)


class Bucket:
    """A token bucket for each key, refilled at a steady rate. Drops the keys that were not used for longest."""

    def __init__(self, clock: Clock, what: Phrase, per_s: float, burst: float) -> None:
        self._clock, self._what, self._per_s, self._burst = clock, what, per_s, burst
        self._left: dict[str, tuple[float, float]] = {}

    def give_back(self, key: str) -> None:
        """Put back one token that was not needed."""
        if key in self._left:
            left, at_s = self._left[key]
            self._left[key] = (min(self._burst, left + 1), at_s)

    @contextmanager
    def take_if_done(self, key: str) -> Iterator[None]:
        """Take one token, and put it back if the ``with`` block raises."""
        self.take(key)
        try:
            yield
        except BaseException:
            self.give_back(key)
            raise

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


class Throttle:
    """A token bucket for each key. A sender that takes too many has to wait, and is not refused."""

    def __init__(self, clock: Clock, per_s: float, burst: float) -> None:
        self._clock, self._per_s, self._burst = clock, per_s, burst
        self._left: dict[str, tuple[float, float]] = {}

    async def take(self, key: str, cost: int) -> None:
        now_s = self._clock.steady_s()
        left, at_s = self._left.pop(key, (self._burst, now_s))
        left = min(self._burst, left + (now_s - at_s) * self._per_s) - cost
        self._left[key] = (left, now_s)
        if len(self._left) > MAX_ADDRESSES:
            del self._left[next(iter(self._left))]
        if left < 0:
            await self._clock.sleep(-left / self._per_s)


class RateLimits:
    def __init__(self, config: Config, clock: Clock) -> None:
        self.commands = Bucket(clock, phrase("phrase.commands"), config.commands_per_s, config.commands_per_s * BURST_S)
        self.requests = Bucket(clock, phrase("phrase.requests"), config.asks_per_s, config.asks_per_s * BURST_S)
        per_min, per_min_from = config.accepted_per_min, config.accepted_per_min_from
        accepted = phrase("phrase.commands")
        self._by_player = Bucket(clock, accepted, per_min / 60, per_min)
        self._by_staff = Bucket(clock, accepted, per_min * STAFF_FACTOR / 60, per_min * STAFF_FACTOR)
        self._from_address = Bucket(clock, accepted, per_min_from / 60, per_min_from)
        replay_per_s = config.replay_kb_per_s * 1024
        self.replay = Throttle(clock, replay_per_s, replay_per_s * REPLAY_BURST_S)
        self.complaints = Bucket(clock, phrase("phrase.complaints"), COMPLAINTS_PER_HOUR / 3_600, COMPLAINTS_AT_ONCE)
        self.sign_ins = Bucket(clock, phrase("phrase.sign_ins"), config.sign_ins_per_min / 60, config.sign_ins_per_min)

    @contextmanager
    def accepting(self, by: Actor, address: str) -> Iterator[None]:
        """Count a command, unless the ``with`` block raises: only accepted commands are written to the journal.

        Players are also counted by address, because a visitor can use any number of names.
        """
        with ExitStack() as stack:
            if by.position is Position.PLAYER:
                stack.enter_context(self._from_address.take_if_done(address))
                stack.enter_context(self._by_player.take_if_done(person_key(by)))
            else:
                stack.enter_context(self._by_staff.take_if_done(person_key(by)))
            yield
