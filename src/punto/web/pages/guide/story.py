"""What has been decided at a table since somebody opened its guide, read from the journal."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from punto.floor.journal.entry import COMMANDS_BY_TAG, Entry, context_of, event_of, read_command, tag, tag_name
from punto.rules.refusals import Clause
from punto.table.records.commands import DealCard, Leave, LoadShoe, Settle
from punto.table.records.events import Event, cited_by
from punto.table.records.findings import (
    InsuranceRejudged,
    IrregularityRaised,
    PayoutsNotVerified,
    RestartRecorded,
)
from punto.table.records.kinds import DECIDED
from punto.table.records.positions import HOUSE_ONLY, MANAGER_UP, Position

_DECIDE = frozenset(
    tag(kind)
    for kind in COMMANDS_BY_TAG.values()
    if (kind.concern in DECIDED and kind.may != HOUSE_ONLY) or kind in (Leave, LoadShoe)
)
"""Reports, rulings, choices and corrections by people; who walks away; another shoe."""
_ONLY_NOTICED = (IrregularityRaised, RestartRecorded, PayoutsNotVerified, InsuranceRejudged)
"""Nobody has decided anything by these."""


class Deed(Struct, frozen=True):
    """One accepted command about the trouble, and its events."""

    by: str
    position: str
    proposed_by: str
    """Empty if whoever gave it needed nobody."""
    kind: str
    """The tag of the command, without its version."""
    events: tuple[Event, ...]


class Story(Struct, frozen=True):
    deeds: tuple[Deed, ...] = ()
    clauses: tuple[Clause, ...] = ()
    incidents: tuple[int, ...] = ()
    """Their numbers on the floor."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Those of the last command."""
        return self.deeds[-1].events if self.deeds else ()

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(deed.kind for deed in self.deeds)


def read_story(entries: Sequence[Entry]) -> Story:
    """Of the entries since the guide was opened, those by which something was decided."""
    deeds = [deed for deed in map(_deed, _by_command(entries)) if deed is not None]
    if {deed.kind for deed in deeds} == {tag_name(LoadShoe)}:
        deeds = []  # nothing was wrong with the shoe before
    cited = cited_by(event for deed in deeds for event in deed.events)
    incidents = {number for entry in entries if (number := context_of(entry).incident)}
    return Story(tuple(deeds), cited, tuple(sorted(incidents)))


def _by_command(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    together: list[Entry] = []
    for entry in entries:
        if entry.part == 0 and together:
            yield together
            together = []
        together.append(entry)
    if together:
        yield together


def _deed(entries: list[Entry]) -> Deed | None:
    first, events = entries[0], [event_of(entry) for entry in entries]
    if first.command is None:  # the list starts amid the events of a command
        return None
    command = read_command(first.command)
    if isinstance(command, Leave) and first.position == Position.PLAYER:
        return None  # by themselves, which is no news to the staff
    kind, missed = tag(type(command)), isinstance(command, DealCard) and command.not_offered
    settles = isinstance(command, Settle) and first.position in MANAGER_UP  # decides that no further bet goes back
    if kind not in _DECIDE and not missed and not settles and not any(map(_decides, events)):
        return None
    return Deed(first.actor, first.position, context_of(first).proposed_by, tag_name(type(command)), tuple(events))


def _decides(event: Event) -> bool:
    return type(event).concern in DECIDED and not isinstance(event, _ONLY_NOTICED)
