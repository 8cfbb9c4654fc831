"""Waiting for something to happen, and never for time to pass: a test must hold on a machine however busy.

How fast something is, ``bench/`` measures.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

DEADLINE_S = 180.0
"""Only against hanging: far more than anything takes, also where every core is busy with something else."""
_LOOK_AGAIN_S = 0.005


def wait_until(condition: Callable[[], object], what: str = "it") -> None:
    """Wait until it holds, in a thread."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"{what} never came"
        time.sleep(_LOOK_AGAIN_S)


async def until(condition: Callable[[], object], what: str = "it") -> None:
    """Wait until it holds, in an event loop."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"{what} never came"
        await asyncio.sleep(_LOOK_AGAIN_S)


async def turns(count: int = 50) -> None:
    """Let everything that is ready on this event loop run, some times over."""
    for _ in range(count):
        await asyncio.sleep(0)


def run(evening: Coroutine[Any, Any, None]) -> None:
    """Run it to its end, but not for ever."""
    asyncio.run(asyncio.wait_for(evening, DEADLINE_S))
