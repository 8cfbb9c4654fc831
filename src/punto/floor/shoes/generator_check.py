"""Health tests of the random generator, at the start of a process and before each virtual shoe.

They find a generator that is broken, not one that is merely weak: a fair one fails less than once in 2**30 checks. The
first two are the health tests of NIST SP 800-90B for 8 bits of entropy in a byte.
"""

import hashlib
import logging
import secrets
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from itertools import groupby

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import GeneratorFailed

RandomBytes = Callable[[int], bytes]
"""Makes this many random bytes."""

SAMPLE_BYTES = 4_096
WINDOW_BYTES = 512
REPETITIONS = 7
"""Equal bytes in a row. Chance of a fair sample: 2**-36."""
OCCURRENCES = 21
"""Of the first byte of a window, in it. Chance in any of the eight windows: 2**-41."""
ONES_OFF = 634
"""Bits that are set, more or less than half of them: seven standard deviations. Chance: 2**-38."""
LEAST_CHI_SQUARE, MOST_CHI_SQUARE = 0.25, 93.0
"""Of the 16 half-bytes, with 15 degrees of freedom. Chance below or above: 2**-36 and 2**-41."""
_LOG = logging.getLogger(__name__)


class GeneratorFault(StrEnum):
    """The test that failed."""

    REPETITION = "repetition"
    PROPORTION = "proportion"
    MONOBIT = "monobit"
    POKER = "poker"
    SAME_AGAIN = "same_again"
    """The same bytes as the time before."""
    UNAVAILABLE = "unavailable"
    """No bytes came, or not as many."""


def find_fault(sample: bytes) -> GeneratorFault | None:
    """The first test that a sample fails."""
    if len(sample) != SAMPLE_BYTES:
        return GeneratorFault.UNAVAILABLE
    if max(len([*run]) for _, run in groupby(sample)) >= REPETITIONS:
        return GeneratorFault.REPETITION
    windows = (sample[at : at + WINDOW_BYTES] for at in range(0, SAMPLE_BYTES, WINDOW_BYTES))
    if any(window.count(window[0]) >= OCCURRENCES for window in windows):
        return GeneratorFault.PROPORTION
    if abs(int.from_bytes(sample).bit_count() - SAMPLE_BYTES * 4) >= ONES_OFF:
        return GeneratorFault.MONOBIT
    if not LEAST_CHI_SQUARE < _chi_square(sample) < MOST_CHI_SQUARE:
        return GeneratorFault.POKER
    return None


def _chi_square(sample: bytes) -> float:
    """How far the frequencies of the half-bytes are from equal."""
    halves, expected = sample.hex(), SAMPLE_BYTES * 2 / 16
    counts = Counter(halves)
    return sum((counts[half] - expected) ** 2 for half in "0123456789abcdef") / expected


class Generator:
    """The generator of this process. Once it has failed it counts as broken until the next start."""

    def __init__(self, house_log: HouseLog, random_bytes: RandomBytes = secrets.token_bytes) -> None:
        self._house_log, self._random_bytes = house_log, random_bytes
        self.checked_us = 0
        self.fault: GeneratorFault | None = None
        self._on_record = False
        self._last = b""
        """The hash of the last sample."""

    async def check(self) -> None:
        """Test a new sample. A failure goes on record once."""
        if self.fault is None:
            self.checked_us = self._house_log.clock.now_us()
            self.fault = self._find()
        if self.fault is not None and not self._on_record:
            _LOG.error("the random generator failed its test (%s): virtual tables are out of play", self.fault)
            await self._house_log.write(THE_HOUSE, GeneratorFailed(self.fault))
            self._on_record = True

    def require_sound(self) -> None:
        if self.fault is not None:
            raise FloorRefused(FloorCode.GENERATOR_FAILED, test=self.fault)

    def _find(self) -> GeneratorFault | None:
        try:
            sample = self._random_bytes(SAMPLE_BYTES)
        except (OSError, NotImplementedError):
            return GeneratorFault.UNAVAILABLE
        before, self._last = self._last, hashlib.sha256(sample).digest()
        return GeneratorFault.SAME_AGAIN if before == self._last else find_fault(sample)
