"""What an auditor counts in one opening of a table: rounds as they ended, findings and rulings, payments.

A round is counted once it cannot change any more: with the next call for bets, or where the journal ends.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from punto.floor.journal.entry import Entry, event_of
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.floor.journal.rounds import RoundFold, conditions_after
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.event_words import tell_fields
from punto.rules.refusals import Clause
from punto.table.records import findings
from punto.table.records.events import (
    BettingOpened,
    ChipsBought,
    ChipsCashed,
    Event,
    InsuranceMissed,
    LimitFlagged,
    MinimumAdvised,
    MoneyEvent,
)
from punto.table.records.kinds import Effect
from punto.table.records.ledger import chip_changes


class Ruling(Struct, frozen=True, kw_only=True):
    """Something that went wrong, was pointed out, or was decided by a person, and by which clauses."""

    stream: str
    version: int
    at_us: int
    round: int
    """The round on the table then; 0 before the first."""
    kind: str
    words: str
    actor: str
    position: str
    clauses: tuple[Clause, ...]
    moved_minor: dict[str, int]
    """What each player got or, below zero, gave by this event."""


class Payment(Struct, frozen=True, kw_only=True):
    """Chips that changed hands beside the bets: bought, cashed, or paid by a ruling (below zero: taken)."""

    stream: str
    currency: str
    at_us: int
    who: str
    kind: str
    amount_minor: int


Record = RoundRecord | Ruling | Payment


def table_of(record: Record) -> str:
    """The table whose opening a record is of."""
    return StreamName.parse(record.stream).table


_FINDINGS: tuple[type[Event], ...] = (
    InsuranceMissed,
    LimitFlagged,
    MinimumAdvised,
    *(
        kind
        for kind in vars(findings).values()
        if isinstance(kind, type) and issubclass(kind, Event) and kind.__module__ == findings.__name__
    ),
)
"""Every event of the irregularities, and what the table points out while the round goes on."""


def records(entries: Iterable[Entry]) -> Iterator[Record]:
    """What there is to count in the entries of one opening, in order."""
    conditions, fold, number = Conditions(), None, 0
    for entry in entries:
        event = event_of(entry)
        conditions = conditions_after(conditions, event)
        if isinstance(event, BettingOpened):
            yield from _over(fold)
            fold, number = RoundFold(entry, conditions), event.round
        elif fold is not None:
            fold.take(entry, event)
        yield from _payments(entry, event, conditions.currency)
        if isinstance(event, _FINDINGS):
            yield _ruling(entry, event, number)
    yield from _over(fold)


def _over(fold: RoundFold | None) -> Iterator[RoundRecord]:
    if fold is not None and (record := fold.record).over:
        yield record


def _payments(entry: Entry, event: Event, currency: str) -> Iterator[Payment]:
    match event:
        case ChipsBought():
            kind = "bought"
        case ChipsCashed():
            kind = "cashed"
        case findings.Ruled(effect=Effect.ADJUST):
            kind = "adjusted"
        case _:
            return
    for who, amount_minor in chip_changes(event.postings).items():
        yield Payment(
            stream=entry.stream,
            currency=currency,
            at_us=entry.at_us,
            who=who,
            kind=kind,
            amount_minor=amount_minor,
        )


def _ruling(entry: Entry, event: Event, number: int) -> Ruling:
    kind, words = tell_fields(event)
    clauses: tuple[Clause, ...] = getattr(event, "clauses", ())
    return Ruling(
        stream=entry.stream,
        version=entry.version,
        at_us=entry.at_us,
        round=number,
        kind=kind,
        words=words,
        actor=entry.actor,
        position=entry.position,
        clauses=clauses,
        moved_minor=chip_changes(event.postings) if isinstance(event, MoneyEvent) else {},
    )
