"""The table ``stops``: what is and was stopped, and why."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projection import Operation, Projection, Put, Update
from punto.floor.journal.audit_events import GamingReleased, GamingStopped
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode

MAX_STOP_NUMBER = 999_999_999
_COLUMNS = "number, scope, subject, reason, actor, at_us, released_by, released_us, released_because"
SELECT_STOPS = f"SELECT {_COLUMNS} FROM stops"  # noqa: S608 - our own columns
_KNOWN = f"{SELECT_STOPS} WHERE scope IN ('all', 'game', 'player', 'staff')"
"""Any other row was forged: verify reports it, and the floor goes on without it."""


class StopScope(StrEnum):
    ALL = "all"
    GAME = "game"
    PLAYER = "player"
    STAFF = "staff"


class Stop(Struct, frozen=True):
    """Times are Unix time in microseconds."""

    number: int
    """Counts over the whole floor, without a gap."""
    scope: StopScope
    of: str
    """The book, the player's id or visitor's name, or the account; empty for all gaming."""
    reason: str
    by: str
    at_us: int
    released_by: str = ""
    released_us: int = 0
    """0 while it is in force."""
    released_because: str = ""


class StopsTable(Projection):
    table = "stops"
    thing = "stop"
    fault = FaultCode.STOPS_DIFFER
    key = ("number",)
    derived = ("scope", "subject", "reason", "actor", "at_us", "released_by", "released_us", "released_because")
    kinds = (GamingStopped, GamingReleased)

    def apply(self, event: GamingStopped | GamingReleased, entry: Entry) -> Iterable[Operation]:
        if isinstance(event, GamingReleased):
            released = {"released_by": entry.actor, "released_us": event.at_us, "released_because": event.reason}
            yield Update({"number": event.number, "released_us": 0}, released)
            return
        stop = Stop(event.number, StopScope(event.scope), event.of, event.reason, entry.actor, event.at_us)
        yield Put(dict(zip(self.columns, astuple(stop), strict=True)), counted="number")


def stop_at(stops: Sequence[Stop], book: str) -> Stop | None:
    """The first stop that holds the tables of a book."""
    holding = {(StopScope.ALL, ""), (StopScope.GAME, book)}
    return next((stop for stop in stops if (stop.scope, stop.of) in holding), None)


def stop_of(stops: Sequence[Stop], scope: StopScope, of: str) -> Stop | None:
    return next((stop for stop in stops if (stop.scope, stop.of) == (scope, of)), None)


def stops_in_force(transaction: Transaction) -> list[Stop]:
    """Those that nobody has released, the oldest first."""
    return [_stop(row) for row in transaction.rows(f"{_KNOWN} AND released_us = 0 ORDER BY number")]


def stops_at(transaction: Transaction, at_us: int) -> list[Stop]:
    """Those in force at a moment, the oldest first."""
    sql = f"{_KNOWN} AND at_us <= ? AND (released_us = 0 OR released_us > ?) ORDER BY number"
    return [_stop(row) for row in transaction.rows(sql, (at_us, at_us))]


def stops_since(transaction: Transaction, since_us: int) -> list[Stop]:
    """Those that were in force at any time since a moment, the oldest first."""
    sql = f"{_KNOWN} AND (released_us = 0 OR released_us >= ?) ORDER BY number"
    return [_stop(row) for row in transaction.rows(sql, (since_us,))]


def find_stops(transaction: Transaction, limit: int) -> list[Stop]:
    """All stops, the last first."""
    return [_stop(row) for row in transaction.rows(f"{_KNOWN} ORDER BY number DESC LIMIT ?", (limit,))]


def find_stop(transaction: Transaction, number: int) -> Stop:
    rows = transaction.rows(f"{_KNOWN} AND number = ?", (number,))
    if not rows:
        raise FloorRefused(FloorCode.UNKNOWN_STOP, number=number)
    return _stop(rows[0])


def next_number(transaction: Transaction) -> int:
    return 1 + int(transaction.rows("SELECT count(*) FROM stops")[0][0])


def _stop(row: Row) -> Stop:
    number, scope, *rest = row
    return Stop(number, StopScope(scope), *rest)
