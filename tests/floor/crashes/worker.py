"""A process of a floor, to fight with others and to be killed: ``python -m tests.floor.crashes.worker WHAT URL ...``.

It says on a line of JSON what has happened, once that is so, and begins when it is told to.
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
    """One line, at once."""
    print(json.dumps(what), flush=True)  # noqa: T201 - how it speaks


async def told() -> str:
    """Wait for a line."""
    line: str = await asyncio.to_thread(sys.stdin.readline)
    return line.strip()


async def bet(url: str, table: str, name: str, count: str) -> None:
    """Place so many bets of the smallest unit, one after the other."""
    async with running(url) as floor:
        at = At(floor, table, name)
        say(ready=True)
        await told()
        for number in range(int(count)):
            answer = await at.bet(name, 1, f"{name} {number}", box={"ann": 1, "ben": 2}[name])
            say(version=answer.entries[0].version if answer.entries else None, refusal=str(answer.refusal))


async def keep(url: str) -> None:
    """Run the tables of a floor, until the end of standard input."""
    async with running(url) as floor:
        keeper = Keeper(floor)
        await keeper.look()
        running_on = asyncio.create_task(keeper.run())
        say(ready=True, process=floor.process)
        await told()
        running_on.cancel()
        await keeper.stop()


async def start(url: str) -> None:
    """Try to start a floor, and say what became of it."""
    try:
        async with running(url):
            say(started=True)
            await told()
    except FloorRefused as refused:
        say(started=False, code=refused.code)


DOES: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"bet": bet, "keep": keep, "start": start}

if __name__ == "__main__":
    asyncio.run(DOES[sys.argv[1]](*sys.argv[2:]))
