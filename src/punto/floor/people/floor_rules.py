"""What a floor allows visitors: entry, play money and boxes."""

import msgspec
from msgspec import Struct

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import write
from punto.floor.journal.house_events import DEFAULT_BOXES, FloorRulesChanged, HouseEvent
from punto.floor.journal.house_log import HouseLog
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import ADMINISTRATOR_ONLY, Position
from punto.table.records.state import Table

MAX_BUY_INS = 100
MAX_BOXES_A_VISITOR = 99
FLOOR_RULES_KEY = "floor_rules"
"""Name of the row with the rules in the table ``meta``."""


class FloorRules(Struct, frozen=True, forbid_unknown_fields=True):
    """What a floor allows visitors. The defaults allow nothing."""

    visitors: bool = False
    buy_in_minor: int = 0
    """Play money of one buy-in; 0 for none."""
    buy_ins: int = 1
    """Buy-ins of one name at one table in a day. Each needs the one before to be used up."""
    tables: tuple[str, ...] = ()
    """The play-money tables: visitors act only there, and only the house gives chips there."""
    boxes: int = DEFAULT_BOXES
    """Boxes of one table that a visitor may take. The table's own limit applies as well."""

    def for_play_money(self, table: str) -> bool:
        """Whether it is a play-money table. A floor that takes no visitors has none."""
        return self.visitors and table in self.tables

    def may_play(self, by: Actor | None, table: str) -> bool:
        """Whether somebody may play at a table through their session: visitors, at play-money tables only."""
        return by is not None and by.position is Position.PLAYER and self.for_play_money(table)

    def play_money_minor(self, table: str) -> int:
        """Play money of one buy-in at a table; 0 for none."""
        return self.buy_in_minor if self.for_play_money(table) else 0

    def has_room(self, state: Table, who: str) -> bool:
        """Whether a visitor may take one more box of a table."""
        return list(state.seats.values()).count(who) < self.boxes


async def read_floor_rules(database: Database) -> FloorRules:
    sql = "SELECT value FROM meta WHERE name = ?"
    rows = await database.read(lambda transaction: transaction.rows(sql, (FLOOR_RULES_KEY,)))
    return msgspec.json.decode(rows[0][0], type=FloorRules) if rows else FloorRules()


async def change_floor_rules(log: HouseLog, by: Actor, rules: FloorRules) -> None:
    """Replace the rules. Only an administrator may."""
    await log.require(by, ADMINISTRATOR_ONLY, "change_floor_rules")
    if not 0 <= rules.buy_in_minor <= MAX_AMOUNT_MINOR or not 1 <= rules.buy_ins <= MAX_BUY_INS:
        raise FloorRefused(FloorCode.BAD_FLOOR_RULES, variant="buy_in", most=MAX_BUY_INS)
    if not 1 <= rules.boxes <= MAX_BOXES_A_VISITOR:
        raise FloorRefused(FloorCode.BAD_FLOOR_RULES, variant="boxes", most=MAX_BOXES_A_VISITOR)

    def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
        tables = {name for (name,) in transaction.rows("SELECT name FROM tables")}
        for name in rules.tables:
            if name not in tables:
                raise FloorRefused(FloorCode.UNKNOWN_TABLE, table=name[:40])
        transaction.change("DELETE FROM meta WHERE name = ?", (FLOOR_RULES_KEY,))
        transaction.many("INSERT INTO meta (name, value) VALUES (?, ?)", [(FLOOR_RULES_KEY, write(rules))])
        changed = FloorRulesChanged(rules.visitors, rules.buy_in_minor, rules.buy_ins, rules.tables, rules.boxes)
        return None, [changed]

    await log.change(by, change)
