"""A stream read from its first entry to its head, each entry held against the one before it."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import fields

from punto.floor.audit.faults import Wrong, faulty
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import ENTRY_COLUMNS, NOTHING_BEFORE, Entry, digest
from punto.floor.journal.streams import ENTRIES_A_PAGE, Head

_COLUMNS = ("id", *ENTRY_COLUMNS)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM entries WHERE stream = ? AND version > ? ORDER BY version, id LIMIT ?"  # noqa: S608 - our own names
_NUMBERS = {"id", *(field.name for field in fields(Entry) if field.type is int)}
_OPTIONAL = {field.name for field in fields(Entry) if field.type == str | None}

Told = Callable[[int], None]
"""Is told how many more entries have been read."""


class Link(Struct, frozen=True, gc=False):
    """An entry with the key of its row: keys rise in the order of writing, over all streams."""

    key: int
    entry: Entry


def walk(database: Database, head: Head, told: Told) -> Iterator[Link]:
    """Every entry of the stream up to that head; stops with the first that is not as it was written."""
    before, version, key = NOTHING_BEFORE, 0, 0
    for row in _rows(database, head, told):
        version += 1
        link = _link(head.stream, version, row)
        entry = link.entry
        if entry.version != version:
            code, words = Wrong.ENTRY_MISSING, f"the entry is missing: the next one there is {entry.version}"
            raise faulty(head.stream, version, code, words)
        if link.key <= key:
            words = "the entry was not written after the one before it"
            raise faulty(head.stream, version, Wrong.ENTRY_MOVED, words)
        if digest(before, entry) != entry.hash:
            words = "the entry, or the one before it, is not what was written: its hash is another"
            raise faulty(head.stream, version, Wrong.ENTRY_ALTERED, words)
        before, key = entry.hash, link.key
        yield link
    if version < head.version:
        words = f"the entry is missing: the stream should end with entry {head.version}"
        raise faulty(head.stream, version + 1, Wrong.ENTRY_MISSING, words)
    if before != head.hash:
        words = "the stream does not end with the hash that the table of streams has"
        raise faulty(head.stream, version or None, Wrong.HEAD_DIFFERS, words)


def _link(stream: str, version: int, row: Row) -> Link:
    """The entry of a row, if the row can be one."""
    for name, value in zip(_COLUMNS, row, strict=True):
        number = name in _NUMBERS
        if type(value) is not (int if number else str) and not (value is None and name in _OPTIONAL):
            words = f"the column {name} holds no {'number' if number else 'text'}"
            raise faulty(stream, version, Wrong.NOT_AN_ENTRY, words)
        if type(value) is str and "\n" in value:  # else two rows could have one hash
            raise faulty(stream, version, Wrong.NOT_AN_ENTRY, "a text of the entry has more than one line")
    entry = Entry(stream, *row[1:])
    if (entry.part == 0) is (entry.command is None):
        words = "a command stands with the first of its events, and with no other"
        raise faulty(stream, version, Wrong.NOT_AN_ENTRY, words)
    return Link(row[0], entry)


def _rows(database: Database, head: Head, told: Told) -> Iterator[Row]:
    after = 0
    while after < head.version:
        rows = _page(database, head, after)
        if not rows:
            return
        yield from rows
        told(len(rows))
        if type(rows[-1][1]) is not int or rows[-1][1] <= after:
            return  # not ours: the reader stops at it
        after = rows[-1][1]


def _page(database: Database, head: Head, after: int) -> list[Row]:
    most = min(ENTRIES_A_PAGE, head.version - after)
    try:
        return database.reading(lambda transaction: _read(transaction, head, after, most)).result()
    except UnicodeDecodeError as error:
        if most == 1:
            words = f"a text of the entry is not in UTF-8: {error.reason}"
            raise faulty(head.stream, after + 1, Wrong.NOT_AN_ENTRY, words) from error
        return _page(database, Head(head.stream, head.key, after + most // 2), after)
    except FloorRefused as refused:
        if refused.code is not FloorCode.BAD_DATABASE:
            raise
        words = f"the entries after {after} cannot be read: {refused.message}"
        raise faulty(head.stream, after + 1, Wrong.NOT_AN_ENTRY, words) from refused


def _read(transaction: Transaction, head: Head, after: int, most: int) -> list[Row]:
    return transaction.rows(_SELECT, (head.key, after, most))
