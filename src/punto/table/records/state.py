"""A table as it stands. No state holds a card that nobody has seen."""

from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.bets.insurance import Stage, insurance_name
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.events import SettledBet
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.ledger import Posting, chips
from punto.table.records.settings import Settings


class Phase(StrEnum):
    """What a table is doing."""

    CLOSED = "closed"
    READY = "ready"
    """Between rounds."""
    BETTING = "betting"
    DEALING = "dealing"


BetKey = tuple[str, int, str]
"""Who, box, bet."""


class PlacedBet(Struct, frozen=True, gc=False):
    """All that one player has on one bet of one box."""

    who: str
    bet: str
    stake_minor: int
    box: int
    seated: bool
    placed_by: str
    """The player, or the pit employee who last bet for them."""
    order: int
    """The later a bet was placed, the higher; raised, it keeps its order."""
    played_minor: int | None = None
    """How much of it plays, where that was settled at the close."""
    because: tuple[Clause, ...] = ()


class TakenInsurance(Struct, frozen=True, gc=False):
    """Insurance that a player has taken."""

    who: str
    side: Side
    stage: Stage
    player: int
    banker: int
    """The points it was taken on: they name its line in the book, whatever becomes of the cards."""
    stake_minor: int
    box: int
    placed_by: str

    @property
    def bet(self) -> str:
        """Its name among the bets of the round."""
        return insurance_name(self.side)

    @property
    def key(self) -> BetKey:
        """Who, box and bet; insurance taken at two stages has the same."""
        return self.who, self.box, self.bet


class Raised(Struct, frozen=True, gc=False):
    """Something that the table itself has seen to be wrong."""

    kind: Irregularity
    report: str
    """The command that sees to it."""
    card: Card | None = None
    """The card it was seen by, if anybody has seen that."""


class Missed(Struct, frozen=True, gc=False):
    """An offer of insurance that went by; the points it was due on name its line."""

    stage: Stage
    side: Side
    player: int | None
    banker: int | None
    """None where an old journal does not say: then the cards of the round do."""


class Options(Struct, frozen=True):
    """The players' options after a dealing error, while somebody has yet to choose."""

    kind: Irregularity
    reconstructable: bool
    asked: tuple[str, ...]
    """Who has yet to choose."""


class Carried(Struct, frozen=True, gc=False):
    """A card that was drawn before its time and is dealt next; None where nobody has seen it."""

    card: Card | None
    shoe: str
    draw: int
    """Position in the shoe, counted from 0."""
    drawn_in: int | None = None
    """The number of the round it was drawn in; None where it was drawn between rounds."""


class Shoe(Struct, frozen=True):
    """What is known of the shoe: not its order, but what has been seen of it."""

    id: str
    decks: int
    seen: bytes = bytes(52)
    """How often each card has been seen, in the order of the cards' enumeration."""
    drawn: int = 0
    cut_card_out: bool = False
    rounds_since: int = 0
    """Rounds begun since the cut card came out."""

    @property
    def left(self) -> int:
        """How many cards it still holds."""
        return self.decks * 52 - self.drawn


class RoundInsurance(Struct, frozen=True):
    """Insurance in a round: what was offered, taken, missed and given up."""

    cover: tuple[TakenInsurance, ...] = ()
    offered: tuple[Stage, ...] = ()
    """The stages at which insurance was offered."""
    offer_open: bool = False
    offer_side: Side | None = None
    """The side of the last offer."""
    offer_late: bool = False
    """The last offer made up for one that was missed."""
    missed: tuple[Missed, ...] = ()
    """Offers that were due, went by, and have not been made up for."""
    made_good: frozenset[BetKey] = frozenset()
    """Bets that went back because insurance was not offered."""
    forgone: frozenset[str] = frozenset()
    """Players who may take no more insurance in this round."""
    waived: bool = False
    """Third-card insurance is waived for all."""


class RoundIrregularities(Struct, frozen=True):
    """What went wrong in a round, and what has been done about it."""

    raised: Raised | None = None
    order_lost: tuple[int, ...] = ()
    """Places whose cards came in an order that nobody knows."""
    lost_at_once: bool = False
    """The lost order is that of cards drawn at once, not of a hand."""
    simultaneous: bool = False
    """Cards were drawn at once in this round."""
    options: Options | None = None
    choices: dict[str, Choice] = {}
    """What each player chose last."""
    void: Irregularity | None = None
    """The ground on which the round is void."""
    replaced: tuple[Shoe, ...] = ()
    """Shoes taken off the table and replaced by another during the round."""

    def asks(self, who: str) -> bool:
        """Whether a player has yet to choose."""
        return self.options is not None and who in self.options.asked


class Round(Struct, frozen=True):
    """A round, from the call for bets until the next one."""

    number: int
    bets: dict[BetKey, PlacedBet] = {}
    cards: tuple[Card | None, ...] = ()
    """By place, in drawn order; None where nobody has seen the card."""
    shoes: tuple[str, ...] = ()
    """By place, the shoe that the card came from."""
    draws: tuple[int, ...] = ()
    """By place, the card's position in its shoe, counted from 0."""
    asked: dict[Side, str] = {}
    """Who has asked to squeeze which hand."""
    accepted: dict[Side, str] = {}
    """Who accepts which hand."""
    squeezed: frozenset[int] = frozenset()
    """Places whose cards their squeezers have opened."""
    away: frozenset[str] = frozenset()
    """Who walked away during the round."""
    orders: int = 0
    last: bool = False
    """Announced as the last round of the shoe."""
    paid: tuple[Posting, ...] | None = None
    """What the settlement moved, and what was put right since; None until then."""
    results: tuple[SettledBet, ...] = ()
    insurance: RoundInsurance = RoundInsurance()
    irregularities: RoundIrregularities = RoundIrregularities()

    @property
    def settled(self) -> bool:
        """The round is settled, and not void."""
        return self.paid is not None and self.irregularities.void is None

    @property
    def over(self) -> bool:
        """The round is settled or void."""
        return self.paid is not None or self.irregularities.void is not None


class Table(Struct, frozen=True):
    """A table."""

    phase: Phase = Phase.CLOSED
    book: str = ""
    law_hash: str = ""
    settings: Settings | None = None
    balances: dict[str, int] = {}
    """What every account holds: the players' chips, the felt, the float, the commission."""
    seats: dict[int, str] = {}
    behind: dict[str, frozenset[int]] = {}
    """Behind which boxes a person stands."""
    people: frozenset[str] = frozenset()
    shoe: Shoe | None = None
    next_shoe: Shoe | None = None
    """Takes the place of the shoe when the round is over."""
    carried: tuple[Carried, ...] = ()
    """Drawn before their time: the next cards to be dealt, in this round or the one after it."""
    round: Round | None = None

    def chips_minor(self, who: str) -> int:
        """The chips a player holds."""
        return self.balances.get(chips(who), 0)


def with_insurance(now: Round, **changes: Any) -> Round:
    """The round with fields of its insurance changed."""
    return replace(now, insurance=replace(now.insurance, **changes))


def with_irregularities(now: Round, **changes: Any) -> Round:
    """The round with fields of its irregularities changed."""
    return replace(now, irregularities=replace(now.irregularities, **changes))


def stakes(now: Round) -> list[tuple[str, int]]:
    """Whose and how much each bet and each insurance of the round is."""
    bets = [(placed.who, placed.stake_minor) for placed in now.bets.values()]
    return bets + [(covered.who, covered.stake_minor) for covered in now.insurance.cover]


def bettors(now: Round) -> set[str]:
    """Who has a bet in the round, or insurance alone."""
    return {who for who, _ in stakes(now)}


def lying(now: Round) -> list[Carried]:
    """The cards that lie at the places of a round."""
    return [Carried(*place, now.number) for place in zip(now.cards, now.shoes, now.draws, strict=True)]


CARD_AT: dict[Card, int] = {card: at for at, card in enumerate(Card)}
"""The place of each card in ``Shoe.seen``."""
