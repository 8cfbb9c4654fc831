"""Floors with tables for tests."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from punto.floor.clock import Clock
from punto.floor.database import open_database
from punto.floor.journal.actor import Actor
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import Pace, TableSetup
from punto.floor.shoes import sealed
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.rules.coup.cards import Card, read_cards
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from tests.table.tables import settings

MANAGER = Actor("max", Position.PIT_MANAGER)
SUPERVISOR = Actor("sue", Position.PIT_SUPERVISOR)
DEALER = Actor("dora", Position.DEALER)
FLOAT_MINOR = 1_000_000_00
CHIPS_MINOR = 10_000_00
AT_ONCE = Pace(**dict.fromkeys(Pace.__struct_fields__, 0.0))
"""A table that never waits."""


def player(name: str) -> Actor:
    return Actor(name, Position.PLAYER)


@asynccontextmanager
async def running(url: str, clock: Clock | None = None) -> AsyncIterator[Floor]:
    """A started floor; at the end it is dropped as if its process had stopped."""
    database = open_database(url)
    try:
        floor = await Floor.start(database, clock, training=True)
        yield floor
    finally:
        database.close()


class At:
    """One table of a floor, with a new command id for each command."""

    def __init__(self, floor: Floor, name: str, ids: str = "") -> None:
        self.floor = floor
        self.name = name
        self._ids, self._count = ids or name, 0

    async def ask(self, by: Actor, command: str, command_id: str = "", **fields: Any) -> Answer:
        """Give a command and return the answer."""
        self._count += 1
        command_id = command_id or f"{self._ids}-{self._count}"
        return await self.floor.submit(by, self.name, command_id, {"command": f"{command}.1", **fields})

    async def do(self, by: Actor, command: str, command_id: str = "", **fields: Any) -> Answer:
        """Give a command that must be accepted."""
        answer = await self.ask(by, command, command_id, **fields)
        assert answer.refusal is None, answer.refusal
        return answer

    async def open(self, rules: str = "commission", **changes: Any) -> None:
        wanted = msgspec.to_builtins(settings(book(rules), **changes))
        asked = {"no_insurance_asked_by": "ann"} if wanted["no_insurance"] else {}
        await self.do(SUPERVISOR, "open_table", settings=wanted, float_minor=FLOAT_MINOR, **asked)

    async def seat(self, *names: str) -> None:
        """Players with chips at boxes 1 and up."""
        for box, name in enumerate(names, 1):
            await self.do(DEALER, "buy_in", who=name, amount_minor=CHIPS_MINOR)
            await self.do(player(name), "sit", who=name, box=box)

    async def bet(self, name: str, stake_minor: int, command_id: str = "", box: int = 1, bet: str = "player") -> Answer:
        fields = {"who": name, "box": box, "bet": bet, "stake_minor": stake_minor}
        return await self.ask(player(name), "place_bet", command_id, **fields)


async def manual_table(floor: Floor, name: str = "t1", rules: str = "commission", **changes: Any) -> At:
    """A table with a real shoe and without automation, with Ann and Ben seated."""
    await floor.create_table(MANAGER, TableSetup(name, rules, ShoeKind.MANUAL, pace=AT_ONCE))
    at = At(floor, name)
    await at.open(rules, **changes)
    await at.do(SUPERVISOR, "load_shoe", shoe=f"{name} 1", decks=book(rules).decks.most)
    await at.seat("ann", "ben")
    return at


async def sealed_table(
    floor: Floor, first: str = "", name: str = "t1", rules: str = "commission", **changes: Any
) -> At:
    """A table with a virtual shoe that starts with these cards, without automation, with Ann and Ben seated."""
    await floor.create_table(MANAGER, TableSetup(name, rules, pace=AT_ONCE))
    at = At(floor, name)
    await at.open(rules, **changes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sealed, "shuffled", lambda decks, _: _stacked(decks, first))
        await at.do(SUPERVISOR, "load_shoe", shoe=f"{name} 1", decks=book(rules).decks.most)
    await at.seat("ann", "ben")
    return at


def _stacked(decks: int, first: str) -> tuple[Card, ...]:
    on_top = tuple(card for card in read_cards(first) if card is not None)
    return (*on_top, *(Counter(tuple(Card) * decks) - Counter(on_top)).elements())


async def betting_table(floor: Floor, name: str = "t1", rules: str = "commission", **changes: Any) -> At:
    """A manual table with betting open."""
    at = await manual_table(floor, name, rules, **changes)
    await at.do(DEALER, "open_betting")
    return at


async def automatic_table(
    floor: Floor, name: str = "t1", rules: str = "commission", pace: Pace = AT_ONCE, **changes: Any
) -> At:
    """An automatic table with a virtual shoe, with Ann and Ben seated."""
    await floor.create_table(MANAGER, TableSetup(name, rules, ShoeKind.VIRTUAL, pace=pace))
    at = At(floor, name)
    await at.open(rules, **{"automations": tuple(Automation), **changes})
    await at.seat("ann", "ben")
    return at
