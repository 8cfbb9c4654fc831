"""A table from its journal: from the last snapshot where that can be believed, and every entry after it."""

from collections.abc import Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct

import punto
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, broken, digest, event_of
from punto.floor.journal.streams import Head, Snapshot
from punto.table import evolve
from punto.table.records.events import Event, TableClosed
from punto.table.records.state import Table

FORM = f"punto {punto.__version__}"
"""Another release may have another state: it reads the entries instead."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Table)


class Rebuilt(Struct, frozen=True):
    """A table as the journal has it."""

    state: Table
    head: Head
    snapshot_at: int = 0
    closing: dict[str, int] = {}
    """The balances of the closing that the stream ends with."""


def rebuild(transaction: Transaction, stream: Head) -> Rebuilt:
    """All of a stream."""
    table = _from_snapshot(transaction, stream) or Rebuilt(Table(), Head(stream.stream, stream.key))
    snapshot_at = table.snapshot_at
    closing = closing_in([event_of(last) for last in streams.read(transaction, stream, stream.version - 1, 1)])
    while entries := streams.read(transaction, stream, table.head.version):
        table = follow_up(table.state, table.head, entries)
    if (table.head.version, table.head.hash) != (stream.version, stream.hash):
        raise broken(stream.stream, table.head.version)
    return Rebuilt(table.state, table.head, snapshot_at, closing)


def follow_up(state: Table, head: Head, entries: Sequence[Entry]) -> Rebuilt:
    """Entries that follow a head; refused where they do not."""
    before, version, events = head.hash, head.version, []
    for entry in entries:
        if entry.version != version + 1 or entry.hash != digest(before, entry):
            raise broken(head.stream, version + 1)
        before, version = entry.hash, entry.version
        event = event_of(entry)
        events.append(event)
        state = evolve(state, event)
    return Rebuilt(state, Head(head.stream, head.key, version, before), closing=closing_in(events))


def closing_in(events: Sequence[Event]) -> dict[str, int]:
    """The balances of the closing that events end with, if they do."""
    last = events[-1] if events else None
    return last.balances if isinstance(last, TableClosed) else {}


# ---- snapshots


def take_snapshot(state: Table, head: Head) -> Snapshot:
    """A table as it stands after an entry."""
    written = _ENCODER.encode(state)
    return Snapshot(head.version, FORM, written, _seal(head, FORM, written))


def _from_snapshot(transaction: Transaction, stream: Head) -> Rebuilt | None:
    """As the last snapshot has it; None where it is another release's, or damaged, or not of a command's last entry."""
    try:
        taken = streams.snapshot(transaction, stream)
    except ValueError:  # also text that is not in UTF-8
        return None
    if taken is None or taken.form != FORM:
        return None
    found = streams.read(transaction, stream, taken.version - 1, 2)
    if not found or found[0].version != taken.version or any(after.part for after in found[1:]):
        return None
    head = Head(stream.stream, stream.key, taken.version, found[0].hash)
    if taken.hash != _seal(head, taken.form, taken.state):
        return None
    try:
        return Rebuilt(_DECODER.decode(taken.state), head, taken.version)
    except msgspec.MsgspecError:
        return None


def _seal(head: Head, form: str, state: bytes) -> str:
    return sha256(b"\n".join((head.stream.encode(), head.hash.encode(), form.encode(), state))).hexdigest()
