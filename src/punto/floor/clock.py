"""Clocks are passed in, so tests can use one they control."""

import asyncio
import time
from typing import Protocol

SECOND_US = 1_000_000
HOUR_US = 3_600 * SECOND_US
DAY_US = 86_400 * SECOND_US


class Clock(Protocol):
    def now_us(self) -> int:
        """Unix time in microseconds. It may jump; only timestamps on record use it."""

    def steady_s(self) -> float:
        """Seconds since an arbitrary moment. It never jumps; timeouts use it."""

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def now_us(self) -> int:
        return time.time_ns() // 1_000

    def steady_s(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
