"""Work that keeps a processor busy: in a thread, one piece at a time, with a bounded queue."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from punto.floor.errors import FloorRefused

P = ParamSpec("P")
T = TypeVar("T")

BUSY_WAIT_S = 2
"""When a refused client should try again."""


class Turns:
    """Lets one at a time pass. ``busy`` makes the refusal where too many wait."""

    def __init__(self, max_waiting: int, busy: Callable[[], FloorRefused]) -> None:
        self._max_waiting, self._busy, self._waiting = max_waiting, busy, 0
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn; refused if too many wait. A caller that is cancelled leaves the queue."""
        if self._waiting >= self._max_waiting:
            raise self._busy()
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._free.release()


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run it in a thread. A caller that is cancelled waits for the end, because processor and memory are in use."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        raise
