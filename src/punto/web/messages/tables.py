"""The state of a table, as a viewer may see it."""

from msgspec import UNSET, UnsetType

from punto.floor.journal.round_record import WentBack
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.chips import ChipPile, SlipKind
from punto.table.records.events import ProRata
from punto.table.records.kinds import Choice, Irregularity, SqueezeState
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, ContinuousShuffler, Settings
from punto.table.records.state import Phase
from punto.table.situation import LastRound, SituationKind, Then
from punto.web.messages.base import Message


class Placed(Message, frozen=True):
    """A bet on the table."""

    who: str
    box: int
    bet: str
    stake_minor: int
    seated: bool
    played_minor: int | None = None
    """How much of the stake plays; None if all of it does."""


class Covered(Message, frozen=True):
    """Insurance that a player has taken."""

    who: str
    box: int
    side: Side
    stage: Stage
    stake_minor: int
    odds: str
    called: bool = False
    """The player told the dealer; the chips follow."""


class Offered(Message, frozen=True):
    """The insurance that players can take now."""

    stage: Stage
    side: Side
    odds: str
    late: bool
    clauses: tuple[Clause, ...]
    closed: bool = False
    """Whether the dealer has closed the offer. Players can still take it until the next card is drawn."""


class SqueezeView(Message, frozen=True):
    """A request to squeeze a hand."""

    who: str
    state: SqueezeState
    from_place: int
    """The first place they may squeeze: cards dealt before they asked are not theirs."""


class HandView(Message, frozen=True):
    """One hand. A card is null while it is face down."""

    cards: tuple[str | None, ...] = ()
    places: tuple[int, ...] = ()
    """Position of each card in the coup, counted from 1 in the order they were drawn."""
    shoes: tuple[str, ...] = ()
    """The shoe of each card."""
    draws: tuple[int, ...] = ()
    """Position of each card in its shoe, counted from 0, as corrections name it."""
    points: int | None = None
    """None while a card is face down."""
    accepted_by: str | None = None
    """Who squeezes the cards of this hand. While betting is open, the last of those who have permission."""
    asked_by: str | None = None
    """Who has asked last to squeeze them and has no answer yet."""
    squeeze_from: int | None = None
    """The first place that ``accepted_by`` may squeeze, or ``asked_by`` if nobody has permission; None for neither."""
    lapsed_by: str | None = None
    """Whose request or permission lapsed last in this round, because they did not have the highest bet."""
    squeezes: tuple[SqueezeView, ...] = ()
    """All requests for this hand except refused ones, in order. While betting is open several players may have
    permission; the close decides."""
    opened: tuple[int, ...] = ()
    """Places whose cards have been squeezed and that the dealer turns next. Where the table gives a time for it, once
    the player has laid the card open or the time is over."""


class Settled(Message, frozen=True):
    """The result of a bet or of insurance."""

    who: str
    box: int
    bet: str
    stake_minor: int
    result: Result
    """``push`` also if the stake went back."""
    returned_minor: int
    clauses: tuple[Clause, ...]
    stage: Stage | None = None
    odds: str | None = None
    commission_minor: int | None = None
    played_minor: int | None = None
    """How much of the stake the cards decided; None if all of it."""
    went_back: WentBack | None = None
    """Why the stake went back undecided; None if the cards decided."""
    rounded_minor: int = 0
    """What the smallest chip added to ``returned_minor``; negative if it took something off."""
    pro_rata: ProRata | None = None
    """Why only ``played_minor`` of it played: what lay on both sides of the box, and the limit."""
    reason: str | UnsetType = UNSET
    """Why a ruling returned it, or why it was returned as uninsured. Only sent to staff and auditors."""


class Voided(Message, frozen=True):
    """Why a round was declared void."""

    ground: Irregularity
    clauses: tuple[Clause, ...]
    reason: str | UnsetType = UNSET
    """The note made at the table. Only sent to staff and auditors."""


class Adjusted(Message, frozen=True):
    """An amount that a ruling paid to a player or, if negative, took from them."""

    who: str
    amount_minor: int
    at_us: int
    clauses: tuple[Clause, ...]
    reason: str | UnsetType = UNSET
    """The reason for the ruling. Only sent to staff and auditors."""


class OptionsOpen(Message, frozen=True):
    """The options that players have after a dealing error."""

    kind: Irregularity
    reconstructable: bool
    asked: tuple[str, ...]
    """Players who have not chosen yet."""
    by_hand: bool = False
    """The table records cards only: everybody with a bet is asked, and nobody is named."""


class RoundView(Message, frozen=True):
    """The current round of a table."""

    number: int
    last: bool
    """Whether this is the last round of the shoe."""
    bets: tuple[Placed, ...]
    player: HandView
    banker: HandView
    unassigned: tuple[str | None, ...]
    """Cards that do not belong to a hand, or not yet."""
    cover: tuple[Covered, ...]
    offer: Offered | None
    waived: bool
    options: OptionsOpen | None
    choices: dict[str, Choice]
    raised: Irregularity | None
    """An irregularity that Punto itself has detected."""
    order_lost: bool
    winner: Winner | None
    results: tuple[Settled, ...]
    """Of all bets when the round is over; before that only of stakes that went back."""
    void: Irregularity | None
    voided: Voided | None = None
    differential_minor: int | None = None
    """The total on Banker less the total on Player, over all boxes. None if the round is over, if no bets are on the
    felt, or if the book has no differential limit."""
    adjustments: tuple[Adjusted, ...] | UnsetType = UNSET
    """Amounts that rulings have moved since the call for bets. Only sent to staff and auditors."""


class ShoeView(Message, frozen=True):
    """The shoe in use. The order of its cards is never sent."""

    id: str
    kind: ShoeKind
    decks: int
    drawn: int
    left: int
    """Of a continuous shuffler, what it holds; between rounds, what it will hold at the call for bets."""
    cut_card_out: bool
    commitment: str | None
    """Published before the first card; None if the shoe is a physical one. Of a continuous shuffler, the root over the
    block that has the order of this round."""
    continuous: ContinuousShuffler | None = None
    """Set for a machine that takes cards back."""
    order: int | None = None
    """Of a sealed machine, the order of this or the last round, counted from 0."""


class Due(Message, frozen=True):
    """What the table will do next without a command, and when."""

    automation: Automation
    at_us: int


class RestartView(Message, frozen=True):
    """A time in which the server was away, in Unix time in microseconds."""

    from_us: int
    to_us: int


class PitCallView(Message, frozen=True):
    """A call for the pit that is open, or was answered in this round."""

    called_by: str
    answered_by: str
    """Empty while nobody has answered."""
    since_us: int
    """When it was answered; before that, when the pit was called."""


class SlipView(Message, frozen=True):
    """A fill or a credit that is neither received nor void."""

    slip: int
    number: str
    """As printed on it."""
    kind: SlipKind
    piles: tuple[ChipPile, ...]
    amount_minor: int
    sent: bool


class BetEdge(Message, frozen=True):
    """What a bet is worth before the round."""

    bet: str
    edge: str
    """The house edge as an exact fraction. Negative: the bettor has the advantage."""
    edge_float: float


class KnownFirst(Message, frozen=True):
    """What it is worth to a bettor that cards of the next round are known."""

    cards: tuple[str | None, ...]
    """The cards that come first; null for one face down."""
    bets: tuple[BetEdge, ...]
    """Every bet of the layout, from the cards that nobody has seen."""
    best: str
    """The bet with the lowest house edge."""
    clauses: tuple[Clause, ...]


class EdgesView(Message, frozen=True):
    """What the bets of the open or the next round are worth, from all that is known before its first card is dealt.

    `round` and `shoe` are null, and `bets` is empty, if that is not known: the table is closed or has no shoe for
    another round, or the round was being dealt when the server started.
    """

    table: str
    round: int | None
    shoe: str | None
    drawn: int
    """Cards drawn from the shoe before the round."""
    first_card_known: bool
    """A card that is dealt first lies face up."""
    bets: tuple[BetEdge, ...]
    """Every bet on the menu."""


class TableView(Message, frozen=True):
    """The state of a table, without what your position may not see."""

    table: str
    book: str
    title: str
    """Of the book."""
    table_title: str
    """What pages call the table: its name until somebody gives it a title."""
    opening: int
    version: int
    phase: Phase
    settings: Settings | None
    seats: dict[int, str]
    behind: dict[str, tuple[int, ...]]
    shoe: ShoeView | None
    standing_squeezes: tuple[Side, ...]
    """Hands whose squeeze the house grants at once, until the shoe ends or by the table's settings."""
    carried: tuple[str | None, ...]
    """Cards that were drawn too early. They are dealt next."""
    round: RoundView | None
    marks: tuple[str, ...]
    """Results of this shoe so far, in the notation that ``punto roads`` reads."""
    due: Due | None
    situation: SituationKind = SituationKind.CLOSED
    """What is going on."""
    last_round: LastRound | None = None
    """Between rounds, what became of the last one."""
    waits_for: Then = Then.NOTHING
    """What comes next."""
    stopped: bool = False
    """No card is dealt: the order of the shoe is not the one that was sealed, or the random generator has failed."""
    gaming_stopped: bool = False
    """Somebody has stopped all gaming, or this game: the round in play ends, and none is called after it."""
    waits_for_dealer: bool = False
    """The server was away during the round: cards and settlement wait until the dealer has confirmed the table."""
    restart: RestartView | UnsetType = UNSET
    """When the server was away, while ``waits_for_dealer``. Only sent to staff and auditors."""
    balances: dict[str, int] | UnsetType = UNSET
    """Only sent to staff and auditors."""
    names: dict[str, str] | UnsetType = UNSET
    """Names of the registered players in this view, by id. Only sent to staff and auditors."""
    known_first: KnownFirst | UnsetType = UNSET
    """Before betting opens, if the next round starts with cards carried over face up. Only sent to pit supervisors and
    above."""
    pit_call: PitCallView | UnsetType = UNSET
    """Only sent to staff and auditors."""
    slips: tuple[SlipView, ...] | UnsetType = UNSET
    """Open fills and credits, if there are any. Only sent to staff and auditors."""


class Me(Message, frozen=True):
    """What a table shows only to you: your chips, your boxes and your adjustments."""

    name: str
    position: Position
    chips_minor: int
    boxes: tuple[int, ...]
    """Boxes where you sit."""
    behind: tuple[int, ...]
    """Boxes that you stand behind."""
    away: bool
    adjustments: tuple[Adjusted, ...] = ()
    """Amounts that rulings have moved to or from you since the last call for bets."""


class TableSnapshot(Message, frozen=True):
    """The state of a table and, if you are signed in, what it shows only to you."""

    state: TableView
    me: Me | None
