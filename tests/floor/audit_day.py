"""A gaming day at a felt table with something out of the ordinary of every kind that one table has, on a told clock."""

import asyncio
from datetime import date
from typing import Any

from punto.floor.clock import HOUR_US, SECOND_US
from punto.floor.database import open_database
from punto.floor.database.base import Database
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry, EntryContext
from punto.floor.running.floor import Floor
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from tests.floor.clocks import ManualClock
from tests.floor.nights import DORA, MAX, NATURAL, SID, SUE, Night
from tests.floor.report_floor import count_tray

DAY = date(2023, 11, 14)
AUDE = Actor("aude", Position.AUDITOR)
UNINSURED = ("As", "2s", "Ad", "3d", "5h", "9h")
"""Insurance on Banker is due after four cards and would have won: a pit manager settles."""


HOSTILE = '<script>alert("1")</script> ' + "x" * 150


class AuditedNight(Night):
    """Starts two hours into the gaming day. Every command takes ten seconds."""

    def __init__(self, floor: Floor, clock: ManualClock) -> None:
        super().__init__(floor)
        self.clock = clock

    @classmethod
    async def start(cls, database: Database) -> "AuditedNight":
        clock = ManualClock()
        clock.day_us = (GamingDay().period(DAY).since_us or 0) + 2 * HOUR_US
        return cls(await Floor.start(database, clock, training=True), clock)

    async def do(self, by: Actor, table: str, command: str, **fields: Any) -> tuple[Entry, ...]:
        self.clock.passes(10)
        return await super().do(by, table, command, **fields)

    async def late(self, by: Actor, command: str, ago_s: int = 300, **fields: Any) -> None:
        """Enter what happened earlier."""
        await self.given(by, command, EntryContext(happened_at_us=self.clock.now_us() - ago_s * SECOND_US), **fields)

    async def given(self, by: Actor, command: str, context: EntryContext, table: str = "felt", **fields: Any) -> None:
        self.clock.passes(10)
        body = {"command": f"{command}.1", **fields}
        answer = await self.floor.submit(by, table, f"given {self.clock.now_us()}", body, context=context)
        assert answer.refusal is None, answer.refusal

    async def called(self, *cards: str) -> None:
        await self.do(DORA, "felt", "open_betting.1")
        await self.lay("ann", 1, "banker", 100_00)
        await self.lay("ben", 2, "player", 50_00)
        await self.do(DORA, "felt", "close_betting.1")
        await self.dealt(*cards)

    async def lay(self, who: str, box: int, bet: str, stake_minor: int) -> None:
        fields = {"who": who, "box": box, "bet": bet, "stake_minor": stake_minor}
        await self.do(DORA, "felt", "place_bet.1", **fields)

    async def dealt(self, *cards: str) -> None:
        for card in cards:
            await self.do(DORA, "felt", "deal_card.1", card=card)

    async def plain(self) -> None:
        await self.called(*NATURAL)
        await self.do(DORA, "felt", "settle.1")

    async def next_day(self, hours: int = 25) -> None:
        self.clock.passes(hours * 3_600)

    async def play_day(self) -> None:
        """Rounds 1 to 6: a correction, bets beyond limits, insurance not offered, a void, a ruling, entered later."""
        limits = {"main": {"min_minor": 10_00, "max_minor": 10_000_00}, "differential_minor": 500_00}
        settings: dict[str, Any] = {
            "shoes": ShoeKind.MANUAL,
            "burn": False,
            "automations": [],
            "observing": True,
            **limits,
        }
        await self.table("felt", **settings)
        await self.do(SUE, "felt", "load_shoe.1", shoe="one", decks=8)
        await self.called(*NATURAL)
        await self.do(DORA, "felt", "settle.1")
        wrong = {"who": "ben", "box": 2, "bet": "player", "paid_minor": 150_00, "reason": "seen on film"}
        await self.do(SUE, "felt", "correct_payment.1", recovered_minor=10_00, **wrong)
        await self.do(DORA, "felt", "open_betting.1")
        await self.lay("ann", 1, "banker", 900_00)
        await self.lay("ben", 2, "player", 5_00)
        await self.do(DORA, "felt", "close_betting.1")
        await self.dealt(*NATURAL)
        await self.do(DORA, "felt", "settle.1")
        await self.called(*UNINSURED)
        await self.do(MAX, "felt", "settle.1")
        await self.called(*NATURAL[:2])
        await self.do(SUE, "felt", "report_interruption.1", reason="the lights went out")
        await self.plain()
        await self.do(SID, "felt", "rule.1", reason=HOSTILE, effect="adjust", amounts={"ann": 7_01})
        await self.called(*NATURAL[:3])
        await self.late(DORA, "deal_card", card=NATURAL[3])
        await self.do(DORA, "felt", "settle.1")
        await count_tray(self, "felt", "check", short_minor=5_00)
        await self.given(MAX, "count_tray", EntryContext(alone=True), purpose="check", piles=[])
        await self.plain()


def audited(url: str) -> None:
    """The day, which has long been over."""

    async def play() -> None:
        database = open_database(url)
        try:
            await (await AuditedNight.start(database)).play_day()
        finally:
            database.close()

    asyncio.run(play())
