"""Where two people have to act together, and when one may still act alone.

An act that gives authority, or that starts or ends the count of a table's money, needs a second person. A floor with
fewer than two officers could not do it at all, so there one may act alone: the entry is marked, and auditors see it.
An act of the house by one person is marked also where every table is for play money, because authority outlives that.
"""

from collections.abc import Callable
from typing import NoReturn, TypeVar

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import Change, HouseLog, Judge
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import NO_CONTEXT, EntryContext
from punto.floor.journal.event_base import OFFICERS
from punto.floor.people.floor_rules import FloorRules, find_floor_rules
from punto.table.records.positions import ADMINISTRATOR_ONLY, Position

T = TypeVar("T")


class FourEyes(Struct, frozen=True):
    """Whether a floor wants two people, and whether it has them."""

    in_force: bool = False
    officers: int = 0
    """People who hold such a position and have changed their one-time password."""

    @property
    def needs_second(self) -> bool:
        return self.in_force and self.officers >= 2

    @property
    def alone(self) -> bool:
        """Whether a table's command by one person is marked as such."""
        return self.in_force and self.officers < 2


NOT_NEEDED = FourEyes()


def find_four_eyes(transaction: Transaction) -> FourEyes:
    return FourEyes(in_force(transaction, find_floor_rules(transaction)), _officers(transaction))


def in_force(transaction: Transaction, rules: FloorRules) -> bool:
    """Whether these rules want two people. They do not where every table is for play money."""
    tables = [name for (name,) in transaction.rows("SELECT name FROM tables")]
    return rules.four_eyes and not (tables and all(map(rules.for_play_money, tables)))


def _officers(transaction: Transaction) -> int:
    positions = sorted(OFFICERS)
    marks = ", ".join("?" for _ in positions)
    sql = f"SELECT count(*) FROM accounts WHERE kind = 'person' AND to_change = 0 AND position IN ({marks})"  # noqa: S608 - marks
    count: int = transaction.rows(sql, positions)[0][0]
    return count


class Mandate(Struct, frozen=True):
    """By what right an act of the house is done."""

    may: frozenset[Position] = ADMINISTRATOR_ONLY
    judge: Judge = lambda _: NO_CONTEXT
    proposed_by: str = ""
    only_try: bool = False
    """Whether the act is undone, once nothing has refused it. It then raises :class:`Tried`."""

    async def change(self, log: HouseLog, by: Actor, change: Change[T]) -> T:
        """Make a change of this act: see :meth:`HouseLog.change`."""

        def tried(transaction: Transaction) -> NoReturn:
            change(transaction)
            raise Tried

        return await log.change(by, tried if self.only_try else change, self.judge)


class Tried(Exception):
    """An act could be done, and was undone."""


BY_CONSOLE = Mandate()
"""One administrator, and nobody is asked for a second person: the command line, and acts that need none."""


def second_needed() -> FloorRefused:
    return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="house")


def judge_alone(refusal: Callable[[], FloorRefused]) -> Judge:
    """Refuses one person where two are needed; ``refusal`` says who they are."""

    def judge(transaction: Transaction) -> EntryContext:
        if find_four_eyes(transaction).needs_second:
            raise refusal()
        return EntryContext(alone=True)

    return judge


ALONE = Mandate(judge=judge_alone(second_needed))
"""One administrator, where two are needed: refused, or marked as done alone."""
