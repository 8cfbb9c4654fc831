"""The journal: append-only streams of entries, each chained to the one before it.

``(stream, version)`` is the only write lock: any process may decide and append; if another process appended first, it
reloads the table and decides again. Functions that take a transaction are jobs for a :class:`Database`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import astuple, fields

from punto.floor.database.base import Database, Duplicate, Row, Transaction
from punto.floor.errors import CommandIdTaken, VersionConflict
from punto.floor.journal.entry import (
    ENTRY_COLUMNS,
    NO_PREVIOUS_HASH,
    Entry,
    text_start,
    unreadable,
)
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.stream_name import StreamName

ENTRIES_A_PAGE = 2_000
"""Entries read in one query."""
ENTRIES_A_STEP_BACK = 500
"""Entries read in one query when reading backwards."""
MAX_ROWS_A_STATEMENT = 1_000

ReadProgress = Callable[[int], None]
"""Called with the number of entries read since the last call."""

_COLUMNS = ", ".join(ENTRY_COLUMNS)
_TYPES = [field.type for field in fields(Entry)[1:]]
_ROW_TYPES = frozenset(
    tuple(with_command if type_ == str | None else type_ for type_ in _TYPES) for with_command in (str, type(None))
)
"""Column types of a row with a command and of one without."""


class Head(Struct, frozen=True):
    """The end of a stream, after which the next entry is appended."""

    stream: str
    key: int
    version: int = 0
    hash: str = NO_PREVIOUS_HASH


class Snapshot(Struct, frozen=True):
    """The state of a table at a version. ``form`` names the release that wrote it."""

    version: int
    form: str
    state: bytes
    hash: str
    """Over the snapshot and the entry it was taken at."""


def create(transaction: Transaction, stream: StreamName | str) -> Head:
    """Create an empty stream. Raises :class:`VersionConflict` if it already exists."""
    values = (str(stream), 0, NO_PREVIOUS_HASH)
    try:
        transaction.many("INSERT INTO streams (name, version, hash) VALUES (?, ?, ?)", [values])
    except Duplicate as error:
        raise VersionConflict(stream) from error
    return head(transaction, stream)


def head(transaction: Transaction, stream: StreamName | str) -> Head:
    """The head of a stream that must exist."""
    stream_head = find(transaction, stream)
    if stream_head is None:
        raise KeyError(stream)
    return stream_head


def find(transaction: Transaction, stream: StreamName | str) -> Head | None:
    """The head of a stream; None if it does not exist."""
    rows = transaction.rows("SELECT id, version, hash FROM streams WHERE name = ?", (str(stream),))
    return Head(str(stream), *rows[0]) if rows else None


def require_end(transaction: Transaction, end: Head) -> None:
    """Raise unless the stream still ends here, and lock it until the commit."""
    sql = "UPDATE streams SET version = version WHERE id = ? AND version = ? AND hash = ?"
    if not transaction.change(sql, (end.key, end.version, end.hash)):
        raise VersionConflict(end.stream)


def heads(transaction: Transaction) -> dict[str, Head]:
    """The heads of all streams, in the order of their creation."""
    rows = transaction.rows("SELECT name, id, version, hash FROM streams ORDER BY id")
    return {row[0]: Head(*row) for row in rows}


def openings(transaction: Transaction) -> dict[str, int]:
    """Table to the number of its latest opening."""
    latest: dict[str, int] = {}
    for (text,) in transaction.rows("SELECT name FROM streams"):
        if (name := StreamName.find(text)) is not None:
            latest[name.table] = max(latest.get(name.table, 0), name.opening)
    return latest


def written_us(transaction: Transaction, at: Head) -> int:
    """When the last entry of a stream was written."""
    rows = transaction.rows("SELECT at_us FROM entries WHERE stream = ? AND version = ?", (at.key, at.version))
    return int(rows[0][0])


def append(transaction: Transaction, after: Head, entries: Sequence[Entry]) -> Head:
    """Write entries after this head and return the new head. If it raises, nothing is written."""
    last = entries[-1]
    rows = [astuple(entry)[1:] for entry in entries]
    try:
        for first in range(0, len(rows), MAX_ROWS_A_STATEMENT):
            batch = rows[first : first + MAX_ROWS_A_STATEMENT]
            before = (after.version, after.hash) if first == 0 else (rows[first - 1][0], rows[first - 1][-1])
            if not transaction.follow(after.key, before, ENTRY_COLUMNS, batch):
                raise VersionConflict(after.stream)
    except Duplicate as error:
        raise CommandIdTaken(entries[0].command_id) from error
    transaction.tell(f"{last.version} {after.stream}")  # see read_message
    return Head(after.stream, after.key, last.version, last.hash)


def read_message(message: str) -> tuple[StreamName, int] | None:
    """The stream and version in a message of another process; None for the house's stream."""
    version, _, stream = message.partition(" ")
    name = StreamName.find(stream)
    return None if name is None else (name, int(version))


def lock_house(transaction: Transaction) -> bool:
    """Lock the house's stream until the commit: other changes wait here. Return False if there is no stream yet."""
    return bool(transaction.change("UPDATE streams SET version = version WHERE name = ?", (HOUSE,)))


def read(transaction: Transaction, stream: Head, after: int, limit: int = ENTRIES_A_PAGE) -> list[Entry]:
    """The entries after a version; refused if a row cannot be an entry."""
    try:
        rows = transaction.rows(
            f"SELECT {_COLUMNS} FROM entries WHERE stream = ? AND version > ? ORDER BY version LIMIT ?",  # noqa: S608
            (stream.key, after, limit),
        )
    except UnicodeDecodeError as error:
        if limit == 1:
            raise unreadable(stream.stream, after + 1) from error
        half = read(transaction, stream, after, limit // 2)
        return [*half, *read(transaction, stream, half[-1].version, limit - limit // 2)]
    return _entries(stream, rows)


def _entries(stream: Head, rows: Sequence[Row]) -> list[Entry]:
    """Refused if a row cannot be an entry."""
    for row in rows:
        if tuple(map(type, row)) not in _ROW_TYPES:
            raise unreadable(stream.stream, row[0])
    return [Entry(stream.stream, *row) for row in rows]


def read_without(
    transaction: Transaction, stream: Head, after: int, until: int, kinds: Sequence[type[Struct]]
) -> Iterator[Entry]:
    """The entries after one version up to another, without those of some kinds of event."""
    starts = tuple(map(text_start, kinds))
    left_out = " AND substr(event, 1, ?) <> ?" * len(starts)
    values = [value for start in starts for value in (len(start), start)]
    sql = (
        f"SELECT {_COLUMNS} FROM entries WHERE stream = ? AND version > ? AND version <= ?{left_out}"  # noqa: S608
        " ORDER BY version LIMIT ?"
    )
    while rows := transaction.rows(sql, (stream.key, after, until, *values, ENTRIES_A_PAGE)):
        yield from _entries(stream, rows)
        after = rows[-1][0]


def read_some(
    transaction: Transaction,
    stream: Head,
    versions: tuple[int, int],
    kinds: Sequence[type[Struct]],
    contexts: Sequence[str] = (),
) -> Iterator[Entry]:
    """The entries from one version to another with these kinds of event, or with a context that is like these."""
    after, until = versions[0] - 1, versions[1]
    starts = tuple(map(text_start, kinds))
    some = " OR ".join(["substr(event, 1, ?) = ?"] * len(starts) + ["context LIKE ?"] * len(contexts))
    values = [*(value for start in starts for value in (len(start), start)), *contexts]
    sql = (
        f"SELECT {_COLUMNS} FROM entries WHERE stream = ? AND version > ? AND version <= ? AND ({some})"  # noqa: S608
        " ORDER BY version LIMIT ?"
    )
    while rows := transaction.rows(sql, (stream.key, after, until, *values, ENTRIES_A_PAGE)):
        yield from _entries(stream, rows)
        after = rows[-1][0]


def version_at(transaction: Transaction, stream: Head, at_us: int) -> int:
    """The first version that was written at a moment or later, if the clock never went back in between."""
    low, high = 1, stream.version + 1
    while low < high:
        middle = (low + high) // 2
        written = written_us(transaction, Head(stream.stream, stream.key, middle))
        low, high = (low, middle) if written >= at_us else (middle + 1, high)
    return low


def read_back(transaction: Transaction, stream: Head, before: int | None = None) -> Iterator[Entry]:
    """The entries before a version, or all of them, newest first."""
    before = stream.version + 1 if before is None else min(before, stream.version + 1)
    while before > 1:
        first = max(before - ENTRIES_A_STEP_BACK, 1)
        yield from reversed(read(transaction, stream, first - 1, before - first))
        before = first


def read_all(database: Database, end: Head, after: int = 0, progress: ReadProgress = lambda _: None) -> Iterator[Entry]:
    """The entries after a version up to a head, for callers without an event loop."""
    while after < end.version:
        limit = min(ENTRIES_A_PAGE, end.version - after)
        entries = database.reading(partial(read, stream=end, after=after, limit=limit)).result()
        if not entries:
            return
        yield from entries
        progress(len(entries))
        after = entries[-1].version


def snapshot(transaction: Transaction, stream: Head) -> Snapshot | None:
    """The last snapshot of a stream. Raises ``ValueError`` if the row cannot be a snapshot."""
    rows = transaction.rows("SELECT version, form, state, hash FROM snapshots WHERE stream = ?", (stream.key,))
    if not rows:
        return None
    version, form, state, hash_ = rows[0]
    if [type(value) for value in rows[0]] != [int, str, bytes, str]:
        raise ValueError("a column has the wrong type")
    return Snapshot(version, form, state, hash_)


def save_snapshot(transaction: Transaction, stream: Head, new: Snapshot) -> None:
    """Replace the last snapshot."""
    transaction.change("DELETE FROM snapshots WHERE stream = ?", (stream.key,))
    transaction.many(
        "INSERT INTO snapshots (stream, version, form, state, hash) VALUES (?, ?, ?, ?, ?)",
        [(stream.key, new.version, new.form, new.state, new.hash)],
    )
