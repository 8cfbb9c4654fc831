"""Time, handed in, so that a test can tell it."""

import asyncio
import time
from typing import Protocol

SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US


class Clock(Protocol):
    """What a floor needs of time."""

    def now_us(self) -> int:
        """Microseconds of Unix time, for the record."""

    def steady_s(self) -> float:
        """Seconds that never jump, for waiting."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The machine's."""

    def now_us(self) -> int:
        """Microseconds of Unix time; it may jump, and nothing but the record depends on it."""
        return time.time_ns() // 1_000

    def steady_s(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
