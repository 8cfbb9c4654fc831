"""The journal: append-only streams of entries, each chained to the one before it.

``(stream, version)`` is the only write lock: any process may decide and append; if another process appended first, it
reloads the table and decides again. Functions that take a transaction are pieces of work for a :class:`Database`.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import astuple, fields

from punto.floor.database.base import Database, Duplicate, Transaction
from punto.floor.errors import CommandIdTaken, VersionConflict
from punto.floor.journal import seal_index
from punto.floor.journal.entry import ENTRY_COLUMNS, NOTHING_BEFORE, Entry, Said, follow, unreadable, write
from punto.floor.journal.house_events import HOUSE, HouseEvent
from punto.floor.journal.stream_name import StreamName

ENTRIES_A_PAGE = 2_000
"""How many entries are read at once."""
ENTRIES_A_STEP_BACK = 500
"""How many entries are read at once on the way back."""
MAX_ROWS_A_STATEMENT = 1_000

_COLUMNS = ", ".join(ENTRY_COLUMNS)
_TYPES = [field.type for field in fields(Entry)[1:]]
_ROW_TYPES = frozenset(
    tuple(with_command if type_ == str | None else type_ for type_ in _TYPES) for with_command in (str, type(None))
)
"""The types of a row of each kind: with a command, and without."""


class Head(Struct, frozen=True):
    """The end of a stream, which the next entry follows."""

    stream: str
    key: int
    version: int = 0
    hash: str = NOTHING_BEFORE


class Snapshot(Struct, frozen=True):
    """A table as it stood at a version, in the form of one release."""

    version: int
    form: str
    state: bytes
    hash: str
    """Over all of it and the entry it stands on."""


def begin(transaction: Transaction, stream: StreamName | str) -> Head:
    """A stream with nothing in it yet; a conflict if there is one of that name."""
    values = (str(stream), 0, NOTHING_BEFORE)
    try:
        transaction.many("INSERT INTO streams (name, version, hash) VALUES (?, ?, ?)", [values])
    except Duplicate as error:
        raise VersionConflict(stream) from error
    return head(transaction, stream)


def head(transaction: Transaction, stream: StreamName | str) -> Head:
    """The end of a stream that exists."""
    found = find(transaction, stream)
    if found is None:
        raise KeyError(stream)
    return found


def find(transaction: Transaction, stream: StreamName | str) -> Head | None:
    """The end of a stream, if there is one of that name."""
    rows = transaction.rows("SELECT id, version, hash FROM streams WHERE name = ?", (str(stream),))
    return Head(str(stream), *rows[0]) if rows else None


def require_end(transaction: Transaction, end: Head) -> None:
    """The stream still ends there, and nobody appends to it before the commit."""
    sql = "UPDATE streams SET version = version WHERE id = ? AND version = ? AND hash = ?"
    if not transaction.change(sql, (end.key, end.version, end.hash)):
        raise VersionConflict(end.stream)


def heads(transaction: Transaction) -> dict[str, Head]:
    """The ends of all streams, in the order in which they were begun."""
    rows = transaction.rows("SELECT name, id, version, hash FROM streams ORDER BY id")
    return {row[0]: Head(*row) for row in rows}


def openings(transaction: Transaction) -> dict[str, int]:
    """How often each table has been opened."""
    found: dict[str, int] = {}
    for (text,) in transaction.rows("SELECT name FROM streams"):
        if (name := StreamName.find(text)) is not None:
            found[name.table] = max(found.get(name.table, 0), name.opening)
    return found


def append(transaction: Transaction, after: Head, entries: Sequence[Entry]) -> Head:
    """Write entries that follow this head, or raise, and nothing is written; the new head."""
    last = entries[-1]
    rows = [astuple(entry)[1:] for entry in entries]
    try:
        for first in range(0, len(rows), MAX_ROWS_A_STATEMENT):
            piece = rows[first : first + MAX_ROWS_A_STATEMENT]
            before = (after.version, after.hash) if first == 0 else (rows[first - 1][0], rows[first - 1][-1])
            if not transaction.follow(after.key, before, ENTRY_COLUMNS, piece):
                raise VersionConflict(after.stream)
    except Duplicate as error:
        raise CommandIdTaken(entries[0].command_id) from error
    transaction.tell(f"{last.version} {after.stream}")  # see read_message
    return Head(after.stream, after.key, last.version, last.hash)


def read_message(message: str) -> tuple[StreamName, int] | None:
    """The table's stream and the version that another process has told of; None for the house's."""
    version, _, stream = message.partition(" ")
    name = StreamName.find(stream)
    return None if name is None else (name, int(version))


def append_house(transaction: Transaction, said: Said, *events: HouseEvent) -> None:
    """Write events of the house, after whatever its stream ends with."""
    # the row is locked until the commit, so that nobody else finds the same end
    if not transaction.change("UPDATE streams SET version = version WHERE name = ?", (HOUSE,)):
        first = (HOUSE, 0, NOTHING_BEFORE)
        transaction.change(
            "INSERT INTO streams (name, version, hash) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", first
        )
        transaction.change("UPDATE streams SET version = version WHERE name = ?", (HOUSE,))
    end = head(transaction, HOUSE)
    append(transaction, end, follow(HOUSE, end.version, end.hash, said, [write(event) for event in events]))
    for version, event in enumerate(events, end.version + 1):
        seal_index.note(transaction, version, event)


def read(transaction: Transaction, stream: Head, after: int, most: int = ENTRIES_A_PAGE) -> list[Entry]:
    """The entries of a stream that come after a version; refused where one holds what no entry can hold."""
    try:
        rows = transaction.rows(
            f"SELECT {_COLUMNS} FROM entries WHERE stream = ? AND version > ? ORDER BY version LIMIT ?",  # noqa: S608
            (stream.key, after, most),
        )
    except UnicodeDecodeError as error:
        if most == 1:
            raise unreadable(stream.stream, after + 1) from error
        half = read(transaction, stream, after, most // 2)
        return [*half, *read(transaction, stream, half[-1].version, most - most // 2)]
    for row in rows:
        if tuple(map(type, row)) not in _ROW_TYPES:
            raise unreadable(stream.stream, row[0])
    return [Entry(stream.stream, *row) for row in rows]


def read_back(transaction: Transaction, stream: Head, before: int | None = None) -> Iterator[Entry]:
    """The entries of a stream before a version, or all of them, the newest first."""
    before = stream.version + 1 if before is None else min(before, stream.version + 1)
    while before > 1:
        first = max(before - ENTRIES_A_STEP_BACK, 1)
        yield from reversed(read(transaction, stream, first - 1, before - first))
        before = first


def read_all(database: Database, end: Head, after: int = 0) -> Iterator[Entry]:
    """The entries after a version and up to a head, page by page, for callers without an event loop."""
    while after < end.version:
        most = min(ENTRIES_A_PAGE, end.version - after)
        entries = database.reading(lambda transaction, at=after, most=most: read(transaction, end, at, most)).result()  # type: ignore[misc]
        if not entries:
            return
        yield from entries
        after = entries[-1].version


def snapshot(transaction: Transaction, stream: Head) -> Snapshot | None:
    """The last snapshot of a stream; a ``ValueError`` where what stands there can be none."""
    rows = transaction.rows("SELECT version, form, state, hash FROM snapshots WHERE stream = ?", (stream.key,))
    if not rows:
        return None
    version, form, state, hash_ = rows[0]
    if [type(value) for value in rows[0]] != [int, str, bytes, str]:
        raise ValueError("a value of the snapshot is of another kind")
    return Snapshot(version, form, state, hash_)


def keep_snapshot(transaction: Transaction, stream: Head, taken: Snapshot) -> None:
    """Replaces the last one."""
    transaction.change("DELETE FROM snapshots WHERE stream = ?", (stream.key,))
    transaction.many(
        "INSERT INTO snapshots (stream, version, form, state, hash) VALUES (?, ?, ?, ?, ?)",
        [(stream.key, taken.version, taken.form, taken.state, taken.hash)],
    )
