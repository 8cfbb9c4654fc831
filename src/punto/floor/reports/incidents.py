"""The numbered incidents of the floor, as staff and auditors read them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projections.proposals import find_given
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry, EntryContext, broken, context_of, event_of, read_command, tag, tag_of
from punto.floor.journal.incident_index import IncidentFilter, IncidentRow, find_row, find_rows, numbers_in_rounds
from punto.floor.journal.round_record import RoundFelt
from punto.floor.journal.rounds import RoundFold, own_entries
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.rules.refusals import Clause
from punto.table.records.events import Event, MoneyEvent, ShoeLoaded, TableOpened, cited_by
from punto.table.records.findings import ShoeExchanged, ShoeReplaced
from punto.table.records.ledger import chip_changes
from punto.table.records.positions import STAFF, Position

ENTRIES_A_READ = 500
_LOADED = frozenset(tag(kind) for kind in (ShoeLoaded, ShoeReplaced, ShoeExchanged))
INCIDENT_READERS = frozenset({*STAFF, Position.AUDITOR})


class IncidentStep(Struct, frozen=True):
    """A command that belongs to an incident."""

    entries: tuple[Entry, ...]
    events: tuple[Event, ...]
    command: str
    """Its tag."""
    context: EntryContext
    proposer_position: str = ""
    """Of the person who proposed it; empty if nobody did."""

    @property
    def first(self) -> Entry:
        return self.entries[0]


class IncidentReport(Struct, frozen=True):
    """An incident with everything the journal has about it."""

    row: IncidentRow
    opening: int
    book: str
    box_labels: tuple[str, ...]
    currency: str
    steps: tuple[IncidentStep, ...]
    before: RoundFelt | None
    """The felt of the round before the first command of it; None if it concerns no round."""
    after: RoundFelt | None
    """After the last one so far."""
    same_round: tuple[int, ...]
    """The numbers of the other incidents of the round."""
    at_shuffler: bool
    """The cards came from a continuous machine when it began."""

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for step in self.steps for event in step.events)

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All that its events cite, in their order."""
        return cited_by(self.events)

    @property
    def moved_minor(self) -> dict[str, int]:
        """By player, what their chips changed by; players for whom that is nothing are left out."""
        postings = [each for event in self.events if isinstance(event, MoneyEvent) for each in event.postings]
        return {who: amount for who, amount in chip_changes(postings).items() if amount}


class Incidents:
    def __init__(self, log: HouseLog) -> None:
        self._log = log

    async def list(self, by: Actor, wanted: IncidentFilter, limit: int) -> list[IncidentRow]:
        await self._log.require(by, INCIDENT_READERS, "list_incidents", wanted.table[:40])
        return await self._log.database.read(lambda transaction: find_rows(transaction, wanted, limit), long=True)

    async def openings(self, rows: Sequence[IncidentRow]) -> dict[int, int]:
        """By stream, which opening of its table it is."""
        keys = sorted({row.stream for row in rows})
        sql = f"SELECT id, name FROM streams WHERE id IN ({', '.join('?' * len(keys))})"  # noqa: S608 - no values
        found = await self._log.database.read(lambda transaction: transaction.rows(sql, keys)) if keys else []
        return {key: StreamName.parse(name).opening for key, name in found}

    async def find(self, by: Actor, number: int) -> IncidentReport:
        await self._log.require(by, INCIDENT_READERS, "read_incident")
        return await self._log.database.read(lambda transaction: read_incident(transaction, number), long=True)


def read_incident(transaction: Transaction, number: int) -> IncidentReport:
    row = find_row(transaction, number)
    if row is None:
        raise FloorRefused(FloorCode.UNKNOWN_INCIDENT, number=number)
    stream = _stream(transaction, row.stream)
    (first,) = streams.read(transaction, stream, 0, 1)
    opened = event_of(first)
    if not isinstance(opened, TableOpened):
        raise broken(stream.stream, 1)
    entries = _entries(transaction, stream, row.version, row.last)
    own = [entry for entry in entries if context_of(entry).incident == number]
    before, after = _felts(transaction, stream, row)
    # round 0 is all the time before the first round
    others = numbers_in_rounds(transaction, row.stream, row.round, row.round).get(row.round, ()) if row.round else ()
    return IncidentReport(
        row=row,
        opening=StreamName.parse(stream.stream).opening,
        book=opened.book,
        box_labels=opened.settings.box_labels,
        currency=opened.settings.currency,
        steps=tuple(_step(transaction, list(group)) for _, group in groupby(own, key=lambda entry: entry.command_id)),
        before=before,
        after=after,
        same_round=tuple(other for other in others if other != number),
        at_shuffler=_at_shuffler(transaction, stream, row.version),
    )


def _at_shuffler(transaction: Transaction, stream: Head, before: int) -> bool:
    """What was the last to come onto the table before an entry."""
    for entry in streams.read_back(transaction, stream, before):
        if tag_of(entry) in _LOADED and isinstance(event := event_of(entry), ShoeLoaded | ShoeReplaced | ShoeExchanged):
            return event.continuous is not None
    return False


def _stream(transaction: Transaction, key: int) -> Head:
    ((name,),) = transaction.rows("SELECT name FROM streams WHERE id = ?", (key,))
    return streams.head(transaction, name)


def _entries(transaction: Transaction, stream: Head, first: int, last: int) -> Iterator[Entry]:
    """The entries from one version to another."""
    for after in range(first - 1, last, ENTRIES_A_READ):
        yield from streams.read(transaction, stream, after, min(ENTRIES_A_READ, last - after))


def _step(transaction: Transaction, entries: Sequence[Entry]) -> IncidentStep:
    first, context = entries[0], context_of(entries[0])
    proposal = find_given(transaction, first.command_id) if context.proposed_by else None
    return IncidentStep(
        tuple(entries),
        tuple(map(event_of, entries)),
        tag(type(read_command(first.command or ""))),
        context,
        proposal.position if proposal else "",
    )


def _felts(transaction: Transaction, stream: Head, row: IncidentRow) -> tuple[RoundFelt | None, RoundFelt | None]:
    """The felt of the incident's round before and after it. An earlier round is as it was at its end."""
    sql = "SELECT version FROM rounds WHERE stream = ? AND number = ?"
    starts = transaction.rows(sql, (stream.key, row.round))
    if not row.round or not starts:
        return None, None
    entries = own_entries(_entries(transaction, stream, int(starts[0][0]), row.last))
    fold = RoundFold(next(entries))
    before = fold.felt
    for entry in entries:
        fold.take(entry, event_of(entry))
        if entry.version < row.version:
            before = fold.felt
    return before, fold.felt
