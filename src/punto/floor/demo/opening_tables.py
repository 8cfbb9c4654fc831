"""The tables of a first start: five, one for each game."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.names.names import CONSOLE
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import Pace, TableSetup
from punto.library import book
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, BetLimits, Settings, chosen_settings

SUPERVISOR = Actor(CONSOLE, Position.PIT_SUPERVISOR)
"""Opens the tables. The journal names the console, because the floor is started from the command line."""
MAIN_LIMITS = BetLimits(25_00, 5_000_00)
SIDE_LIMITS = BetLimits(5_00, 500_00)
DIFFERENTIAL_MINOR = 5_000_00
FLOAT_MINOR = 1_000_000_00
BUY_IN_MINOR = 10_000_00
BUY_INS = 20


class PlannedTable(Struct, frozen=True):
    name: str
    book: str
    layout: str
    boxes: int
    pace: Pace
    squeeze: bool = False
    """Cards are dealt face down, and the highest bettor of each hand squeezes it."""

    @property
    def setup(self) -> TableSetup:
        return TableSetup(self.name, self.book, pace=self.pace)

    @property
    def settings(self) -> Settings:
        """Fully automatic, with limits for small and large bets."""
        return Settings(
            layout=self.layout,
            boxes=self.boxes,
            main=MAIN_LIMITS,
            side=SIDE_LIMITS,
            differential_minor=DIFFERENTIAL_MINOR if book(self.book).has(Topic.DIFFERENTIAL) else None,
            face_down=self.squeeze,
            squeeze_by_hand=self.squeeze,
            squeeze_granted=self.squeeze,
            automations=tuple(Automation),
        )


def _calm(betting_s: float) -> Pace:
    return Pace(open_betting_s=0.5, close_betting_s=betting_s, burn_s=0.5, load_shoe_s=0.5)


# the betting times differ, so rounds do not start together
TABLES = (
    PlannedTable("Orchid", "commission", "C", 7, _calm(18.0)),
    PlannedTable("Camellia", "commission-insurance", "E", 7, _calm(20.0)),
    PlannedTable("Magnolia", "super-six-plus", "D", 7, replace(_calm(22.0), deal_s=0.6, turn_s=0.6), squeeze=True),
    PlannedTable("Iris", "da-hu-ying-xiong", "A", 6, _calm(24.0)),
    PlannedTable("Dahlia", "tiger-buffalo", "A", 6, _calm(16.0)),
)


async def is_new(floor: Floor) -> bool:
    """Whether the database is an SQLite file without any account."""
    if floor.database.shared:
        return False
    return not await floor.database.read(lambda transaction: transaction.rows("SELECT 1 FROM accounts LIMIT 1"))


async def set_up(floor: Floor, visitors: Visitors, tables: Sequence[PlannedTable] = TABLES) -> None:
    """Open the tables and give visitors play money. Steps that an interrupted start finished are skipped."""
    await asyncio.gather(*(_open(floor, planned) for planned in tables))
    if await visitors.rules() == FloorRules():
        names = tuple(planned.name for planned in tables)
        rules = FloorRules(visitors=True, buy_in_minor=BUY_IN_MINOR, buy_ins=BUY_INS, tables=names)
        await visitors.change_rules(THE_CONSOLE, rules)


async def _open(floor: Floor, planned: PlannedTable) -> None:
    if planned.name not in floor.tables:
        await floor.create_table(THE_CONSOLE, planned.setup)
    if floor.table(planned.name).openings:
        return
    body = {
        "command": "open_table.1",
        "settings": chosen_settings(planned.settings),
        "float_minor": FLOAT_MINOR,
    }
    answer = await floor.submit(SUPERVISOR, planned.name, f"opening night:{planned.name}", body)
    if answer.refusal is not None:
        raise FloorRefused(
            FloorCode.BAD_COMMAND, variant="not_opened", table=planned.name, reason=answer.refusal.phrase
        )
