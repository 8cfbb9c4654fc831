"""The numbered incidents of the floor."""

from punto.floor.journal.incidents import IncidentWait
from punto.floor.journal.round_record import RoundFelt
from punto.rules.refusals import Clause
from punto.web.messages.base import Message
from punto.web.messages.commands import EventView


class IncidentLine(Message, frozen=True):
    """An incident in a list."""

    number: int
    at_us: int
    table: str
    opening: int
    """Of the table, counted from 1."""
    round: int
    """0: before the first call for bets."""
    kind: str
    state: str
    """`open` or `closed`."""
    waits_for: tuple[IncidentWait, ...]
    """What an open one waits for."""


class IncidentList(Message, frozen=True):
    """Incidents, newest first. To get the next page, pass `next` as `before`."""

    incidents: tuple[IncidentLine, ...]
    next: int | None
    """Null if there are no more."""


class IncidentCommand(Message, frozen=True):
    """A command that belongs to an incident: who gave it, and what followed."""

    command: str
    at_us: int
    happened_at_us: int | None
    """When it happened, if it was entered later."""
    by: str
    position: str
    terminal: str
    """Where it was given; empty: at no terminal."""
    proposed_by: str | None
    """Who proposed it, if `by` approved it."""
    proposer_position: str | None
    events: tuple[EventView, ...]
    words: tuple[str, ...]
    """What followed, in the language of the request."""


class MovedChips(Message, frozen=True):
    """What a player's chips changed by."""

    who: str
    amount_minor: int


class IncidentView(IncidentLine, frozen=True):
    """An incident with everything on record about it."""

    book: str
    currency: str
    clauses: tuple[Clause, ...]
    commands: tuple[IncidentCommand, ...]
    moved: tuple[MovedChips, ...]
    before: RoundFelt | None
    """The felt before it; null if it concerns no round."""
    after: RoundFelt | None
    """The felt after it, so far."""
    same_round: tuple[int, ...]
    """The other incidents of the round."""
