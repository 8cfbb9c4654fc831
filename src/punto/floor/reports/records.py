"""The records of one opening of a table for reports: finished rounds, findings and rulings, payments.

A round is complete when betting has opened for the next one and something has happened in that, so that its
cancellation no longer gives back the round before; or where the journal ends.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from punto.floor.chips.day_ledger import PaymentKind, payments
from punto.floor.journal.entry import Entry, context_of, event_of
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.floor.journal.rounds import RoundFold, conditions_after, restored_by
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.event_words import describe_fields
from punto.floor.reports.identities import Identities
from punto.rules.refusals import Clause
from punto.table.evolution import LEAVE_ROUND_BEFORE
from punto.table.records import correction_events, findings
from punto.table.records.events import (
    BettingOpened,
    Event,
    MoneyEvent,
    PlayerIdentified,
    RoundSettled,
)
from punto.table.records.kinds import Concern
from punto.table.records.ledger import chip_changes


class Ruling(Struct, frozen=True, kw_only=True):
    """An irregularity, a finding or a decision of staff, with its clauses."""

    stream: str
    version: int
    at_us: int
    round: int
    """The current round; 0 before the first."""
    kind: str
    words: str
    actor: str
    position: str
    clauses: tuple[Clause, ...]
    happened_at_us: int
    """If it was entered later; else 0."""
    moved_minor: dict[str, int]
    """Amount that each player received; negative if they paid."""


class Payment(Struct, frozen=True, kw_only=True):
    """Chips bought, changed, cashed, or moved by a ruling or a wrong payment; negative if taken from the player."""

    stream: str
    currency: str
    at_us: int
    who: str
    kind: PaymentKind
    amount_minor: int


Record = RoundRecord | Ruling | Payment


def table_of(record: Record) -> str:
    """The table that a record belongs to."""
    return StreamName.parse(record.stream).table


def records(read: Callable[[], Iterable[Entry]]) -> Iterator[Record]:
    """The records in the entries of one opening, in order. ``read`` reads the entries from the first.

    Bets and payments are those of the id if the person was identified later in the opening. Rulings keep the names of
    their events.
    """
    identities, conditions, ended, is_reversed = Identities(read), Conditions(), 0, False
    now, before, cancelled = _RoundSoFar(), list[_RoundSoFar](), list[_RoundSoFar]()
    paid = PaymentFold(identities)
    for entry in read():
        event = event_of(entry)
        conditions = conditions_after(conditions, event)
        if isinstance(event, BettingOpened):
            before, now = [now], _RoundSoFar(event.round, RoundFold(entry, conditions))
        elif now.fold is not None:
            now.fold.take(entry, event)
        if isinstance(event, RoundSettled | findings.RoundVoided):
            ended = entry.version
        if isinstance(event, PlayerIdentified):
            now.named[event.player_id] = entry.version
        yield from paid.take(entry, event, conditions.currency)
        if event.concern is not Concern.GAME or (is_reversed and isinstance(event, RoundSettled)):
            # a settlement that is made again counts too, so that what was paid adds up
            yield _ruling(entry, event, now.number)
        if isinstance(event, findings.SettlementReversed | RoundSettled | BettingOpened):
            is_reversed = isinstance(event, findings.SettlementReversed)
        if before and restored_by(event) is not None:
            cancelled.append(now)
            (now,), before = before, []
        elif before and type(event) not in LEAVE_ROUND_BEFORE:
            yield from _finished([*before, *cancelled], identities, ended)
            before, cancelled = [], []
    yield from _finished(sorted([*before, *cancelled, now], key=lambda each: each.number), identities, ended)


class _RoundSoFar(Struct):
    number: int = 0
    fold: RoundFold | None = None
    """None before the first round."""
    named: dict[str, int] = field(default_factory=dict)
    """The versions at which names were given in it."""


def identified(record: RoundRecord, identities: Identities, ended: int, named: dict[str, int]) -> RoundRecord:
    """The round with the ids of its bettors, if they were identified later in the opening.

    ``ended`` is the version at which the round was settled or void: its bettors were at the table then. ``named`` has
    the versions at which names were given since the round started.
    """
    bets = tuple(replace(bet, who=identities.find(bet.who, max(ended, named.get(bet.who, 0)))) for bet in record.bets)
    return replace(record, bets=bets)


def _finished(rounds: Iterable[_RoundSoFar], identities: Identities, ended: int) -> Iterator[RoundRecord]:
    for each in rounds:
        if each.fold is not None and (record := each.fold.record).over:
            yield identified(record, identities, ended, each.named)


class PaymentFold:
    """The payments of one opening, entry by entry."""

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._corrected: list[Payment] = []
        """The corrections of payments that a reversal of the settlement takes back."""
        self._corrected_before: list[Payment] = []
        """Those of the round before, which may come back."""

    def take(self, entry: Entry, event: Event, currency: str) -> list[Payment]:
        if isinstance(event, findings.SettlementReversed):
            back = [replace(paid, at_us=entry.at_us, amount_minor=-paid.amount_minor) for paid in self._corrected]
            self._corrected = []
            return back
        found = list(_payments(entry, event, currency, self._identities))
        if isinstance(event, BettingOpened):
            self._corrected, self._corrected_before = [], self._corrected
        elif restored_by(event) is not None:
            self._corrected = self._corrected_before
        elif isinstance(event, correction_events.PaymentCorrected):
            self._corrected += found
        return found


def _payments(entry: Entry, event: Event, currency: str, identities: Identities) -> Iterator[Payment]:
    for who, kind, amount_minor in payments(event):
        yield Payment(
            stream=entry.stream,
            currency=currency,
            at_us=entry.at_us,
            who=identities.find(who, entry.version),
            kind=kind,
            amount_minor=amount_minor,
        )


def _ruling(entry: Entry, event: Event, number: int) -> Ruling:
    kind, words = describe_fields(event)
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
        happened_at_us=context_of(entry).happened_at_us,
        moved_minor=chip_changes(event.postings) if isinstance(event, MoneyEvent) else {},
    )
