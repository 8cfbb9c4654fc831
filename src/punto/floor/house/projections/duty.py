"""The table ``duty``: who is and was on duty where."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from punto.floor.database.base import Row, Transaction
from punto.floor.house.projection import AtMost, Lack, Need, Operation, Projection, Put, Update
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import DutyEnded, DutyStarted, HouseEvent
from punto.floor.names.names import fold
from punto.table.records.positions import Position

_COLUMNS = "name, at_table, position, relieves, from_us, to_us"


class DutyLine(Struct, frozen=True):
    """Somebody's duty at a table. Times are Unix time in microseconds."""

    name: str
    table: str
    position: str
    """The position they held when they came on duty."""
    relieves: str
    """The dealer whose place they took; empty if it was no relief."""
    from_us: int
    to_us: int
    """0 while they are on duty."""


class DutyTable(Projection):
    table = "duty"
    thing = "duty"
    fault = FaultCode.DUTY_DIFFERS
    key = ("place",)
    derived = ("folded", "name", "at_table", "position", "relieves", "from_us", "to_us")
    ordered = "id"
    kinds = (DutyStarted, DutyEnded)

    def apply(self, event: DutyStarted | DutyEnded, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        folded, now = fold(event.name), {"folded": fold(event.name), "at_table": event.table, "to_us": 0}
        if isinstance(event, DutyEnded):
            yield Update({**now, "from_us": AtMost(event.at_us)}, {"to_us": event.at_us})
            return
        yield Need("accounts", {"folded": folded})
        yield Need("tables", {"name": event.table})
        yield Lack("duty", now)
        line = {"name": event.name, "position": event.position, "relieves": event.relieves, "from_us": event.at_us}
        yield Put({**now, **line})


class OnDuty(Struct, frozen=True):
    """Who is on duty at a moment, and for whom that matters."""

    lines: tuple[DutyLine, ...]
    counts: bool
    """Whether the floor has ever assigned anybody. Until then every dealer may act everywhere."""

    def tables_of(self, name: str) -> tuple[str, ...]:
        """In the order in which they were assigned."""
        return tuple(line.table for line in self.lines if fold(line.name) == fold(name))

    def at_table(self, table: str, positions: Collection[Position]) -> tuple[str, ...]:
        """The names of those who came to a table in one of these positions."""
        return tuple(line.name for line in self.lines if line.table == table and line.position in positions)

    def lets_act(self, by: Actor, table: str, since_us: int | None = None) -> bool:
        """Dealers act only at their table. Everybody else acts everywhere, and machines where their token says.

        ``since_us``: whether they have been there all the time since a moment. None: now.
        """
        if not self.counts or by.position is not Position.DEALER or by.bounds is not None:
            return True
        here = (line for line in self.lines if line.table == table and fold(line.name) == fold(by.name))
        return any(since_us is None or line.from_us <= since_us for line in here)


def find_on_duty(transaction: Transaction) -> OnDuty:
    lines = tuple(_lines(transaction.rows(f"SELECT {_COLUMNS} FROM duty WHERE to_us = 0 ORDER BY id")))  # noqa: S608
    counts = bool(lines) or bool(transaction.rows("SELECT 1 FROM duty LIMIT 1"))
    return OnDuty(lines, counts)


def find_duty(transaction: Transaction, from_us: int, to_us: int, limit: int) -> list[DutyLine]:
    """Everybody who was on duty in a period, both ends included, in the order in which they came."""
    sql = (
        f"SELECT {_COLUMNS} FROM duty WHERE from_us <= ? AND (to_us = 0 OR to_us > ?)"  # noqa: S608 - our own columns
        " ORDER BY from_us, id LIMIT ?"
    )
    return list(_lines(transaction.rows(sql, (to_us, from_us, limit))))


def end_duty(transaction: Transaction, name: str, at_us: int, table: str | None = None) -> list[HouseEvent]:
    """The end of somebody's duty at one table, or at all of them."""
    lines = [line for line in find_on_duty(transaction).lines if fold(line.name) == fold(name)]
    ended = [line for line in lines if table is None or line.table == table]
    return [DutyEnded(line.name, line.table, max(at_us, line.from_us)) for line in ended]


def _lines(rows: Iterable[Row]) -> Iterable[DutyLine]:
    return (DutyLine(*row) for row in rows)
