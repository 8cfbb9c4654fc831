"""A process of a floor that competes with others and is killed: ``python -m tests.floor.crashes.worker WHAT URL ...``.

It prints a line of JSON for each thing that has happened, and starts when it reads a line.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from punto.floor.errors import FloorRefused
from punto.floor.running.supervisor import Keeper
from tests.floor.playing import At, running


def say(**what: Any) -> None:
    """Print one line at once."""
    print(json.dumps(what), flush=True)  # noqa: T201 - its output


async def told() -> str:
    """Wait for a line on standard input."""
    line: str = await asyncio.to_thread(sys.stdin.readline)
    return line.strip()


async def bet(url: str, table: str, name: str, count: str) -> None:
    """Place this many minimum bets, one after the other."""
    async with running(url) as floor:
        at = At(floor, table, name)
        say(ready=True)
        await told()
        for number in range(int(count)):
            answer = await at.bet(name, 1, f"{name} {number}", box={"ann": 1, "ben": 2}[name])
            say(version=answer.entries[0].version if answer.entries else None, refusal=str(answer.refusal))


async def keep(url: str) -> None:
    """Run the tables of a floor until standard input ends."""
    async with running(url) as floor:
        keeper = Keeper(floor)
        await keeper.run_once()
        running_on = asyncio.create_task(keeper.run())
        say(ready=True, process=floor.process)
        await told()
        running_on.cancel()
        await keeper.stop()


async def start(url: str) -> None:
    """Try to start a floor and print the result."""
    try:
        async with running(url):
            say(started=True)
            await told()
    except FloorRefused as refused:
        say(started=False, code=refused.code)


DOES: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"bet": bet, "keep": keep, "start": start}

if __name__ == "__main__":
    asyncio.run(DOES[sys.argv[1]](*sys.argv[2:]))
