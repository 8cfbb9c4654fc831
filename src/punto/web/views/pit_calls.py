"""Which call for the pit is shown, and since when it is as it is."""

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import tag, tag_of
from punto.floor.journal.streams import Head
from punto.table.records.pit_calls import CallAnswered, PitCall, PitCalled
from punto.table.records.state import Table

_MOVES = frozenset(map(tag, (PitCalled, CallAnswered)))


def is_current(table: Table, call: PitCall) -> bool:
    """Whether a call is open, or was answered in this round."""
    return call.open or call.answered_in == (table.round.number if table.round else 0)


def last_moved_us(transaction: Transaction, head: Head) -> int:
    """When the pit was last called, or its call answered. One of the two is in the stream."""
    return next(entry.at_us for entry in streams.read_back(transaction, head) if tag_of(entry) in _MOVES)
