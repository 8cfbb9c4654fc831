"""Wait for something to happen, never for time to pass: a test must pass on a busy machine too.

``bench/`` measures speed.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

DEADLINE_S = 180.0
"""Only guards against hanging: far more than anything takes, even if every core is busy."""
_LOOK_AGAIN_S = 0.005


def wait_until(condition: Callable[[], object], what: str = "it") -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"{what} never came"
        time.sleep(_LOOK_AGAIN_S)


async def until(condition: Callable[[], object], what: str = "it") -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"{what} never came"
        await asyncio.sleep(_LOOK_AGAIN_S)


async def turns(count: int = 50) -> None:
    """Let everything that is ready on this event loop run, several times."""
    for _ in range(count):
        await asyncio.sleep(0)


def run(session: Coroutine[Any, Any, None]) -> None:
    """Run it to its end, but not longer than the deadline."""
    asyncio.run(asyncio.wait_for(session, DEADLINE_S))
