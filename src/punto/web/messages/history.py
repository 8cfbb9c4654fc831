"""Commands, and what has come of them."""

from typing import Any

from msgspec import UNSET, UnsetType

from punto.rules.coup.space import Winner
from punto.rules.refusals import Clause
from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.tables import Settled, Voided


class CommandAsked(RequestBody, frozen=True):
    """A command with an id of the caller's: given again, the same id answers the same."""

    id: str
    command: dict[str, Any]
    """Its tag and its fields, but not who gives it: that says the session."""


class EventView(Message, frozen=True):
    """Something that happened at a table, as anybody in one's position may see it."""

    cursor: Cursor
    at_us: int
    position: str
    """The position in which it was brought about."""
    event: dict[str, Any]
    by: str | None = None
    command_id: str | None = None
    """Who and by which command: for the staff and for auditors alone."""


class Accepted(Message, frozen=True):
    """A command that was accepted, and is on the disk."""

    cursor: Cursor
    events: tuple[EventView, ...]


class EventPage(Message, frozen=True):
    """A page of history, the oldest first."""

    events: tuple[EventView, ...]
    next: Cursor
    """Where the next page begins; there may be nothing yet."""
    more: bool


class Adjusted(Message, frozen=True):
    """What a ruling paid to a player or, below zero, took from them."""

    who: str
    amount_minor: int
    at_us: int
    clauses: tuple[Clause, ...]
    reason: str | UnsetType = UNSET
    """Of the ruling: for the staff and for auditors alone."""


class RoundSummary(Message, frozen=True):
    """A round that is over."""

    cursor: Cursor
    round: int
    at_us: int
    winner: Winner | None
    """None: void."""
    player: int | None
    banker: int | None
    cards: tuple[str | None, ...]
    """In drawn order."""
    results: tuple[Settled, ...]
    """One's own; for the staff and for auditors everybody's."""
    voided: Voided | None = None
    adjustments: tuple[Adjusted, ...] = ()
    """What rulings moved before the next call for bets: one's own; for the staff and for auditors everybody's."""


class RoundPage(Message, frozen=True):
    """A page of rounds, the newest first."""

    rounds: tuple[RoundSummary, ...]
    next: Cursor | None
    """Where the next, older page begins; None: there is none."""


class ShoeTold(Message, frozen=True):
    """A sealed shoe: what was published before its first card, and, once it is over, all that was sealed."""

    shoe: str
    decks: int
    kind: str
    commitment: str
    nonce: str | None
    cards: str | None
    """In the order of the draw; with the nonce the commitment can be checked."""


class ShoesTold(Message, frozen=True):
    """The last shoes of a table, the newest first."""

    shoes: tuple[ShoeTold, ...]
