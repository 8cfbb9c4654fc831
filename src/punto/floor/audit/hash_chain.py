"""Reads a stream from its first entry to its head and checks each entry against the one before it."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import fields

from punto.floor.audit.faults import FaultCode, fault_found
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import ENTRY_COLUMNS, NO_PREVIOUS_HASH, Entry, EntryContext, context_of, digest
from punto.floor.journal.streams import ENTRIES_A_PAGE, Head, ReadProgress

_COLUMNS = ("id", *ENTRY_COLUMNS)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM entries WHERE stream = ? AND version > ? ORDER BY version, id LIMIT ?"  # noqa: S608 - our own names
_NUMBERS = {"id", *(field.name for field in fields(Entry) if field.type is int)}
_OPTIONAL = {field.name for field in fields(Entry) if field.type == str | None}


class Link(Struct, frozen=True, gc=False):
    """An entry with the key of its row. Keys increase in the order of writing, across all streams."""

    key: int
    entry: Entry
    context: EntryContext


def walk(database: Database, head: Head, progress: ReadProgress) -> Iterator[Link]:
    """Yield every entry up to the head; raise at the first that is not as it was written."""
    before, version, key, has_context, has_round = NO_PREVIOUS_HASH, 0, 0, False, False
    for row in _rows(database, head, progress):
        version += 1
        link = _link(head.stream, version, row)
        entry = link.entry
        if entry.version != version:
            code, words = FaultCode.ENTRY_MISSING, f"the entry is missing: the next one is entry {entry.version}"
            raise fault_found(head.stream, version, code, words)
        if link.key <= key:
            words = "the entry was not written after the one before it"
            raise fault_found(head.stream, version, FaultCode.ENTRY_MOVED, words)
        if digest(before, entry) != entry.hash:
            words = "the entry or the one before it was altered: the hash does not match"
            raise fault_found(head.stream, version, FaultCode.ENTRY_ALTERED, words)
        if (has_context and not entry.context) or (has_round and link.context.round < 0):
            words = "the entry has no context or no round, but the one before it has: that is an older release's form"
            raise fault_found(head.stream, version, FaultCode.NOT_AN_ENTRY, words)
        if link.context.happened_at_us > entry.at_us:
            words = "the entry says that it happened after it was entered"
            raise fault_found(head.stream, version, FaultCode.HAPPENED_LATER, words)
        before, key, has_context, has_round = entry.hash, link.key, bool(entry.context), link.context.round >= 0
        yield link
    if version < head.version:
        words = f"the entry is missing: the stream should end with entry {head.version}"
        raise fault_found(head.stream, version + 1, FaultCode.ENTRY_MISSING, words)
    if before != head.hash:
        words = "the last hash of the stream differs from the one in the table `streams`"
        raise fault_found(head.stream, version or None, FaultCode.HEAD_DIFFERS, words)


def _link(stream: str, version: int, row: Row) -> Link:
    for name, value in zip(_COLUMNS, row, strict=True):
        number = name in _NUMBERS
        if type(value) is not (int if number else str) and not (value is None and name in _OPTIONAL):
            words = f"the column {name} is not {'a number' if number else 'text'}"
            raise fault_found(stream, version, FaultCode.NOT_AN_ENTRY, words)
        if type(value) is str and "\n" in value:  # otherwise two rows could have the same hash
            raise fault_found(stream, version, FaultCode.NOT_AN_ENTRY, "a column of the entry has more than one line")
    entry = Entry(stream, *row[1:])
    if (entry.part == 0) is (entry.command is None):
        words = "the first event of a command must have the command, and the others must not"
        raise fault_found(stream, version, FaultCode.NOT_AN_ENTRY, words)
    try:
        return Link(row[0], entry, context_of(entry))
    except FloorRefused as refused:
        raise fault_found(stream, version, FaultCode.NOT_AN_ENTRY, "the context cannot be read") from refused


def _rows(database: Database, head: Head, progress: ReadProgress) -> Iterator[Row]:
    after = 0
    while after < head.version:
        rows = _page(database, head, after)
        if not rows:
            return
        yield from rows
        progress(len(rows))
        if type(rows[-1][1]) is not int or rows[-1][1] <= after:
            return  # a damaged row: the caller reports it
        after = rows[-1][1]


def _page(database: Database, head: Head, after: int) -> list[Row]:
    limit = min(ENTRIES_A_PAGE, head.version - after)
    try:
        return database.reading(lambda transaction: _read(transaction, head, after, limit)).result()
    except UnicodeDecodeError as error:
        if limit == 1:
            words = f"a column of the entry is not valid UTF-8: {error.reason}"
            raise fault_found(head.stream, after + 1, FaultCode.NOT_AN_ENTRY, words) from error
        return _page(database, Head(head.stream, head.key, after + limit // 2), after)
    except FloorRefused as refused:
        if refused.code is not FloorCode.BAD_DATABASE:
            raise
        words = f"the entries after {after} cannot be read: {refused.message}"
        raise fault_found(head.stream, after + 1, FaultCode.NOT_AN_ENTRY, words) from refused


def _read(transaction: Transaction, head: Head, after: int, limit: int) -> list[Row]:
    return transaction.rows(_SELECT, (head.key, after, limit))
