"""The table ``incidents``: one row per numbered incident of the floor, for lists and for what comes next.

Numbers count from 1 over all tables without a gap. A row is a function of the journal, written in the same transaction
as the entries: ``punto rebuild`` rebuilds the rows and ``punto verify`` compares them. Irregularities that releases
before 0.9.0 recorded have no number and no row.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import astuple, replace

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, broken, context_of, event_of
from punto.floor.journal.incidents import GivenCommand, Incident, IncidentFold, IncidentWait, advance, find_incident
from punto.floor.journal.round_index import HIGHEST
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import ENTRIES_A_PAGE, Head
from punto.table import evolve
from punto.table.records.state import Table


class IncidentRow(Struct, frozen=True):
    """A row; the columns are described in ``punto.floor.database.schema``."""

    number: int
    stream: int
    at_table: str
    round: int
    kind: str
    version: int
    last: int
    at_us: int
    waits: str

    @classmethod
    def of(cls, incident: Incident, stream: Head) -> "IncidentRow":
        number, place = incident.number, (stream.key, StreamName.parse(stream.stream).table, incident.round)
        extent = (incident.version, incident.last, incident.at_us)
        return cls(number, *place, incident.kind, *extent, ",".join(incident.waits))

    @property
    def open(self) -> bool:
        return bool(self.waits)

    @property
    def incident(self) -> Incident:
        waits = tuple(map(IncidentWait, self.waits.split(","))) if self.waits else ()
        return Incident(self.number, self.round, self.kind, self.version, self.last, self.at_us, waits)


_COLUMNS = IncidentRow.__struct_fields__
SELECT_INCIDENTS = f"SELECT {', '.join(_COLUMNS)} FROM incidents"  # noqa: S608 - our own names
_WRITE = (
    f"INSERT INTO incidents ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - our own names
    f" ON CONFLICT (number) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


def index_step(transaction: Transaction, at: Head, step: GivenCommand) -> int:
    """Bring the rows up to date with a command that is about to be appended here. Return its incident; 0 for none."""
    streams.require_end(transaction, at)  # before the house: the order in which every append locks them
    sql = f"{SELECT_INCIDENTS} WHERE stream = ? AND (waits <> '' OR round = ?) ORDER BY number"
    known = [IncidentRow(*row).incident for row in transaction.rows(sql, (at.key, step.round))]
    own = find_incident(known, step)
    if own is not None and not own.number:
        own = replace(own, number=_next_number(transaction))
    _write_rows(transaction, [IncidentRow.of(each, at) for each in advance(known, step, own)])
    return own.number if own is not None else 0


def _next_number(transaction: Transaction) -> int:
    streams.lock_house(transaction)  # so that the next number is taken only when this one is on record
    ((last,),) = transaction.rows("SELECT max(number) FROM incidents")
    return (last or 0) + 1


def _write_rows(transaction: Transaction, rows: Sequence[IncidentRow]) -> None:
    transaction.many(_WRITE, [astuple(row) for row in rows])


# ---- reading


class IncidentFilter(Struct, frozen=True, kw_only=True):
    """Which incidents to list. What is left at its default does not matter."""

    table: str = ""
    round: int | None = None
    from_us: int = 0
    until_us: int = HIGHEST
    """Not included."""
    before: int = HIGHEST
    """Only those with a lower number."""


def find_rows(transaction: Transaction, wanted: IncidentFilter, limit: int) -> list[IncidentRow]:
    """The last ones that fit come first."""
    where = ["number < ?", "at_us >= ?", "at_us < ?"]
    values: list[object] = [wanted.before, wanted.from_us, wanted.until_us]
    if wanted.table:
        where.append("at_table = ?")
        values.append(wanted.table)
    if wanted.round is not None:
        where.append("round = ?")
        values.append(wanted.round)
    sql = f"{SELECT_INCIDENTS} WHERE {' AND '.join(where)} ORDER BY number DESC LIMIT ?"
    return [IncidentRow(*row) for row in transaction.rows(sql, (*values, limit))]


def count_open(transaction: Transaction, from_us: int, until_us: int) -> int:
    """How many incidents that began in this time are still open."""
    sql = "SELECT count(*) FROM incidents WHERE waits <> '' AND at_us >= ? AND at_us < ?"
    ((count,),) = transaction.rows(sql, (from_us, until_us))
    return int(count)


def find_row(transaction: Transaction, number: int) -> IncidentRow | None:
    rows = transaction.rows(f"{SELECT_INCIDENTS} WHERE number = ?", (number,))
    return IncidentRow(*rows[0]) if rows else None


def numbers_in_rounds(transaction: Transaction, stream: int, first: int, last: int) -> dict[int, tuple[int, ...]]:
    """Round to the numbers of its incidents, for the rounds of one opening from the first to the last."""
    sql = "SELECT round, number FROM incidents WHERE stream = ? AND round BETWEEN ? AND ? ORDER BY round, number"
    rows = transaction.rows(sql, (stream, first, last))
    return {number: tuple(row[1] for row in group) for number, group in groupby(rows, key=lambda row: row[0])}


# ---- rebuilding


class RebuiltIncidents(Struct):
    incidents: int = 0
    differed: int = 0
    """Rows that were changed, added or deleted."""


def rebuild_incidents(transaction: Transaction) -> RebuiltIncidents:
    """Make the rows again from the numbers in the journal. A stream that cannot be replayed keeps those it has."""
    before, found = _stored(transaction), list[IncidentRow]()
    for name, head in streams.heads(transaction).items():
        if StreamName.find(name) is not None and _has_numbers(transaction, head):
            found += _replayed(transaction, head) or [IncidentRow(*row) for row in before if row[1] == head.key]
    transaction.change("DELETE FROM incidents")
    _write_rows(transaction, found)
    after = _stored(transaction)
    return RebuiltIncidents(len(after), len({row[0] for row in before ^ after}))


def _stored(transaction: Transaction) -> set[Row]:
    try:
        return set(transaction.rows(SELECT_INCIDENTS))
    except UnicodeDecodeError:  # a damaged row: all of them count as different
        return set()


def _has_numbers(transaction: Transaction, stream: Head) -> bool:
    sql = "SELECT 1 FROM entries WHERE stream = ? AND context LIKE ? LIMIT 1"
    return bool(transaction.rows(sql, (stream.key, '%"incident":%')))


def _replayed(transaction: Transaction, stream: Head) -> list[IncidentRow]:
    """Empty if the stream cannot be replayed, as the audit reports."""
    fold = IncidentFold()
    try:
        for step, number in _steps(transaction, stream):
            fold.take(step, number)
    except FloorRefused:
        return []
    return [IncidentRow.of(each, stream) for each in fold.incidents.values()]


def _steps(transaction: Transaction, stream: Head) -> Iterator[tuple[GivenCommand, int]]:
    """The commands of a stream, each with the number in its entries."""
    state = Table()
    for _, group in groupby(_entries(transaction, stream), key=lambda entry: entry.command_id):
        entries = list(group)
        first, before = entries[0], state
        events = [event_of(entry) for entry in entries]
        for entry, event in zip(entries, events, strict=True):
            try:
                state = evolve(state, event)
            except Exception as error:  # an event that is not possible here may raise anything
                raise broken(entry.stream, entry.version) from error
        yield GivenCommand(before, state, events, first.version, first.at_us), context_of(first).incident


def _entries(transaction: Transaction, stream: Head) -> Iterator[Entry]:
    for after in range(0, stream.version, ENTRIES_A_PAGE):
        yield from streams.read(transaction, stream, after)
