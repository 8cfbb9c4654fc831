"""A table as somebody may see it."""

from msgspec import UNSET, UnsetType

from punto.floor.journal.round_record import WentBack
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, Settings
from punto.table.records.state import Phase
from punto.web.messages.base import Message


class Placed(Message, frozen=True):
    """A bet on the felt."""

    who: str
    box: int
    bet: str
    stake_minor: int
    seated: bool
    played_minor: int | None = None
    """How much of it plays, where that is not all."""


class Covered(Message, frozen=True):
    """Insurance that somebody has taken."""

    who: str
    box: int
    side: Side
    stage: Stage
    stake_minor: int
    odds: str


class Offered(Message, frozen=True):
    """The insurance on offer."""

    stage: Stage
    side: Side
    odds: str
    late: bool
    clauses: tuple[Clause, ...]


class HandView(Message, frozen=True):
    """A hand as it lies there; None is a card face down."""

    cards: tuple[str | None, ...] = ()
    places: tuple[int, ...] = ()
    """Counted from 1 in drawn order."""
    points: int | None = None
    """None while a card is face down."""
    accepted_by: str | None = None
    """Who squeezes it."""
    asked_by: str | None = None
    """Who has asked to."""
    opened: tuple[int, ...] = ()
    """Places whose cards were squeezed: the dealer turns them next."""


class Settled(Message, frozen=True):
    """What became of a bet or an insurance."""

    who: str
    box: int
    bet: str
    stake_minor: int
    result: Result
    """``push`` where the stake went back."""
    returned_minor: int
    clauses: tuple[Clause, ...]
    stage: Stage | None = None
    odds: str | None = None
    commission_minor: int | None = None
    played_minor: int | None = None
    """How much of the stake the cards decided, where that is not all."""
    went_back: WentBack | None = None
    """Why the stake went back without being decided by the cards; None where they decided."""
    reason: str | UnsetType = UNSET
    """Where a ruling returned it, or it was returned as uninsured: for the staff and for auditors alone."""


class Voided(Message, frozen=True):
    """Why a round is void."""

    ground: Irregularity
    clauses: tuple[Clause, ...]
    reason: str | UnsetType = UNSET
    """What was noted at the table: for the staff and for auditors alone."""


class Adjusted(Message, frozen=True):
    """What a ruling paid to a player or, below zero, took from them."""

    who: str
    amount_minor: int
    at_us: int
    clauses: tuple[Clause, ...]
    reason: str | UnsetType = UNSET
    """Of the ruling: for the staff and for auditors alone."""


class OptionsOpen(Message, frozen=True):
    """The players' options after a dealing error."""

    kind: Irregularity
    reconstructable: bool
    asked: tuple[str, ...]
    """Who has yet to choose."""


class RoundView(Message, frozen=True):
    """The round on the table."""

    number: int
    last: bool
    """The last of the shoe."""
    bets: tuple[Placed, ...]
    player: HandView
    banker: HandView
    unassigned: tuple[str | None, ...]
    """Cards that are nobody's, or nobody's yet."""
    cover: tuple[Covered, ...]
    offer: Offered | None
    waived: bool
    options: OptionsOpen | None
    choices: dict[str, Choice]
    raised: Irregularity | None
    """What the table itself has seen to be wrong."""
    order_lost: bool
    winner: Winner | None
    results: tuple[Settled, ...]
    """Of all bets once the round is over; before that of those that went back."""
    void: Irregularity | None
    voided: Voided | None = None
    adjustments: tuple[Adjusted, ...] | UnsetType = UNSET
    """What rulings have moved since the call for bets: for the staff and for auditors alone."""


class ShoeView(Message, frozen=True):
    """The shoe, of which nobody knows the order."""

    id: str
    kind: ShoeKind
    decks: int
    drawn: int
    left: int
    cut_card_out: bool
    commitment: str | None
    """Published before the first card; None for a real shoe."""


class Due(Message, frozen=True):
    """What the table does next by itself, and when."""

    automation: Automation
    at_us: int


class TableView(Message, frozen=True):
    """A table as anybody in one's position may see it."""

    table: str
    book: str
    title: str
    opening: int
    version: int
    phase: Phase
    settings: Settings | None
    seats: dict[int, str]
    behind: dict[str, tuple[int, ...]]
    shoe: ShoeView | None
    carried: tuple[str | None, ...]
    """Cards drawn before their time, which are dealt next."""
    round: RoundView | None
    marks: tuple[str, ...]
    """The results of this shoe so far, as ``punto roads`` reads them."""
    due: Due | None
    balances: dict[str, int] | UnsetType = UNSET
    """For the staff and for auditors alone."""


class Me(Message, frozen=True):
    """What concerns one person at a table, and nobody else."""

    name: str
    position: Position
    chips_minor: int
    boxes: tuple[int, ...]
    """Where they sit."""
    behind: tuple[int, ...]
    """Behind which boxes they stand."""
    away: bool
    adjustments: tuple[Adjusted, ...] = ()
    """What rulings have moved to or from them since the last call for bets."""


class Seen(Message, frozen=True):
    """A table, and oneself at it."""

    state: TableView
    me: Me | None
