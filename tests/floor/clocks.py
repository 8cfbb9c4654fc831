"""A clock that a test controls."""

import asyncio


class ManualClock:
    """Time passes only on request, and the time of day can be set freely."""

    def __init__(self) -> None:
        self.day_us = 1_700_000_000_000_000
        self._steady_s = 0.0
        self._sleeping: list[tuple[float, asyncio.Future[None]]] = []

    def now_us(self) -> int:
        """The time of day, which may jump."""
        return self.day_us

    def steady_s(self) -> float:
        """Seconds that have passed."""
        return self._steady_s

    async def sleep(self, seconds: float) -> None:
        """Wait until this many seconds have passed."""
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleeping.append((self._steady_s + seconds, waking))
        await waking

    def asleep(self) -> int:
        """How many tasks are sleeping."""
        return sum(not waking.done() for _, waking in self._sleeping)

    def passes(self, seconds: float) -> None:
        """Let this much time pass."""
        self._steady_s += seconds
        self.day_us += round(seconds * 1_000_000)
        for due_s, waking in self._sleeping:
            if due_s <= self._steady_s + 1e-9 and not waking.done():
                waking.set_result(None)
        self._sleeping = [one for one in self._sleeping if not one[1].done()]
