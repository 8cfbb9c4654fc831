"""Makes tables again that follow from the house's stream. Columns that the stream does not say stay as they are."""

from collections.abc import Iterator, Sequence

import msgspec

from punto.floor.database.base import Row, Transaction
from punto.floor.house.projection import Projection
from punto.floor.house.registry import PROJECTIONS
from punto.floor.house.replica import Impossible, Replica
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import HOUSE, read_house_event

DERIVED = tuple(each for each in PROJECTIONS if not each.stored and not each.volatile)
"""Everything in these tables is in the stream, or nowhere."""


def rebuild_tables(transaction: Transaction, projections: Sequence[Projection] = DERIVED) -> int:
    """Return how many rows were changed, added or deleted. What cannot be read is skipped: the audit reports it."""
    replica = Replica()
    try:
        for entry in _entries(transaction):
            try:
                replica.apply(read_house_event(entry.event), entry)
            except (msgspec.MsgspecError, Impossible):
                continue
        return sum(_rebuild(transaction, replica, projection) for projection in projections)
    finally:
        replica.close()


def _rebuild(transaction: Transaction, replica: Replica, projection: Projection) -> int:
    replica.load(transaction, [projection])
    differing = replica.count_differences(projection)
    if differing:
        columns = ", ".join(projection.columns)
        marks = ", ".join("?" * len(projection.columns))
        made: list[Row] = replica.rows(projection)
        transaction.change(f"DELETE FROM {projection.table}")  # noqa: S608 - our own names
        transaction.many(f"INSERT INTO {projection.table} ({columns}) VALUES ({marks})", made)  # noqa: S608 - as above
    return differing


def _entries(transaction: Transaction) -> Iterator[Entry]:
    head, after = streams.find(transaction, HOUSE), 0
    while head is not None and (entries := streams.read(transaction, head, after)):
        yield from entries
        after = entries[-1].version
