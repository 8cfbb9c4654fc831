"""Plays on a real floor and database, to give tests a journal to read."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

from punto.floor.database import open_database
from punto.floor.database.base import Database
from punto.floor.database.signatures import Signer
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry
from punto.floor.running.auto_dealer import Dealer
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import Pace, TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.keys import TEST_KEY
from tests.table.tables import json_limits

SUE = Actor("sue", Position.PIT_SUPERVISOR)
DORA = Actor("dora", Position.DEALER)
SID = Actor("sid", Position.SHIFT_MANAGER)
AT_ONCE = Pace(*(0.0 for _ in Pace.__struct_fields__))
BY_ITSELF = tuple(automation.value for automation in Automation)

Result = TypeVar("Result")


def night(url: str, play: Callable[["Night"], Awaitable[Result]]) -> Result:
    """Run a floor on a database while ``play`` runs."""

    async def run() -> Result:
        database = open_database(url)
        try:
            floor = await Floor.start(database, training=True)
            return await play(Night(floor))
        finally:
            database.close()

    return asyncio.run(run())


@contextmanager
def opened(url: str) -> Iterator[Database]:
    """The database of a floor that is not running. What is appended is signed."""
    database = open_database(url, create=False)
    database.signer = Signer(TEST_KEY)
    try:
        yield database
    finally:
        database.close()


class Night:
    """A running floor, and helpers to give commands."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self._name, self._ids = secrets.token_hex(4), count(1)

    def live(self, table: str) -> LiveTable:
        return self.floor.table(table)

    async def do(self, by: Actor, table: str, command: str, **fields: Any) -> tuple[Entry, ...]:
        """Give a command that must be accepted."""
        answer = await self.floor.submit(by, table, f"{self._name} {next(self._ids)}", {"command": command, **fields})
        assert answer.refusal is None, (command, fields, answer.refusal)
        return answer.entries

    async def table(self, name: str, game: str = "commission-insurance", **changes: Any) -> None:
        """Create and open a table with Ann and Ben; automatic by default."""
        shoes = changes.pop("shoes", ShoeKind.VIRTUAL)
        decks = changes.pop("decks", 8)
        await self.floor.create_table(SUE, TableSetup(name, game, shoes, decks, AT_ONCE, changes.pop("seed", "")))
        await self.open(name, game, **changes)

    async def open(self, name: str, game: str = "commission-insurance", **changes: Any) -> None:
        """Open it, perhaps again."""
        layout = next(iter(book(game).layouts.values()))
        settings = {"layout": layout.id, "boxes": 7, "automations": BY_ITSELF, **json_limits(book(game)), **changes}
        await self.do(SUE, name, "open_table.1", settings=settings, float_minor=1_000_000_00)
        for box, who in ((1, "ann"), (2, "ben")):
            await self.do(DORA, name, "buy_in.1", who=who, amount_minor=100_000_00)
            await self.do(DORA, name, "sit.1", who=who, box=box)

    async def bet(self, name: str, who: str, box: int, bet: str, stake_minor: int) -> None:
        """A bet by the player."""
        by = Actor(who, Position.PLAYER)
        await self.do(by, name, "place_bet.1", who=who, box=box, bet=bet, stake_minor=stake_minor)

    async def step(self, name: str) -> None:
        """Take the table's next automatic step."""
        await Dealer(self.floor, self.live(name)).step()

    async def until(self, name: str, phase: Phase) -> None:
        """Take steps until the table is in this phase."""
        for _ in range(100):
            if self.live(name).state.phase is phase and self.live(name).state.shoe is not None:
                return
            await self.step(name)
        raise AssertionError(f"{name} never came to {phase}")

    async def rounds(self, name: str, number: int, stake_minor: int = 100_01) -> None:
        """Play this many rounds with bets of Ann and Ben, and insurance where it is offered."""
        for _ in range(number):
            await self.until(name, Phase.BETTING)
            await self.bet(name, "ann", 1, "banker", stake_minor)
            await self.bet(name, "ann", 1, "tie", 5_00)
            await self.bet(name, "ben", 2, "player", 2 * stake_minor)
            while self.live(name).state.phase is not Phase.READY:
                now = self.live(name).state.round
                if now is not None and now.insurance.offer_open and not now.insurance.cover:
                    who, box = ("ann", 1) if now.insurance.offer_side == "banker" else ("ben", 2)
                    by = Actor(who, Position.PLAYER)
                    await self.do(by, name, "take_insurance.1", who=who, box=box, stake_minor=10_01)
                await self.step(name)

    async def close(self, name: str) -> None:
        await self.do(SUE, name, "close_table.1")


def small(url: str) -> None:
    """A small journal with a bit of everything: two openings, finished shoes, a manual table, a refusal."""

    async def play(floor: Night) -> None:
        await floor.table("t1", cut_card=50)
        await floor.rounds("t1", 3)
        await floor.do(SUE, "t1", "load_shoe.1", shoe="second", decks=8)
        await floor.rounds("t1", 2)
        await floor.close("t1")
        await floor.open("t1")
        await floor.rounds("t1", 1)
        await floor.table("m1", shoes=ShoeKind.MANUAL, burn=False)
        await floor.do(SUE, "m1", "load_shoe.1", shoe="real", decks=8)
        await floor.until("m1", Phase.BETTING)
        await floor.bet("m1", "ann", 1, "banker", 50_00)
        await floor.step("m1")
        for card in ("5s", "Kd", "3h", "7c"):
            await floor.do(DORA, "m1", "deal_card.1", card=card)
        answer = await floor.floor.submit(DORA, "t1", "not hers", {"command": "close_table.1"})
        assert answer.refusal is not None

    night(url, play)


MAX = Actor("max", Position.PIT_MANAGER)
NATURAL = ("9s", "2d", "Kh", "3c")
INSURED = ("As", "2s", "Ad", "3d", "5h", "9h")
"""Player 2, Banker 5: insurance on Banker is due and would win, because Player wins 7 to 4."""


def troubled(url: str) -> None:
    """A night on which everything that moves money goes wrong once."""
    night(url, play_troubled)


def rejudged(url: str) -> None:
    """A ruled order changes the points that insurance was taken on: it goes back."""

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        for number in range(6):  # each with a new shoe, because the 6h is left over
            await floor.do(SUE, "t1", "load_shoe.1", shoe=f"shoe {number}", decks=8)
            await _called(floor, ("As", "2s", "Ad", "4d"))
            await floor.do(DORA, "t1", "open_insurance.1")
            await _dealt(floor, ("6h",))
            await floor.do(DORA, "t1", "open_insurance.1")  # on Player's 8 against 6
            await floor.do(DORA, "t1", "take_insurance.1", who="ben", box=2, stake_minor=9_99)
            await floor.do(DORA, "t1", "report_simultaneous_cards.1", cards=["Kh"], entered=1)
            await floor.do(SUE, "t1", "rule_card_order.1", order=[6, 5])  # Player has 2, so there was no offer
            await floor.do(SUE, "t1", "call_time.1")
            await floor.do(DORA, "t1", "settle.1")

    night(url, play)


async def _dealt(floor: Night, cards: tuple[str, ...]) -> None:
    for card in cards:
        await floor.do(DORA, "t1", "deal_card.1", card=card)


async def _betting(floor: Night) -> None:
    await floor.do(DORA, "t1", "open_betting.1")
    await floor.bet("t1", "ann", 1, "banker", 100_01)
    await floor.bet("t1", "ann", 1, "tie", 5_00)
    await floor.bet("t1", "ben", 2, "player", 77_00)


async def _called(floor: Night, cards: tuple[str, ...] = ()) -> None:
    await _betting(floor)
    await floor.do(DORA, "t1", "close_betting.1")
    await _dealt(floor, cards)


async def uninsured(floor: Night) -> None:
    """A card was drawn before the insurance that was due could be offered."""
    await _called(floor, INSURED[:4])
    await floor.do(SUE, "t1", "report_excess_card.1", cards=[INSURED[4]])
    now = floor.live("t1").state.round
    for who in (
        now.irregularities.options.waiting_for if now is not None and now.irregularities.options is not None else ()
    ):
        await floor.do(DORA, "t1", "choose_option.1", who=who, choice="continue")
    await floor.do(DORA, "t1", "deal_card.1")
    await floor.do(DORA, "t1", "open_insurance.1")  # Player's third card
    await floor.do(DORA, "t1", "take_insurance.1", who="ben", box=2, stake_minor=9_99)
    await floor.do(DORA, "t1", "close_insurance.1")
    await _dealt(floor, INSURED[5:])


async def play_troubled(floor: Night) -> None:
    missed: dict[str, Any] = {"who": "ann", "box": 1, "side": "banker", "reason": "she had asked for it"}
    await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
    await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
    await _betting(floor)
    await floor.do(SUE, "t1", "report_interruption.1", reason="the lights went out")
    await _called(floor, NATURAL[:2])
    await floor.do(SUE, "t1", "report_foreign_card.1", reason="a joker")
    await floor.do(SUE, "t1", "load_shoe.1", shoe="two", decks=8)
    await _called(floor, NATURAL[:2])
    await floor.do(SUE, "t1", "report_dealing_error.1", reason="the dealer's sleeve")
    await floor.do(DORA, "t1", "choose_option.1", who="ann", choice="return")
    await floor.do(DORA, "t1", "choose_option.1", who="ben", choice="continue")
    await _dealt(floor, NATURAL[2:])
    await floor.do(DORA, "t1", "settle.1")
    await _called(floor, NATURAL[:2])
    back = [{"who": "ann", "box": 1, "bet": "tie"}]
    await floor.do(SID, "t1", "rule.1", reason="it was not hers", effect="return", bets=back)
    await _dealt(floor, NATURAL[2:])
    await floor.do(DORA, "t1", "settle.1")
    await floor.do(SID, "t1", "rule.1", reason="goodwill", effect="adjust", amounts={"ann": 7_01, "ben": -3_00})
    await uninsured(floor)
    await floor.do(MAX, "t1", "return_uninsured_bets.1", **missed)
    await floor.do(DORA, "t1", "settle.1")
    await uninsured(floor)
    await floor.do(DORA, "t1", "settle.1")
    await floor.do(MAX, "t1", "return_uninsured_bets.1", **missed)
    await uninsured(floor)
    await floor.do(DORA, "t1", "settle.1")
    await floor.do(MAX, "t1", "return_uninsured_bets.1", **missed)
    await floor.do(SUE, "t1", "report_wrong_number.1", reason="seven cards lay there")
    await uninsured(floor)
    await floor.do(DORA, "t1", "settle.1")
    back = [{"who": "ben", "box": 2, "bet": bet} for bet in ("player", "player_insurance")]
    await floor.do(SID, "t1", "rule.1", reason="they were not there", effect="return", bets=back)
    await uninsured(floor)
    await floor.do(DORA, "t1", "settle.1")
    await floor.do(SID, "t1", "rule.1", reason="the chip had rolled", effect="return", bets=back[:1])
    await floor.do(SID, "t1", "rule.1", reason="a card of another shoe", effect="void")
    await _called(floor, NATURAL)
    await floor.do(DORA, "t1", "settle.1")
    await _called(floor)
