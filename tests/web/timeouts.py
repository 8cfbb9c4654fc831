"""Timeouts that expire when a test says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ManualTimeouts:
    """Replaces ``asyncio.timeout``: no timeout expires on its own."""

    def __init__(self) -> None:
        self._open: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def timeout(self, _seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
        """Like ``asyncio.timeout``, but expires at :meth:`run_out`."""
        async with asyncio.Timeout(None) as one:
            self._open.add(one)
            try:
                yield one
            finally:
                self._open.remove(one)

    async def run_out(self) -> None:
        """Let every open timeout expire."""
        for one in self._open:
            one.reschedule(asyncio.get_running_loop().time())
