"""The opening night: what a floor that nobody has set up yet begins with, five tables, one of each game."""

import asyncio

import msgspec
from msgspec import Struct

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.people.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.names import CONSOLE
from punto.floor.people.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import Pace, TableSetup
from punto.library import book
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, BetLimits, Settings

SUPERVISOR = Actor(CONSOLE, Position.PIT_SUPERVISOR)
"""Who opens the tables. Whoever starts a floor from the command line holds its keys: the record names the console."""
MAIN = BetLimits(25_00, 5_000_00)
SIDE = BetLimits(5_00, 500_00)
DIFFERENTIAL_MINOR = 3_000_00
FLOAT_MINOR = 1_000_000_00
BUY_IN_MINOR = 10_000_00
BUY_INS = 20


class Planned(Struct, frozen=True):
    """A table of the opening night."""

    name: str
    book: str
    layout: str
    boxes: int
    betting_s: float
    """No two alike, so that the tables do not march in step."""

    @property
    def setup(self) -> TableSetup:
        """On a virtual shuffler, at a comfortable pace, and with the first bets called for at once."""
        pace = Pace(open_betting_s=0.5, close_betting_s=self.betting_s, burn_s=0.5, load_shoe_s=0.5)
        return TableSetup(self.name, self.book, pace=pace)

    @property
    def settings(self) -> Settings:
        """It runs by itself, within limits that leave room for small and large bets."""
        return Settings(
            layout=self.layout,
            boxes=self.boxes,
            main=MAIN,
            side=SIDE,
            differential_minor=DIFFERENTIAL_MINOR if book(self.book).topics[Topic.DIFFERENTIAL] else None,
            automations=tuple(Automation),
        )


TABLES = (
    Planned("Orchid", "commission", "C", 7, 18.0),
    Planned("Camellia", "commission-insurance", "E", 7, 20.0),
    Planned("Magnolia", "super-six-plus", "D", 7, 22.0),
    Planned("Iris", "da-hu-ying-xiong", "A", 6, 24.0),
    Planned("Dahlia", "tiger-buffalo", "A", 6, 16.0),
)


async def is_new(floor: Floor) -> bool:
    """Nobody has an account on this floor yet, and the database is an embedded one: this start makes it."""
    if floor.database.shared:
        return False
    return not await floor.database.read(lambda transaction: transaction.rows("SELECT 1 FROM accounts LIMIT 1"))


async def set_up(floor: Floor, visitors: Visitors) -> None:
    """Five open tables with play money for visitors; what an interrupted start has done already is left as it is."""
    await asyncio.gather(*(_open(floor, planned) for planned in TABLES))
    if await visitors.rules() == FloorRules():
        names = tuple(planned.name for planned in TABLES)
        rules = FloorRules(visitors=True, buy_in_minor=BUY_IN_MINOR, buy_ins=BUY_INS, tables=names)
        await visitors.change_rules(THE_CONSOLE, rules)


async def _open(floor: Floor, planned: Planned) -> None:
    if planned.name not in floor.tables:
        await floor.create_table(THE_CONSOLE, planned.setup)
    if floor.table(planned.name).openings:
        return
    settings = msgspec.to_builtins(planned.settings)
    body = {"command": "open_table.1", "settings": settings, "float_minor": FLOAT_MINOR}
    answer = await floor.submit(SUPERVISOR, planned.name, f"opening night:{planned.name}", body)
    if answer.refusal is not None:
        raise FloorRefused(
            FloorCode.BAD_COMMAND, variant="not_opened", table=planned.name, reason=answer.refusal.phrase
        )
