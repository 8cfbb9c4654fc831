"""Who is on duty at which table. A dealer's commands count only there."""

from collections.abc import Callable

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projections.accounts import Account, Holder, require_account
from punto.floor.house.projections.duty import DutyLine, OnDuty, end_duty, find_duty, find_on_duty
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import DutyStarted, HouseEvent
from punto.table.records.positions import DEALER_UP, MANAGER_UP, STAFF, Position

MAY_READ_DUTY = DEALER_UP | {Position.AUDITOR, Position.ADMINISTRATOR}
MAX_LINES = 1000

HandOver = Callable[[Transaction], list[HouseEvent]]
"""What else a relief changes: see :meth:`Sessions.hand_over`."""


class Assignable(Struct, frozen=True):
    name: str
    position: str


class Duty:
    """Assigns staff to tables and records reliefs. Every change is written to the house's stream."""

    def __init__(self, log: HouseLog) -> None:
        self._log = log

    async def now(self) -> OnDuty:
        return await self._log.database.read(find_on_duty)

    async def table_of(self, name: str) -> str | None:
        """The table where somebody is on duty, the first one if there are several."""
        return next(iter((await self.now()).tables_of(name)), None)

    async def lines(self, by: Actor, from_us: int, to_us: int) -> list[DutyLine]:
        """Everybody who was on duty in a period, both ends included."""
        await self._log.require(by, MAY_READ_DUTY, "read_duty")
        return await self._log.database.read(lambda transaction: find_duty(transaction, from_us, to_us, MAX_LINES))

    async def assignable(self, by: Actor) -> list[Assignable]:
        """Everybody who can be assigned to a table, by name."""
        await self._log.require(by, MANAGER_UP, "list_assignable")
        return await self._log.database.read(_find_assignable)

    async def assign(self, by: Actor, name: str, table: str) -> None:
        """Put somebody on duty at a table. A dealer leaves the table where they were; others can have several."""
        await self._log.require(by, MANAGER_UP, "assign_duty", table)
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            _require_table(transaction, table)
            account = _require_staff(transaction, name)
            _require_not_there(find_on_duty(transaction), account.name, table)
            return None, _start(transaction, account, table, at_us)

        await self._log.change(by, change)

    async def end(self, by: Actor, name: str) -> None:
        """End somebody's duty, at all their tables."""
        await self._log.require(by, MANAGER_UP, "end_duty")
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            account = require_account(transaction, name)
            ended = end_duty(transaction, account.name, at_us)
            if not ended:
                raise FloorRefused(FloorCode.BAD_DUTY, variant="off", name=account.name)
            return None, ended

        await self._log.change(by, change)

    async def relieve(self, by: Actor, table: str, name: str, hand_over: HandOver = lambda _: []) -> None:
        """Another dealer takes over a table.

        The dealer who is on duty there can hand it over, to somebody who is not on duty elsewhere. ``hand_over`` is
        done in the same transaction: the console changes hands, too.
        """
        await self._log.require(by, DEALER_UP, "relieve", table)
        at_us = self._log.clock.now_us()
        on_duty_now = await self.now()
        if by.position is Position.DEALER and table not in on_duty_now.tables_of(by.name):
            await self._log.refuse(by, "relieve", not_on_duty_here(on_duty_now, by.name, table), table)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            _require_table(transaction, table)
            account, on_duty = _require_staff(transaction, name), find_on_duty(transaction)
            if account.position is not Position.DEALER:
                raise FloorRefused(FloorCode.BAD_DUTY, variant="no_dealer", name=account.name)
            _require_not_there(on_duty, account.name, table)
            elsewhere = on_duty.tables_of(account.name)
            if elsewhere and by.position is Position.DEALER:
                raise FloorRefused(FloorCode.BAD_DUTY, variant="elsewhere", name=account.name, table=elsewhere[0])
            dealers = on_duty.at_table(table, {Position.DEALER})
            if not dealers:
                raise FloorRefused(FloorCode.BAD_DUTY, variant="nobody", table=table)
            ended = [event for dealer in dealers for event in end_duty(transaction, dealer, at_us, table)]
            return None, [*ended, *_start(transaction, account, table, at_us, dealers[0]), *hand_over(transaction)]

        await self._log.change(by, change)


def not_on_duty_here(on_duty: OnDuty, name: str, table: str) -> FloorRefused:
    """The refusal for a dealer who is on duty at another table, or nowhere."""
    elsewhere = on_duty.tables_of(name)
    if not elsewhere:
        return FloorRefused(FloorCode.NOT_ON_DUTY_HERE, table=table)
    return FloorRefused(FloorCode.NOT_ON_DUTY_HERE, variant="elsewhere", table=table, at=elsewhere[0])


# ---- database jobs


def _start(transaction: Transaction, account: Account, table: str, at_us: int, relieves: str = "") -> list[HouseEvent]:
    ended = end_duty(transaction, account.name, at_us) if account.position is Position.DEALER else []
    return [*ended, DutyStarted(account.name, table, str(account.position), at_us, relieves)]


def _find_assignable(transaction: Transaction) -> list[Assignable]:
    sql = "SELECT name, position FROM accounts WHERE kind = ? ORDER BY folded"
    return [Assignable(*row) for row in transaction.rows(sql, (Holder.PERSON,)) if row[1] in STAFF]


def _require_table(transaction: Transaction, table: str) -> None:
    if not transaction.rows("SELECT 1 FROM tables WHERE name = ?", (table,)):
        raise FloorRefused(FloorCode.UNKNOWN_TABLE, table=table[:40])


def _require_staff(transaction: Transaction, name: str) -> Account:
    """An account of a person who holds a position at tables."""
    account = require_account(transaction, name)
    if account.holder is Holder.MACHINE:
        raise FloorRefused(FloorCode.BAD_DUTY, variant="machine", name=account.name)
    if account.position not in STAFF:
        raise FloorRefused(FloorCode.BAD_DUTY, variant="position", name=account.name)
    return account


def _require_not_there(on_duty: OnDuty, name: str, table: str) -> None:
    if table in on_duty.tables_of(name):
        raise FloorRefused(FloorCode.BAD_DUTY, variant="already", name=name, table=table)
