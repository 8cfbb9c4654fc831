"""The table ``rounds``: one row per round, for searches and reports.

It is only a cache: rows are a function of the journal and are written in the same transaction as its entries. ``punto
rebuild`` rebuilds them and ``punto verify`` compares them. Entries that cannot be read are skipped: the audit reports
them.

A row changes when betting opens, when something irregular happens, when the round ends, and with every later event
about its result. While a round is in play its row has no cards, and only the bets that were returned. Round 0 has a row
only if it has adjustments.

``marks`` is what the round is searched by: see :mod:`punto.floor.journal.round_marks`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of, text_start, write
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.round_marks import (
    MARKING,
    MarkedRound,
    RoundFacts,
    index_marks,
    rebuild_marks,
    write_marks,
)
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.floor.journal.rounds import CONDITION_EVENTS, RoundFold, conditions_after, restored_by
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import ENTRIES_A_PAGE, Head
from punto.table.records import events
from punto.table.records.events import BettingOpened, Event, TableOpened

ROUNDS_A_PAGE = 200
"""Rows compared in one query."""
LOWEST, HIGHEST = -(2**63), 2**63 - 1

_BEFORE_THE_END = (
    events.BetPlaced,
    events.BetsConfirmed,
    events.BetWithdrawn,
    events.BetRejected,
    events.InsuranceTaken,
    events.CardDealt,
    events.CardTurned,
)
"""Events of a round that only happen in play, so they never change its row."""
_CHANGING: tuple[type[Event], ...] = (BettingOpened, *({*RoundFold.HANDLERS, *MARKING} - set(_BEFORE_THE_END)))
_OPENING_TEXT, _CHANGING_TEXTS, _CONDITION_TEXTS = (
    tuple(map(text_start, kinds)) for kinds in ((BettingOpened,), _CHANGING, CONDITION_EVENTS)
)
_RECORDS = msgspec.json.Decoder(RoundRecord)


class RoundRow(Struct, frozen=True):
    """A row without its keys; the columns are described in ``punto.floor.database.schema``."""

    number: int
    at_table: str
    version: int
    opened_us: int
    opened_by: str
    ended_us: int
    outcome: str
    staked_minor: int
    win_minor: int
    marks: str
    record: RoundRecord

    def differences(self, stored: Row) -> list[str]:
        """The columns that differ from those of a stored row. Records are compared as this release reads them."""
        *columns, text = stored
        names = self.__struct_fields__
        differing = [name for name, value in zip(names, columns, strict=False) if value != getattr(self, name)]
        return differing if _read_record(text) == self.record else [*differing, names[-1]]


COLUMNS = RoundRow.__struct_fields__
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM rounds WHERE stream = ? AND number > ? AND number <= ?"  # noqa: S608
_WRITE = (
    f"INSERT INTO rounds (stream, {', '.join(COLUMNS)}) VALUES ({', '.join('?' * (1 + len(COLUMNS)))})"  # noqa: S608
    f" ON CONFLICT (stream, number) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in COLUMNS)}"
)
_DELETE = "DELETE FROM rounds WHERE stream = ? AND number = ?"


def row_of(record: RoundRecord, facts: RoundFacts) -> RoundRow | None:
    """The row of a round; None for a round 0 without adjustments."""
    if not record.number and not record.adjustments:
        return None
    return RoundRow(
        number=record.number,
        at_table=StreamName.parse(record.stream).table,
        version=record.version,
        opened_us=record.opened_us,
        opened_by=record.opened_by,
        ended_us=record.ended_us,
        outcome=record.outcome,
        staked_minor=sum(bet.stake_minor for bet in record.bets),
        win_minor=sum(bet.win_minor for bet in record.bets),
        marks=write_marks(record, facts),
        record=record if record.over else replace(record, cards=()),
    )


# ---- the projection


class _RoundSoFar:
    """A round up to its last entry."""

    def __init__(self, call: Entry, event: Event, conditions: Conditions) -> None:
        self._fold = RoundFold(call, conditions)
        self._facts, self._known = RoundFacts(), RoundFacts()
        """Up to the last entry, and up to the end of the last command that changed the row."""
        self._changed_by = ""
        self._note(call, event)

    def take(self, entry: Entry, event: Event) -> None:
        self._fold.take(entry, event)
        self._note(entry, event)

    def _note(self, entry: Entry, event: Event) -> None:
        self._facts.take(entry, event)
        if isinstance(event, (*_CHANGING, TableOpened)):
            self._changed_by = entry.command_id
        if entry.command_id == self._changed_by:
            self._known = self._facts.copy()

    @property
    def row(self) -> RoundRow | None:
        return row_of(self._fold.record, self._known)


class RoundRows:
    """Projects the entries of a stream to rows, one entry after the other."""

    def __init__(self, conditions: Conditions = Conditions()) -> None:  # noqa: B008 - frozen
        self._conditions = conditions
        self._now: _RoundSoFar | None = None
        self._before: _RoundSoFar | None = None
        """The round before the last call for bets, which gives it back if it is cancelled."""
        self._cancelled: list[_RoundSoFar] = []
        """Rounds after that one which gave it back."""

    def take(self, entry: Entry) -> list[RoundRow]:
        """Apply the next entry. Return the rows of rounds that are now complete, by number."""
        complete: list[RoundRow] = []
        try:
            event = event_of(entry)
            self._conditions = conditions_after(self._conditions, event)
            if isinstance(event, BettingOpened | TableOpened):
                called = _RoundSoFar(entry, event, self._conditions)
                if self._before is not None:
                    complete, self._cancelled = _rows([self._before, *self._cancelled]), []
                self._before, self._now = self._now, called
            elif self._now is not None:
                self._now.take(entry, event)
                if restored_by(event) is not None:
                    self._cancelled.append(self._now)
                    self._before, self._now = None, self._before
        except FloorRefused:  # the audit reports it
            pass
        return complete

    @property
    def rest(self) -> list[RoundRow]:
        """The rows of the rounds that are not complete, by number."""
        return _rows([each for each in (self._before, *self._cancelled, self._now) if each is not None])


def _rows(rounds: Iterable[_RoundSoFar]) -> list[RoundRow]:
    return sorted((row for each in rounds if (row := each.row) is not None), key=lambda row: row.number)


def rows_of(entries: Iterable[Entry], conditions: Conditions = Conditions()) -> Iterator[RoundRow]:  # noqa: B008 - frozen
    """The rows of consecutive entries of a stream. ``conditions`` are those before the first entry."""
    rows = RoundRows(conditions)
    for entry in entries:
        yield from rows.take(entry)
    yield from rows.rest


# ---- writing


def index_rounds(transaction: Transaction, end: Head, entries: Sequence[Entry]) -> None:
    """Bring the rows up to date with entries that were just appended. ``end`` is the head after them."""
    changing = next((entry for entry in entries if entry.event.startswith(_CHANGING_TEXTS)), None)
    if changing is None:
        return
    first = entries[0].version
    start, conditions = _last_start(transaction, end, first)
    earlier = _readable(transaction, end, start - 1, first - 1)
    if changing.event.startswith(_OPENING_TEXT):  # the round before it does not change
        earlier = (entry for entry in earlier if entry.event.startswith(_CONDITION_TEXTS))
    _write_rows(transaction, end.key, rows_of(chain(earlier, entries), conditions))


def _write_rows(transaction: Transaction, stream: int, rows: Iterable[RoundRow]) -> None:
    """Insert or replace the rows, and bring their marks up to date."""
    rows = list(rows)
    store_rows(transaction, stream, rows)
    index_marks(transaction, stream, (MarkedRound(row.number, row.opened_us, row.marks) for row in rows))


def store_rows(transaction: Transaction, stream: int, rows: Iterable[RoundRow]) -> None:
    transaction.many(_WRITE, [(stream, *astuple(row)[:-1], write(row.record)) for row in rows])


def _last_start(transaction: Transaction, end: Head, version: int) -> tuple[int, Conditions]:
    """The version at which the last round that has a row started, and the conditions then."""
    record = round_at(transaction, end.key, version)
    return (1, Conditions()) if record is None else (record.version, record.conditions)


def round_at(transaction: Transaction, stream: int, version: int) -> RoundRecord | None:
    """The last round that has a row and started at a version or before, or the one before if it gave that back.

    None if there is none, or if its row is damaged.
    """
    by_version = "SELECT record FROM rounds WHERE stream = ? AND version <= ? ORDER BY number DESC LIMIT 1"
    by_number = "SELECT record FROM rounds WHERE stream = ? AND number = ?"

    def read(sql: str, value: int) -> RoundRecord | None:
        try:
            rows = transaction.rows(sql, (stream, value))
        except UnicodeDecodeError:  # a damaged row
            return None
        return _read_record(rows[0][0]) if rows else None

    record = read(by_version, version)
    if record is None or record.end is None or record.end.restores is None:
        return record
    return read(by_number, record.end.restores)


# ---- comparing


class RowDifference(Struct, frozen=True):
    """A round whose stored row is not the one that the journal gives. ``row`` is None if there should be none."""

    number: int
    row: RoundRow | None
    columns: tuple[str, ...] = ()
    """The columns that differ; empty if the stored row is missing or superfluous."""


class Comparison:
    """Compares the stored rows of a stream with projected ones, page by page."""

    def __init__(self, stream: int) -> None:
        self._stream, self._after = stream, LOWEST

    def page(self, transaction: Transaction, rows: Sequence[RoundRow], *, last: bool) -> list[RowDifference]:
        """Compare the next rows; if they are the ``last``, all later stored ones are superfluous."""
        until = HIGHEST if last or not rows else rows[-1].number
        stored = _stored(transaction, (self._stream, self._after, until))
        self._after = until
        found = [RowDifference(number, None) for number in stored.keys() - {row.number for row in rows}]
        for row in rows:
            columns = row.differences(stored[row.number]) if row.number in stored else ()
            if columns or row.number not in stored:
                found.append(RowDifference(row.number, row, tuple(columns)))
        return sorted(found, key=lambda difference: difference.number)


def _stored(transaction: Transaction, values: tuple[int, int, int]) -> dict[int, Row]:
    try:
        return {row[0]: row for row in transaction.rows(_SELECT, values)}
    except UnicodeDecodeError:  # a damaged row: none of this page counts as equal
        numbers = transaction.rows("SELECT number FROM rounds WHERE stream = ? AND number > ? AND number <= ?", values)
        return {number: (number, *[None] * (len(COLUMNS) - 1)) for (number,) in numbers}


def stray_rows(transaction: Transaction) -> list[Row]:
    """Stream keys and numbers of rows that belong to no table."""
    return transaction.rows(
        "SELECT r.stream, r.number FROM rounds AS r LEFT JOIN streams AS s ON s.id = r.stream"
        " WHERE s.id IS NULL OR s.name = ?",
        (HOUSE,),
    )


class RebuiltRounds(Struct):
    rounds: int = 0
    differed: int = 0
    """Rows that were changed, added or deleted."""


def rebuild_rounds(transaction: Transaction) -> RebuiltRounds:
    """Make the rows again, stream by stream, and then their marks."""
    rebuilt = RebuiltRounds()
    for stream, number in stray_rows(transaction):
        transaction.change(_DELETE, (stream, number))
        rebuilt.differed += 1
    for name, head in streams.heads(transaction).items():
        if StreamName.find(name) is not None:
            _rebuild_stream(transaction, head, rebuilt)
    changed = rebuild_marks(transaction)
    rebuilt.differed = rebuilt.differed or changed  # marks that change with their rounds are not counted
    return rebuilt


def _rebuild_stream(transaction: Transaction, head: Head, rebuilt: RebuiltRounds) -> None:
    comparison, rows = Comparison(head.key), rows_of(_readable(transaction, head, 0, head.version))
    more = True
    while more:
        page = list(islice(rows, ROUNDS_A_PAGE))
        more = len(page) == ROUNDS_A_PAGE
        differences = comparison.page(transaction, page, last=not more)
        for difference in differences:
            if difference.row is None:
                transaction.change(_DELETE, (head.key, difference.number))
            else:
                store_rows(transaction, head.key, [difference.row])
        rebuilt.rounds += len(page)
        rebuilt.differed += len(differences)


def _read_record(text: object) -> RoundRecord | None:
    """None if a stored record is damaged."""
    try:
        return _RECORDS.decode(text) if isinstance(text, str) else None
    except msgspec.MsgspecError:
        return None


def _readable(transaction: Transaction, stream: Head, after: int, until: int) -> Iterator[Entry]:
    """The entries after one version up to another. Those that cannot be read are left out."""
    for first in range(after, until, ENTRIES_A_PAGE):
        yield from _page(transaction, stream, first, min(first + ENTRIES_A_PAGE, until))


def _page(transaction: Transaction, stream: Head, after: int, until: int) -> list[Entry]:
    try:
        return [entry for entry in streams.read(transaction, stream, after, until - after) if entry.version <= until]
    except FloorRefused:
        if until - after == 1:
            return []
        middle = (after + until) // 2
        return _page(transaction, stream, after, middle) + _page(transaction, stream, middle, until)
