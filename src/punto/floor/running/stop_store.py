"""The table ``stops``: what is and was stopped, and why. The house's stream has the same as events."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused

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

    def released(self, by: str, at_us: int, because: str) -> "Stop":
        return replace(self, released_by=by, released_us=at_us, released_because=because)


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


def keep_stop(transaction: Transaction, stop: Stop) -> None:
    sql = f"INSERT INTO stops ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own columns
    transaction.many(sql, [stop_row(stop)])


def release_stop(transaction: Transaction, stop: Stop) -> None:
    sql = "UPDATE stops SET released_by = ?, released_us = ?, released_because = ? WHERE number = ?"
    transaction.change(sql, (stop.released_by, stop.released_us, stop.released_because, stop.number))


def stop_row(stop: Stop) -> Row:
    return (
        *(stop.number, stop.scope, stop.of, stop.reason, stop.by, stop.at_us),
        *(stop.released_by, stop.released_us, stop.released_because),
    )


def _stop(row: Row) -> Stop:
    number, scope, *rest = row
    return Stop(number, StopScope(scope), *rest)
