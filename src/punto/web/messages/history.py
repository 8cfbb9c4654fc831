"""The history of a table, in pages."""

from msgspec import UNSET, UnsetType

from punto.rules.coup.space import Winner
from punto.web.messages.base import Cursor, Message
from punto.web.messages.commands import EventView
from punto.web.messages.tables import Adjusted, Settled, Voided


class EventPage(Message, frozen=True):
    """Events of a table, oldest first. To get the next page, pass `next` as `after`."""

    events: tuple[EventView, ...]
    next: Cursor
    """Where the next page starts. It may still be empty."""
    more: bool


class RoundSummary(Message, frozen=True):
    """A finished round. Round 0 lists the amounts that rulings moved before the first call for bets of an opening."""

    cursor: Cursor
    round: int
    """0: before the first call for bets; has only adjustments."""
    at_us: int
    winner: Winner | None
    """None if the round is void, and for round 0."""
    player: int | None
    banker: int | None
    cards: tuple[str, ...]
    """The cards that were turned, in the order they were drawn."""
    results: tuple[Settled, ...]
    """Your own; staff and auditors get everybody's."""
    voided: Voided | None = None
    adjustments: tuple[Adjusted, ...] = ()
    """Amounts that rulings moved before the next call for bets: your own; staff and auditors get everybody's."""
    happened_at_us: int | UnsetType = UNSET
    """When betting opened, if that was entered later. Only sent to staff and auditors."""
    box_labels: tuple[str, ...] = ()
    """The labels of the table's boxes then; empty for their numbers."""
    incidents: tuple[int, ...] = ()
    """The numbers of its incidents. Only sent to staff and auditors."""


class RoundPage(Message, frozen=True):
    """Rounds of a table, newest first. To get the next page, pass `next` as `before`."""

    rounds: tuple[RoundSummary, ...]
    next: Cursor | None
    """Where the next page, of older rounds, starts; None if there are no more."""


class SealedShoeView(Message, frozen=True):
    """A sealed shoe. `commitment` is published before the first card, `nonce` and `cards` after the last."""

    shoe: str
    decks: int
    kind: str
    commitment: str
    nonce: str | None
    cards: str | None
    """In the order they were drawn. Together with the nonce they prove the commitment."""
    orders: int = 0
    """How many orders of a continuous shuffler were sealed together; 0 for a shoe. They are not revealed here, but
    each after its round: see `/api/tables/{table}/orders`."""
    block: int = 0
    """Which of the shuffler's blocks it is, counted from 0."""


class RevealedOrderView(Message, frozen=True):
    """The order of a round at a sealed continuous shuffler, with its proof.

    The leaf is SHA-256 over a zero byte, the nonce, a newline and the cards; a node is SHA-256 over a one byte and both
    nodes below it.
    """

    cursor: Cursor
    shoe: str
    order: int
    """Counted from 0, since the shuffler was loaded."""
    block: int
    """The sealed block that it is of."""
    place: int
    """Its place in the block, counted from 0: bit by bit from the lowest, 1 where the path's hash is the left one."""
    round: int
    first_draw: int
    """The position of the first card that was drawn from it."""
    nonce: str
    cards: str
    """Each card of the whole set, with the number of its copy."""
    out: str
    """The cards that were out when the round began. If k copies of a card are out, its copies 1 to k are passed
    over."""
    path: tuple[str, ...]
    """The hashes beside the way from the leaf to the root."""
    commitment: str
    """The root that was sealed before the round."""


class RevealedOrderPage(Message, frozen=True):
    """Revealed orders, newest first."""

    orders: tuple[RevealedOrderView, ...]
    next: Cursor | None
    """Where the next page, of older ones, starts; None if there are no more."""


class SealedShoeList(Message, frozen=True):
    """The last sealed shoes of a table, newest first."""

    shoes: tuple[SealedShoeView, ...]
