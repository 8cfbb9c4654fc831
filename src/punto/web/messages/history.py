"""What has happened at a table, page by page."""

from punto.rules.coup.space import Winner
from punto.web.messages.base import Cursor, Message
from punto.web.messages.commands import EventView
from punto.web.messages.tables import Adjusted, Settled, Voided


class EventPage(Message, frozen=True):
    """A page of history, the oldest first."""

    events: tuple[EventView, ...]
    next: Cursor
    """Where the next page begins; there may be nothing yet."""
    more: bool


class RoundSummary(Message, frozen=True):
    """A round that is over; or what rulings moved before the first call for bets of an opening."""

    cursor: Cursor
    round: int
    """0: before the first call for bets. There are adjustments only."""
    at_us: int
    winner: Winner | None
    """None: void, or round 0."""
    player: int | None
    banker: int | None
    cards: tuple[str, ...]
    """Those that were seen, in drawn order."""
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
