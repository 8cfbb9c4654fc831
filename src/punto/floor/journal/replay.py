"""Rebuilds a table from its journal: from the last valid snapshot, if there is one, and the entries after it."""

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
"""Another release ignores snapshots in this form, because its state may differ."""

NOTHING_LEFT = TableClosed({})
"""Before the first closing."""
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Table)


class Rebuilt(Struct, frozen=True):
    state: Table
    head: Head
    snapshot_at: int = 0
    closing: TableClosed = NOTHING_LEFT
    """The closing, if the stream ends with one."""


def rebuild(transaction: Transaction, stream: Head) -> Rebuilt:
    """Rebuild a table from its whole stream."""
    table = from_snapshot(transaction, stream) or Rebuilt(Table(), Head(stream.stream, stream.key))
    snapshot_at = table.snapshot_at
    closing = closing_in([event_of(last) for last in streams.read(transaction, stream, stream.version - 1, 1)])
    while entries := streams.read(transaction, stream, table.head.version):
        table = follow_up(table.state, table.head, entries)
    if (table.head.version, table.head.hash) != (stream.version, stream.hash):
        raise broken(stream.stream, table.head.version)
    return Rebuilt(table.state, table.head, snapshot_at, closing)


def follow_up(state: Table, head: Head, entries: Sequence[Entry]) -> Rebuilt:
    """Apply entries that follow a head; refused if they do not follow it."""
    before, version, events = head.hash, head.version, []
    for entry in entries:
        if entry.version != version + 1 or entry.hash != digest(before, entry):
            raise broken(head.stream, version + 1)
        before, version = entry.hash, entry.version
        event = event_of(entry)
        events.append(event)
        state = evolve(state, event)
    return Rebuilt(state, Head(head.stream, head.key, version, before), closing=closing_in(events))


def closing_in(events: Sequence[Event]) -> TableClosed:
    """The closing, if the events end with one."""
    last = events[-1] if events else None
    return last if isinstance(last, TableClosed) else NOTHING_LEFT


# ---- snapshots


def take_snapshot(state: Table, head: Head) -> Snapshot:
    encoded = _ENCODER.encode(state)
    return Snapshot(head.version, FORM, encoded, _seal(head, FORM, encoded))


def from_snapshot(transaction: Transaction, stream: Head) -> Rebuilt | None:
    """The table at its last snapshot.

    None if there is none, or if it is of another release, damaged, or not taken at the last entry of a command.
    """
    try:
        snapshot = streams.snapshot(transaction, stream)
    except ValueError:  # includes text that is not valid UTF-8
        return None
    if snapshot is None or snapshot.form != FORM:
        return None
    entries = streams.read(transaction, stream, snapshot.version - 1, 2)
    if not entries or entries[0].version != snapshot.version or any(after.part for after in entries[1:]):
        return None
    head = Head(stream.stream, stream.key, snapshot.version, entries[0].hash)
    if snapshot.hash != _seal(head, snapshot.form, snapshot.state):
        return None
    try:
        return Rebuilt(_DECODER.decode(snapshot.state), head, snapshot.version)
    except msgspec.MsgspecError:
        return None


def _seal(head: Head, form: str, state: bytes) -> str:
    return sha256(b"\n".join((head.stream.encode(), head.hash.encode(), form.encode(), state))).hexdigest()
