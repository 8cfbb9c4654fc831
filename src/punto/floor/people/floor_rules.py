"""The rules of a floor: what it allows visitors, and whether some acts need two people."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog, Judge
from punto.floor.house.projection import Stored
from punto.floor.house.projections.sessions import end_visits
from punto.floor.house.projections.settings import FLOOR_RULES_KEY, find_setting
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import NO_CONTEXT, write
from punto.floor.journal.house_events import DEFAULT_BOXES, FloorRulesChanged, HouseEvent
from punto.floor.journal.replay import Rebuilt, rebuild
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.appender import ExtraWork
from punto.floor.running.table_setup import TableSetup
from punto.table.records.ledger import MAX_AMOUNT_MINOR, player_of
from punto.table.records.positions import ADMINISTRATOR_ONLY, Position
from punto.table.records.state import Phase, Table

MAX_BUY_INS = 100
MAX_BOXES_A_VISITOR = 99


class FloorRules(Struct, frozen=True, forbid_unknown_fields=True):
    """By default visitors may do nothing, and some acts of staff need two people."""

    visitors: bool = False
    """Whether visitors may enter. When this becomes false, all visits end."""
    buy_in_minor: int = 0
    """Play money of one buy-in; 0 for none."""
    buy_ins: int = 1
    """Buy-ins of one name at one table in a day. Each needs the one before to be used up."""
    tables: tuple[str, ...] = ()
    """The play-money tables: visitors act only there, and only the house gives chips there.

    A table is added or removed only while nobody is there, so play money and other chips never mix.
    """
    boxes: int = DEFAULT_BOXES
    """Boxes of one table that a visitor may take, or bet in at a table without seated players. The table's own limit
    applies as well."""
    totp_required: bool = False
    """Whether administrators, shift managers and casino managers may act only with TOTP set up."""
    four_eyes: bool = True
    """Whether accounts, tokens, and opening and closing a table need two people. No effect while every table is for
    play money: see :mod:`punto.floor.people.approvals.four_eyes`."""

    def for_play_money(self, table: str) -> bool:
        """Whether it is a play-money table, whether or not visitors may enter."""
        return table in self.tables

    def may_play(self, by: Actor | None, table: str) -> bool:
        """Whether somebody may play at a table through their session.

        Visitors play at play-money tables only, registered players at the table for which they have signed in.
        """
        if by is None or by.position is not Position.PLAYER:
            return False
        if by.table:
            return by.table == table and not self.for_play_money(table)
        return self.visitors and self.for_play_money(table)

    def play_money_minor(self, table: str) -> int:
        """Play money of one buy-in at a table; 0 for none."""
        return self.buy_in_minor if self.visitors and self.for_play_money(table) else 0

    def has_room(self, state: Table, who: str, box: int | None = None) -> bool:
        """Whether a visitor may take the box; without one, whether they may take one more.

        They have the boxes where they sit, and those where they have bet in this round without standing behind them.
        """
        now, behind = state.round, state.behind.get(who, ())
        bets = () if now is None or now.over else now.bets.values()
        own = {taken for taken, seated in state.seats.items() if seated == who}
        own |= {placed.box for placed in bets if placed.who == who and placed.box not in behind}
        return box in own or len(own) < self.boxes


async def read_floor_rules(database: Database) -> FloorRules:
    return await database.read(find_floor_rules)


async def check_floor_rules(
    log: HouseLog, by: Actor, rules: FloorRules, may: frozenset[Position] = ADMINISTRATOR_ONLY
) -> None:
    """Refuse rules that never make sense, and everybody who may not change them."""
    await log.require(by, may, "change_floor_rules")
    if not 0 <= rules.buy_in_minor <= MAX_AMOUNT_MINOR or not 1 <= rules.buy_ins <= MAX_BUY_INS:
        raise FloorRefused(FloorCode.BAD_FLOOR_RULES, variant="buy_in", most=MAX_BUY_INS)
    if not 1 <= rules.boxes <= MAX_BOXES_A_VISITOR:
        raise FloorRefused(FloorCode.BAD_FLOOR_RULES, variant="boxes", most=MAX_BOXES_A_VISITOR)
    rows = await log.database.read(lambda transaction: transaction.rows("SELECT name FROM tables"))
    for name in rules.tables:
        if (name,) not in rows:
            raise FloorRefused(FloorCode.UNKNOWN_TABLE, table=name[:40])


async def change_floor_rules(
    log: HouseLog,
    by: Actor,
    rules: FloorRules,
    may: frozenset[Position] = ADMINISTRATOR_ONLY,
    judge: Judge = lambda _: NO_CONTEXT,
) -> None:
    """Replace the rules. Refused if a table would change its kind while somebody is there.

    If visitors may no longer enter, all visits end. A running floor then cashes the visitors out.
    """
    await check_floor_rules(log, by, rules, may)

    def change(transaction: Transaction) -> tuple[None, list[HouseEvent | Stored]]:
        before = find_floor_rules(transaction)
        for name in sorted({*before.tables} ^ {*rules.tables}):
            if people_in_journal(transaction, name):
                raise FloorRefused(
                    FloorCode.BAD_FLOOR_RULES,
                    variant="to_play_money" if name in rules.tables else "from_play_money",
                    table=name,
                )
        changed = Stored(FloorRulesChanged(**asdict(rules)), {"value": write(rules)})
        ended = () if rules.visitors else end_visits(transaction)
        return None, [changed, *ended]

    await log.change(by, change, judge)


def require_kind(table: str, *, for_play_money: bool) -> ExtraWork:
    """For a command that brings chips: refuses it if the table has changed its kind since the rules were read."""

    def work(transaction: Transaction) -> None:
        streams.lock_house(transaction)  # so the kind does not change before the commit
        if find_floor_rules(transaction).for_play_money(table) is for_play_money:
            return
        if for_play_money:
            raise FloorRefused(FloorCode.NO_BUY_IN, variant="none", table=table)
        raise FloorRefused(FloorCode.PLAY_MONEY_ONLY, table=table)

    return work


# ---- database jobs


def find_floor_rules(transaction: Transaction) -> FloorRules:
    stored = find_setting(transaction, FLOOR_RULES_KEY)
    return msgspec.json.decode(stored, type=FloorRules) if stored else FloorRules()


def leaving_play_money(transaction: Transaction, rules: FloorRules) -> list[str]:
    """The tables that would be for money from now on."""
    return sorted({*find_floor_rules(transaction).tables} - {*rules.tables})


def is_open(transaction: Transaction, table: str) -> bool:
    rebuilt = _last_opening(transaction, table)
    return rebuilt is not None and rebuilt.state.phase is not Phase.CLOSED


def people_in_journal(transaction: Transaction, table: str) -> frozenset[str]:
    """Like :func:`people_of`, from the journal."""
    rebuilt = _last_opening(transaction, table)
    if rebuilt is None:
        return frozenset()
    encoded = transaction.rows("SELECT setup FROM tables WHERE name = ?", (table,))[0][0]
    left = msgspec.json.decode(encoded, type=TableSetup).carried_over(rebuilt.closing)
    return people_of(rebuilt.state, left.balances)


def _last_opening(transaction: Transaction, table: str) -> Rebuilt | None:
    opening = streams.openings(transaction).get(table)
    return None if opening is None else rebuild(transaction, streams.head(transaction, StreamName(table, opening)))


def people_of(state: Table, closing: Mapping[str, int]) -> frozenset[str]:
    """Everybody with a place, chips or stakes at a table, or with chips carried over to its next opening.

    ``closing``: the balances at the last closing.
    """
    if state.phase is not Phase.CLOSED:
        return state.people
    return frozenset(who for account in closing if (who := player_of(account)) is not None)
