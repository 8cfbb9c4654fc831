"""Appends events to the house's stream, and changes the tables that follow from it in the same transaction."""

from punto.floor.database.base import Transaction
from punto.floor.house.projection import (
    Delete,
    Operation,
    Projection,
    Put,
    Stored,
    Uncompared,
    Update,
    Values,
    condition,
)
from punto.floor.house.registry import projections_of
from punto.floor.journal import streams
from punto.floor.journal.entry import NO_PREVIOUS_HASH, CommandRecord, Entry, follow, write
from punto.floor.journal.house_events import HOUSE, HouseEvent


def append_house(transaction: Transaction, record: CommandRecord, *events: HouseEvent | Stored) -> None:
    """Append events to the house's stream."""
    if not streams.lock_house(transaction):
        first = (HOUSE, 0, NO_PREVIOUS_HASH)
        transaction.change(
            "INSERT INTO streams (name, version, hash) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", first
        )
        streams.lock_house(transaction)
    end = streams.head(transaction, HOUSE)
    plain = [each.event if isinstance(each, Stored) else each for each in events]
    entries = follow(HOUSE, end.version, end.hash, record, [write(event) for event in plain])
    streams.append(transaction, end, entries)
    for given, event, entry in zip(events, plain, entries, strict=True):
        project(transaction, event, entry, given.columns if isinstance(given, Stored) else {})


def project(transaction: Transaction, event: HouseEvent, entry: Entry, stored: Values | None = None) -> None:
    """Update the tables that follow from an event. ``stored`` is what the stream does not say."""
    for projection in projections_of(type(event)):
        for operation in projection.apply(event, entry):
            _carry_out(transaction, projection, operation, stored or {})


def _carry_out(transaction: Transaction, projection: Projection, operation: Operation, stored: Values) -> None:
    match operation:
        case Put():
            _put(transaction, projection, operation, stored)
        case Update():
            values = {**_plain(projection, operation.values), **_of(projection, stored)}
            if values:
                setting = ", ".join(f"{column} = ?" for column in values)
                where, wanted = condition(_plain(projection, operation.where, compared=True))
                sql = f"UPDATE {projection.table} SET {setting} WHERE {where}"  # noqa: S608 - our own names
                transaction.change(sql, (*values.values(), *wanted))
        case Delete():
            where, wanted = condition(_plain(projection, operation.where, compared=True))
            transaction.change(f"DELETE FROM {projection.table} WHERE {where}", wanted)  # noqa: S608 - our own names
        case _:
            pass  # who appended it has looked; verify looks again


def _put(transaction: Transaction, projection: Projection, put: Put, stored: Values) -> None:
    row = {**_plain(projection, put.row), **_of(projection, stored)}
    if projection.stored and not row.keys() & {*projection.stored}:
        return  # an event without what is stored with it: verify reports the row that is missing
    columns, marks = ", ".join(row), ", ".join("?" * len(row))
    sql = f"INSERT INTO {projection.table} ({columns}) VALUES ({marks})"  # noqa: S608 - our own names
    if put.anew:
        changed = ", ".join(f"{column} = excluded.{column}" for column in row if column not in projection.key)
        sql += f" ON CONFLICT ({', '.join(projection.key)}) DO UPDATE SET {changed}"
    transaction.many(sql, [tuple(row.values())])


def _plain(projection: Projection, values: Values, *, compared: bool = False) -> dict[str, object]:
    """The values of columns that the database has."""
    known = projection.columns
    return {
        column: value.value if isinstance(value, Uncompared) and not compared else value
        for column, value in values.items()
        if column in known
    }


def _of(projection: Projection, stored: Values) -> dict[str, object]:
    own = {*projection.stored, *projection.volatile}
    return {column: value for column, value in stored.items() if column in own}
