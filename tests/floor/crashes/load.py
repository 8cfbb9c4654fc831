"""A floor under load, to be killed: all games, and players who bet, insure, buy in and cash out.

``python -m tests.floor.crashes.load URL`` imports everything and waits for a line of JSON. Then, all at once, it
recovers the tables, repeats the commands without an answer, and plays, until it is killed or has printed as many lines
as it may before it kills itself. It prints each command before giving it, and each answer.
"""

import asyncio
import json
import os
import random
import signal
import sys
from typing import Any

import msgspec

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.library import book, book_ids
from punto.table.records.positions import Position
from tests.floor.crashes import worker
from tests.floor.crashes.worker import told
from tests.floor.playing import DEALER, SUPERVISOR, player, running
from tests.table.tables import ALL_AUTOMATIONS, settings

PLAYERS = ("ann", "ben")
Ask = dict[str, Any]
"""Id, table, name, position and body of a command."""


_lines_left: list[int] = []
"""Lines to print before it kills itself; empty for no limit."""


def say(**what: Any) -> None:
    """Print one line at once; it may be the last."""
    worker.say(**what)
    if _lines_left:
        _lines_left[0] -= 1
        if _lines_left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def table_settings(rules: str) -> dict[str, Any]:
    """Settings of every table of the campaign."""
    wanted: dict[str, Any] = msgspec.to_builtins(settings(book(rules), automations=ALL_AUTOMATIONS, burn=True))
    return wanted


def some_command(draw: random.Random, table: str, box: int) -> tuple[Actor, dict[str, Any]]:
    """A command that somebody might give now. Many are refused."""
    who = PLAYERS[box - 1]
    kind = draw.random()
    if kind < 0.70:
        bet = draw.choice(["player", "banker", "tie", "player_pair"])
        body: dict[str, Any] = {"command": "place_bet.1", "bet": bet, "stake_minor": draw.randint(1, 500)}
        return player(who), {**body, "who": who, "box": box}
    if kind < 0.80:
        body = {"command": "withdraw_bet.1", "bet": "player", "amount_minor": draw.randint(1, 500)}
        return player(who), {**body, "who": who, "box": box}
    if kind < 0.90:
        return player(who), {"command": "take_insurance.1", "who": who, "box": box, "stake_minor": draw.randint(1, 50)}
    if kind < 0.99:
        tag = draw.choice(["buy_in.1", "cash_out.1"])
        return DEALER, {"command": tag, "who": who, "amount_minor": draw.randint(1, 10_000)}
    if kind < 0.995:
        return SUPERVISOR, {"command": "close_table.1"}
    return SUPERVISOR, {"command": "open_table.1", "settings": table_settings(table), "float_minor": 0}


async def ask(floor: Floor, wish: Ask) -> None:
    """Give a command until it is answered, always with the same id."""
    by = Actor(wish["by"], Position(wish["position"]))
    while True:
        try:
            answer = await floor.submit(by, wish["table"], wish["id"], wish["body"])
        except FloorRefused as refused:
            if refused.code is not FloorCode.DATABASE_LOST:
                raise
            await asyncio.sleep(0.05)
            continue
        if answer.refusal is not None:
            say(id=wish["id"], refused=answer.refusal.code)
        else:
            last = answer.entries[-1]
            say(id=wish["id"], stream=last.stream, version=last.version, hash=last.hash)
        return


async def client(floor: Floor, name: str, table: str, box: int, seed: str) -> None:
    """One player and their dealer at one table, without end."""
    draw = random.Random(seed)  # noqa: S311 - no cards are drawn here
    for number in range(1_000_000):
        by, body = some_command(draw, table, box)
        wish = {"id": f"{name}-{number}", "table": table, "by": by.name, "position": by.position, "body": body}
        say(asks=wish)
        await ask(floor, wish)
        await asyncio.sleep(draw.random() * 0.004)


async def recover(keeper: Keeper, draw: random.Random) -> None:
    """Recover every table that no command has recovered first."""
    await asyncio.sleep(draw.random() * 0.03)  # so sometimes the house and sometimes the clients come first
    await keeper.run_once()
    say(recovered=True)


async def load(url: str) -> None:
    """Recover, repeat and play, all at once."""
    say(ready=True)
    begin = json.loads(await told())
    if begin["lines"] is not None:
        _lines_left.append(begin["lines"])
    say(begun=True)
    async with running(url) as floor:
        keeper = Keeper(floor)
        playing = []
        if begin["play"]:
            for rules in book_ids():
                for box in range(1, len(PLAYERS) + 1):
                    name = f"{begin['run']}-{rules}-{box}"
                    playing.append(asyncio.create_task(client(floor, name, rules, box, name)))
        draw = random.Random(begin["run"])  # noqa: S311 - no cards are drawn here
        await asyncio.gather(*(ask(floor, wish) for wish in begin["again"]), recover(keeper, draw))
        say(asked_again=True)
        if playing:
            playing.append(asyncio.create_task(keeper.run()))
            ended, _ = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
            ended.pop().result()
        await keeper.stop()


if __name__ == "__main__":
    asyncio.run(load(sys.argv[1]))
