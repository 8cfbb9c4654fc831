"""What is out of the ordinary in a gaming day or a shift, from the journal.

A line is one command with all that is out of the ordinary about it, an entry of the house, or a count that nobody
made. It belongs to the time at which it was recorded. What is recorded about a day after it was signed off is listed
in that day as well: see :mod:`punto.floor.reports.days.sign_offs`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import HOUR_US
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import (
    NO_CONTEXT,
    Entry,
    EntryContext,
    context_of,
    event_of,
    read_command,
    tag_name,
    unreadable,
)
from punto.floor.journal.event_base import ExceptionKind
from punto.floor.journal.exceptions import ALONE_CONTEXT
from punto.floor.journal.house_events import HOUSE, HOUSE_KINDS, HouseEvent, read_house_event
from punto.floor.journal.round_index import HIGHEST, round_at
from punto.floor.journal.rounds import restored_by
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.reports.days.opening_facts import TableOpening, window
from punto.floor.reports.days.shift_report import ShiftReport
from punto.floor.settings.gaming_day import Period
from punto.library import book, book_ids
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table.records import events, findings
from punto.table.records.chips import CountPurpose, TrayCounted
from punto.table.records.correction_events import BetCorrected, RoundCancelled
from punto.table.records.events import BettingClosed, BettingOpened, Event, PlayedBet, ShoeReconciled, cited_by
from punto.table.records.kinds import Irregularity
from punto.table.vocabulary import CORRECTION_EVENTS

LATE_CONTEXT = '%"happened_at_us":%'
"""Matches the context of what was entered later. A name in a context cannot contain it: its quotes are escaped."""
_CLOCK_US = 6 * HOUR_US
"""If clocks were set back by no more than this, nothing of a period is missed in the house's stream."""


_KINDS: dict[type[Event], ExceptionKind] = {
    **dict.fromkeys(CORRECTION_EVENTS, ExceptionKind.CORRECTION),
    findings.RoundVoided: ExceptionKind.VOID,
    findings.Ruled: ExceptionKind.RULING,
    findings.UninsuredBetReturned: ExceptionKind.MISSED_INSURANCE,
    findings.PayoutsNotVerified: ExceptionKind.NOT_VERIFIED,
    findings.RestartRecorded: ExceptionKind.RESTART,
    findings.ShoeExchanged: ExceptionKind.RESTART,
    events.InsuranceMissed: ExceptionKind.MISSED_INSURANCE,
}
_READ_OF_HOUSE = tuple(kind for kind in HOUSE_KINDS if kind.exception is not None)
_KINDS_OF_PLAY = {
    Topic.BELOW_MINIMUM_PLAYS: ExceptionKind.UNDER_MINIMUM,
    Topic.NOT_PRO_RATED: ExceptionKind.UNDER_MINIMUM,
    Topic.PRO_RATA: ExceptionKind.PRO_RATA,
}
_ABOUT_ROUNDS = frozenset({*_KINDS.values()} - {ExceptionKind.RESTART})
_READ: tuple[type[Event], ...] = (*_KINDS, BettingOpened, BettingClosed, RoundCancelled, TrayCounted, ShoeReconciled)


class DayException(Struct, frozen=True, kw_only=True):
    kinds: tuple[ExceptionKind, ...]
    at_us: int
    stream: str = ""
    """Empty, as all that follows, for a count that nobody made: it has no entry."""
    version: int = 0
    """Of its first entry."""
    table: str = ""
    opening: int = 0
    """Of the table; 0 if it concerns none."""
    round: int | None = None
    """None if it concerns none; 0 before the first."""
    by: str = ""
    position: str = ""
    context: EntryContext = NO_CONTEXT
    command: str = ""
    """Its name; empty for an entry of the house."""
    events: tuple[Event | HouseEvent, ...] = ()
    """The first of the command and those that are out of the ordinary; all if it was given alone or entered later."""
    played: tuple[PlayedBet, ...] = ()
    """Bets beyond a limit, as they played."""
    missing: CountPurpose | None = None
    book: str = ""
    box_labels: tuple[str, ...] = ()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        own = (event for event in self.events if isinstance(event, Event) and not isinstance(event, BettingClosed))
        return tuple(dict.fromkeys((*cited_by(own), *(each for bet in self.played for each in bet.clauses))))


# ---- tables


def table_exceptions(transaction: Transaction, opening: TableOpening, period: Period) -> list[DayException]:
    """Those of an opening that were recorded in a period."""
    found = _commands(transaction, opening, window(transaction, opening.head, period), 0)
    return [each for each in found if period.contains(each.at_us)]


def exceptions_after(
    transaction: Transaction, opening: TableOpening, period: Period, after: int, until_us: int
) -> list[DayException]:
    """What was recorded about a period after a version of the stream.

    That is what was entered before a moment as having happened in the period, what changed the round that was the last
    one at that version, and errors of rounds of the period that were found later.
    """
    head = opening.head
    number, opened_us = _round_at(transaction, head, after)
    last = min(head.version, streams.version_at(transaction, head, until_us) - 1)

    def concerns(each: DayException) -> bool:
        if happened_at_us := each.context.happened_at_us:
            return period.contains(happened_at_us)
        return period.contains(opened_us) and each.round == number and not _ABOUT_ROUNDS.isdisjoint(each.kinds)

    found = [each for each in _commands(transaction, opening, (after + 1, last), number) if concerns(each)]
    known = {each.version for each in found}
    found += [
        _line(opening, about, [entry], (), (event_of(entry),))
        for about, entry in _later_errors(transaction, head, period, after)
        if entry.version not in known
    ]
    return [replace(each, kinds=(*each.kinds, ExceptionKind.SIGNED_DAY)) for each in found]


def _commands(
    transaction: Transaction, opening: TableOpening, versions: tuple[int, int], number: int
) -> Iterator[DayException]:
    """``number`` is the round before the first version."""
    entries = streams.read_some(transaction, opening.head, versions, _READ, (ALONE_CONTEXT, LATE_CONTEXT))
    fold = _CommandFold(opening, number)
    for _, group in groupby(entries, key=lambda entry: entry.command_id):
        first, *others = group
        lead = streams.read(transaction, opening.head, first.version - first.part - 1, 1) if first.part else []
        if (found := fold.take([*lead, first, *others])) is not None:
            yield found


def _round_at(transaction: Transaction, stream: Head, version: int) -> tuple[int, int]:
    """The round that an entry belongs to, and when it was opened; zeros before the first."""
    record = round_at(transaction, stream.key, version)
    return (record.number, record.opened_us) if record is not None and record.number else (0, 0)


def _later_errors(transaction: Transaction, stream: Head, period: Period, after: int) -> Iterator[tuple[int, Entry]]:
    """Reports of errors found later in rounds that were opened in a period, with the number of each round."""
    rows = transaction.rows(
        "SELECT i.round, i.version FROM incidents AS i JOIN rounds AS r ON r.stream = i.stream AND r.number = i.round"
        " WHERE i.stream = ? AND i.kind = ? AND i.version > ? AND r.opened_us >= ? AND r.opened_us < ?"
        " ORDER BY i.version",
        (stream.key, Irregularity.LATER_ERROR.value, after, period.since_us or 0, period.until_us or HIGHEST),
    )
    for number, version in rows:
        yield from ((number, entry) for entry in streams.read(transaction, stream, version - 1, 1))


class _CommandFold:
    def __init__(self, opening: TableOpening, number: int) -> None:
        self._opening, self._round = opening, number
        self._played: frozenset[PlayedBet] = frozenset()
        """The bets of the round that are known to be beyond a limit."""
        self._played_before: frozenset[PlayedBet] = frozenset()
        """Those of the round before, which may come back."""

    def take(self, entries: Sequence[Entry]) -> DayException | None:
        """None if nothing about these entries of one command, of which the first has it, is out of the ordinary."""
        context, given = context_of(entries[0]), [event_of(entry) for entry in entries]
        number = given[0].round if isinstance(given[0], BettingOpened) else self._round
        for event in given:  # what is still open of the round before may come first
            if isinstance(event, BettingOpened):
                self._round, self._played, self._played_before = event.round, frozenset(), self._played
            elif (restored := restored_by(event)) is not None:
                self._round, self._played = restored, self._played_before
        played = tuple(bet for event in given for bet in self._newly_played(event))
        kinds = [*(_kind(event) for event in given), *(self._kind_of_play(bet) for bet in played)]
        kinds += [ExceptionKind.ENTERED_LATER] if context.happened_at_us else []
        kinds += [ExceptionKind.ALONE] if context.alone else []
        found = tuple(dict.fromkeys(kind for kind in kinds if kind is not None))
        if not found:
            return None
        whole = context.happened_at_us or context.alone
        shown = (given[0], *(event for event in given[1:] if whole or _kind(event) is not None))
        return replace(_line(self._opening, number, entries, found, shown), played=played)

    def _newly_played(self, event: Event) -> Iterator[PlayedBet]:
        if isinstance(event, BettingClosed | BetCorrected):
            yield from (bet for bet in event.played if bet not in self._played)
            self._played = frozenset(event.played)

    def _kind_of_play(self, bet: PlayedBet) -> ExceptionKind:
        """By the clauses that the bet cites."""
        if self._opening.book not in book_ids():
            return ExceptionKind.PRO_RATA
        topics = book(self._opening.book).topics
        cited = {topics[topic]: kind for topic, kind in _KINDS_OF_PLAY.items()}
        return cited.get(bet.clauses, ExceptionKind.UNDER_MINIMUM)


def _line(
    opening: TableOpening,
    number: int,
    entries: Sequence[Entry],
    kinds: tuple[ExceptionKind, ...],
    shown: tuple[Event, ...],
) -> DayException:
    first, name = entries[0], StreamName.parse(opening.head.stream)
    return DayException(
        kinds=kinds,
        at_us=first.at_us,
        stream=first.stream,
        version=first.version,
        table=name.table,
        opening=name.opening,
        round=number,
        by=first.actor,
        position=first.position,
        context=context_of(first),
        command="" if first.command is None else tag_name(type(read_command(first.command))),
        events=shown,
        book=opening.book,
        box_labels=opening.box_labels,
    )


def _kind(event: Event) -> ExceptionKind | None:
    if isinstance(event, TrayCounted):
        return ExceptionKind.COUNT_DIFFERED if event.difference_minor else None
    if isinstance(event, ShoeReconciled):
        return ExceptionKind.SHOE if event.difference else None
    return _KINDS.get(type(event))


def missing_counts(report: ShiftReport) -> Iterator[DayException]:
    """Openers and closers that nobody counted and signed."""
    since_us, until_us = report.period.since_us or 0, report.period.until_us or report.made_us
    for each in report.missing:
        at_us = since_us if each.purpose is CountPurpose.OPENER else min(until_us, report.made_us)
        kinds = (ExceptionKind.COUNT_MISSING,)
        yield DayException(kinds=kinds, at_us=at_us, table=each.table, missing=each.purpose)


# ---- the house


def house_exceptions(transaction: Transaction, period: Period) -> Iterator[DayException]:
    """Those of the house's stream that were recorded in a period."""
    head = streams.find(transaction, HOUSE)
    if head is None:
        return
    first = streams.version_at(transaction, head, (period.since_us or 0) - _CLOCK_US)
    last = head.version
    if period.until_us is not None:
        last = streams.version_at(transaction, head, period.until_us + _CLOCK_US) - 1
    for entry in streams.read_some(transaction, head, (first, last), _READ_OF_HOUSE, (ALONE_CONTEXT,)):
        if period.contains(entry.at_us) and (found := _of_the_house(entry)) is not None:
            yield found


def _of_the_house(entry: Entry) -> DayException | None:
    try:
        event = read_house_event(entry.event)
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error
    context, kind = context_of(entry), None if event.ordinary else event.exception
    kinds = (*([kind] if kind else []), *([ExceptionKind.ALONE] if context.alone and not entry.part else []))
    if not kinds:
        return None
    name = StreamName.find(getattr(event, "stream", ""))
    return DayException(
        kinds=kinds,
        at_us=entry.at_us,
        stream=entry.stream,
        version=entry.version,
        table=name.table if name else getattr(event, "table", ""),
        opening=name.opening if name else 0,
        round=(getattr(event, "round", 0) or None) if name else None,
        by=entry.actor,
        position=entry.position,
        context=context,
        events=(event,),
    )


def count_by_kind(found: Iterable[DayException]) -> dict[ExceptionKind, int]:
    """How many lines are of each kind. A line may be of several."""
    counts = dict.fromkeys(ExceptionKind, 0)
    for each in found:
        for kind in each.kinds:
            counts[kind] += 1
    return {kind: count for kind, count in counts.items() if count}
