"""A scanner at a table with a real shoe."""

from collections.abc import Awaitable, Callable
from typing import Any

from punto.floor.audit.verify import verify
from punto.floor.journal.actor import Actor
from punto.floor.running.scanner import ScanAnswer, take
from punto.floor.shoes.scan_store import Scan, ScanResult
from punto.rules.coup.cards import Card, read_card
from punto.rules.refusals import Refusal
from punto.table.records.positions import Position
from tests.floor.playing import DEALER, At, manual_table, running
from tests.waiting import run

BRIDGE = Actor("bridge 1", Position.DEALER)
NATURAL = ("9s", "2d", "Kh", "3c")
"""Player wins 9 to 5 with four cards."""
THIRD = ("2s", "Kd", "Kh", "7c", "Jd")
"""Player draws one card, Banker stands on seven and wins."""


class Read:
    """A scanner at a table of a floor."""

    def __init__(self, at: At, shoe: str = "t1 1") -> None:
        self.at, self.floor, self.shoe = at, at.floor, shoe
        self.live = at.floor.table(at.name)

    async def ask(self, draw: int, card: str, by: Actor = BRIDGE, shoe: str = "") -> ScanAnswer | Refusal:
        """Post a card and return the answer."""
        return await take(self.floor, by, self.at.name, Scan(shoe or self.shoe, draw, read_card(card)))

    async def do(self, draw: int, card: str) -> ScanAnswer:
        """Post a card that must be accepted."""
        answer = await self.ask(draw, card)
        assert isinstance(answer, ScanAnswer), answer
        return answer

    async def taken(self, first: int, *cards: str) -> None:
        """Post cards that are dealt one after the other."""
        for draw, card in enumerate(cards, first):
            answer = await self.do(draw, card)
            assert (answer.outcome, answer.next) == (ScanResult.TAKEN, draw + 1), card

    async def closed(self, stake_minor: int = 100_00) -> None:
        """A round with a bet of Ann's, after betting closed."""
        await self.at.do(DEALER, "open_betting")
        assert (await self.at.bet("ann", stake_minor)).refusal is None
        await self.at.do(DEALER, "close_betting")

    async def rows(self) -> list[tuple[Any, ...]]:
        """All stored scans."""
        sql = "SELECT stream, shoe, draw, card, version FROM scans ORDER BY stream, shoe, draw"
        return await self.floor.database.read(lambda tx: tx.rows(sql))

    async def reads(self) -> list[tuple[Any, ...]]:
        """All reads in order: stream, actor, shoe, draw, card and outcome."""
        sql = "SELECT stream, actor, shoe, draw, card, outcome FROM scan_reads ORDER BY id"
        return await self.floor.database.read(lambda tx: tx.rows(sql))

    def cards(self) -> tuple[Card | None, ...]:
        """The cards on the table."""
        assert self.live.state.round is not None
        return self.live.state.round.cards


def evening(url: str, play: Callable[[Read], Awaitable[None]], **changes: Any) -> None:
    """Run a test at a table with a real shoe; the journal must verify at the end."""

    async def whole() -> None:
        async with running(url) as floor:
            await play(Read(await manual_table(floor, **changes)))
            faults = verify(floor.database).faults
            assert faults == []

    run(whole())


def code_of(answer: ScanAnswer | Refusal) -> str:
    """The code of the table's refusal."""
    assert isinstance(answer, Refusal), answer
    assert answer.message
    return answer.code
