"""The first of two blind counts of a tray, as it is stored until somebody else has counted."""

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.database.base import Transaction
from punto.floor.people.names.names import fold
from punto.table.records.chips import ChipPile, CountPurpose


class FirstCount(Struct, frozen=True):
    table: str
    stream: str
    id: str
    by: str
    at_us: int
    purpose: CountPurpose
    piles: tuple[ChipPile, ...]
    tray_minor: int
    """What was on record in the tray then. If it changes before the second count, this one is void."""

    def is_by(self, name: str) -> bool:
        return fold(name) == fold(self.by)


_COLUMNS = "at_table, stream, id, actor, at_us, purpose, piles, tray_minor"


def find_count(transaction: Transaction, table: str, stream: str) -> FirstCount | None:
    """The count that waits for a second one in this opening of a table."""
    sql = f"SELECT {_COLUMNS} FROM counts WHERE at_table = ? AND stream = ?"  # noqa: S608 - our own names
    rows = transaction.rows(sql, (table, stream))
    if not rows:
        return None
    at_table, in_stream, count_id, by, at_us, purpose, piles, tray_minor = rows[0]
    decoded = msgspec.json.decode(piles, type=tuple[ChipPile, ...])
    return FirstCount(at_table, in_stream, count_id, by, at_us, CountPurpose(purpose), decoded, tray_minor)


def keep_count(transaction: Transaction, count: FirstCount) -> None:
    """Store a first count in the place of an earlier one."""
    transaction.change("DELETE FROM counts WHERE at_table = ?", (count.table,))
    *fields, purpose, piles, tray_minor = astuple(count)
    row = (*fields, purpose, msgspec.json.encode(piles).decode(), tray_minor)
    marks = ", ".join("?" for _ in row)
    transaction.many(f"INSERT INTO counts ({_COLUMNS}) VALUES ({marks})", [row])  # noqa: S608 - our own names


def end_count(transaction: Transaction, count: FirstCount) -> bool:
    """Remove a first count; False if somebody else was faster."""
    sql = "DELETE FROM counts WHERE at_table = ? AND id = ? AND at_us = ?"
    return bool(transaction.change(sql, (count.table, count.id, count.at_us)))
