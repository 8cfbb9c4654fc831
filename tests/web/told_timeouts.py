"""Time-outs that run out when a test says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ToldTimeouts:
    """Stands in for ``asyncio.timeout``: no time-out runs out by itself."""

    def __init__(self) -> None:
        self._open: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def timeout(self, _seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
        """As ``asyncio.timeout``, until :meth:`run_out`."""
        async with asyncio.Timeout(None) as one:
            self._open.add(one)
            try:
                yield one
            finally:
                self._open.remove(one)

    async def run_out(self) -> None:
        """Every time-out that is open now runs out."""
        for one in self._open:
            one.reschedule(asyncio.get_running_loop().time())
