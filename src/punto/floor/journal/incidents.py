"""Which commands at a table belong to which numbered incident of the floor.

An incident starts when the table raises something, somebody reports or rules, a late bet is refused, or insurance that
was not offered is made good. What resolves it later belongs to it too. The number is written with every entry of it
(:class:`~punto.floor.journal.entry.EntryContext`), so the journal proves it. A correction starts no incident.

All of this is pure: it needs the incidents of one opening of a table, and the table before and after a command.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.table.records.correction_events import OptionCorrected
from punto.table.records.events import Event, InsuranceOffered, ShoeLoaded
from punto.table.records.findings import (
    CardOrderRuled,
    IrregularityDismissed,
    IrregularityRaised,
    IrregularityReported,
    LateBetRefused,
    OptionChosen,
    OptionsClosed,
    OptionsGiven,
    OrderLost,
    RestartRecorded,
    RoundResumed,
    Ruled,
    ShoeExchanged,
    ShoeReplaced,
    ShoeTakenOff,
    UninsuredBetPutBack,
    UninsuredBetReturned,
)
from punto.table.records.kinds import Irregularity
from punto.table.records.state import Phase, Table


class OtherKind(StrEnum):
    """Kinds of incident besides those of :class:`~punto.table.records.kinds.Irregularity`."""

    LATE_BET = "late_bet"
    UNINSURED = "uninsured"
    """Insurance was not offered: it is offered late, or bets go back."""
    RESTART = "restart"
    """The server was away during a round at a real shoe, and the dealer is asked."""


class IncidentWait(StrEnum):
    """What an open incident waits for."""

    CHOICES = "choices"
    ORDER = "order"
    """A ruling on the order of cards."""
    REPORT = "report"
    """The table raised something."""
    RESUME = "resume"
    SHOE = "shoe"


class Incident(Struct, frozen=True):
    """An incident, as far as one opening of a table has it."""

    number: int
    round: int
    """The round that it is about; 0 before the first."""
    kind: str
    version: int
    """Of its first entry."""
    last: int
    """Of its last entry so far."""
    at_us: int
    waits: tuple[IncidentWait, ...] = ()
    """In the order of their names; empty once it is closed."""


class GivenCommand(Struct, frozen=True):
    """An accepted command at a table."""

    before: Table
    after: Table
    events: Sequence[Event]
    version: int
    """Of its first entry."""
    at_us: int

    @property
    def round(self) -> int:
        return self.before.round.number if self.before.round is not None else 0

    @property
    def concerns_incidents(self) -> bool:
        """Whether an incident may start, go on or close with it."""
        if any(type(event) in _CARRIED or _kind(event) is not None for event in self.events):
            return True
        waits = _waits(self.before)
        return bool(waits) and not waits <= _waits(self.after)


Known = Sequence[Incident]
"""The incidents of one opening, by number: at least those that are open or about the round in play."""

_ANSWERS: dict[IncidentWait, frozenset[Irregularity]] = {
    IncidentWait.REPORT: frozenset(Irregularity) - {Irregularity.INTERRUPTION, Irregularity.LATER_ERROR},
    IncidentWait.RESUME: frozenset({Irregularity.INTERRUPTION}),
    IncidentWait.ORDER: frozenset({Irregularity.WRONG_NUMBER}),
}
"""The reports that belong to an incident which waits for something. All others start one of their own."""

_GIVING_OPTIONS = frozenset(
    {
        Irregularity.EXCESS_CARD,
        Irregularity.WRONG_NUMBER,
        Irregularity.WRONG_SIDE,
        Irregularity.FACE_UP_CARD,
        Irregularity.SIMULTANEOUS_CARDS,
        Irregularity.DEALING_ERROR,
    }
)

_ADDS: dict[type[Event], IncidentWait] = {
    IrregularityRaised: IncidentWait.REPORT,
    RestartRecorded: IncidentWait.RESUME,
    OptionsGiven: IncidentWait.CHOICES,
    OrderLost: IncidentWait.ORDER,
    ShoeTakenOff: IncidentWait.SHOE,
}

_WAITED_FOR: dict[type[Event], IncidentWait] = {
    OptionChosen: IncidentWait.CHOICES,
    OptionsClosed: IncidentWait.CHOICES,
    CardOrderRuled: IncidentWait.ORDER,
    OptionsGiven: IncidentWait.ORDER,
    IrregularityDismissed: IncidentWait.REPORT,
    RoundResumed: IncidentWait.RESUME,
    ShoeLoaded: IncidentWait.SHOE,
}
"""Events that belong to the incident which waits for them, if one does."""

_SAME_ROUND: dict[type[Event], tuple[frozenset[str], ...]] = {
    OptionsGiven: (_GIVING_OPTIONS,),
    OptionCorrected: (_GIVING_OPTIONS,),
    ShoeReplaced: (frozenset({Irregularity.SIMULTANEOUS_CARDS}), _GIVING_OPTIONS),
    ShoeExchanged: (frozenset({Irregularity.INTERRUPTION}),),
    UninsuredBetPutBack: (frozenset({OtherKind.UNINSURED}),),
}
"""Events that belong to the last incident of such a kind in their round, if there is one: of the first kinds that had
one."""
_CARRIED = frozenset({*_WAITED_FOR, *_SAME_ROUND})

_STARTS: dict[type[Event], Callable[[Any], str | None]] = {
    IrregularityRaised: lambda event: event.kind,
    IrregularityReported: lambda event: event.kind,
    Ruled: lambda _: Irregularity.RULING,
    LateBetRefused: lambda _: OtherKind.LATE_BET,
    UninsuredBetReturned: lambda _: OtherKind.UNINSURED,
    InsuranceOffered: lambda event: OtherKind.UNINSURED if event.makes_good else None,
    RestartRecorded: lambda event: OtherKind.RESTART if event.asks else None,
}
"""The kind of incident that an event starts, unless it belongs to an open one."""


def find_incident(known: Known, step: GivenCommand) -> Incident | None:
    """The incident that a command belongs to: one with the number 0 if it starts one; None if it belongs to none."""
    for event in step.events:
        if (kind := _kind(event)) is not None:
            number = event.round if isinstance(event, IrregularityReported) else step.round
            new = Incident(0, number, kind, step.version, step.version, step.at_us)
            return _answered(known, step.round, event) or new
    found = (_carrying(known, step.round, event) for event in step.events)
    return next(filter(None, found), None)


def advance(known: Known, step: GivenCommand, own: Incident | None) -> list[Incident]:
    """The incidents that a command changes, as they are after it. ``own`` is the one it belongs to, with its number."""
    waits = _waits(step.after)
    after = {each.number: replace(each, waits=_sorted(waits.intersection(each.waits))) for each in known}
    if own is not None:
        theirs = {wait for each in known if each.number != own.number for wait in each.waits}
        added = {_ADDS[type(event)] for event in step.events if type(event) in _ADDS} - theirs
        reported = [event.kind for event in step.events if isinstance(event, IrregularityReported)]
        after[own.number] = replace(
            own,
            kind=reported[0] if reported else own.kind,
            last=step.version + len(step.events) - 1,
            waits=_sorted(waits & added.union(own.waits)),
        )
    before = {each.number: each for each in known}
    return [each for number, each in after.items() if before.get(number) != each]


class IncidentFold:
    """Follows the incidents of one opening from its first command."""

    def __init__(self) -> None:
        self.incidents: dict[int, Incident] = {}

    def take(self, step: GivenCommand, number: int) -> Incident | None:
        """Apply a command whose entries have this number. Return what :func:`find_incident` says about it."""
        if not step.concerns_incidents and not number:
            return None
        known = [each for each in self.incidents.values() if each.waits or each.round == step.round]
        own = expected = find_incident(known, step)
        if own is not None:
            own = replace(own, number=number) if number and not own.number else self.incidents.get(number)
        for each in advance(known, step, own):
            self.incidents[each.number] = each
        return expected


def _kind(event: Event) -> str | None:
    start = _STARTS.get(type(event))
    return None if start is None else start(event)


def _answered(known: Known, number: int, event: Event) -> Incident | None:
    """The incident that an event which could start one belongs to instead."""
    match event:
        case IrregularityReported():
            return _last(known, lambda each: any(event.kind in _ANSWERS.get(wait, ()) for wait in each.waits))
        case Ruled():
            return _last(known, lambda each: bool(set(each.waits) - {IncidentWait.SHOE}))
        case UninsuredBetReturned() | InsuranceOffered():
            return _last(known, lambda each: (each.kind, each.round) == (OtherKind.UNINSURED, number))
        case RestartRecorded():
            return _last(known, lambda each: IncidentWait.RESUME in each.waits)
        case _:
            return None


def _carrying(known: Known, number: int, event: Event) -> Incident | None:
    if (wait := _WAITED_FOR.get(type(event))) is not None:
        found = _last(known, lambda each: wait in each.waits)
        choosing = any(IncidentWait.CHOICES in each.waits for each in known)
        if found is not None or choosing or type(event) not in _SAME_ROUND:  # options that only a corrected card gives
            return found
    for kinds in _SAME_ROUND.get(type(event), ()):
        if (found := _last_of(known, number, kinds)) is not None:
            return found
    return None


def _last_of(known: Known, number: int, kinds: frozenset[str]) -> Incident | None:
    return _last(known, lambda each: each.round == number and each.kind in kinds)


def _last(known: Known, wanted: Callable[[Incident], bool]) -> Incident | None:
    return next(filter(wanted, reversed(known)), None)


def _waits(table: Table) -> set[IncidentWait]:
    """What the table as it is waits for."""
    waits = {IncidentWait.SHOE} if table.shoe is None and table.phase is not Phase.CLOSED else set()
    if table.restart is not None:
        waits.add(IncidentWait.RESUME)
    if table.round is not None:
        open_ = table.round.irregularities
        if open_.raised is not None:
            waits.add(IncidentWait.REPORT)
        if open_.options is not None:
            waits.add(IncidentWait.CHOICES)
        if open_.order_lost:
            waits.add(IncidentWait.ORDER)
    return waits


def _sorted(waits: Iterable[IncidentWait]) -> tuple[IncidentWait, ...]:
    return tuple(sorted(waits))
