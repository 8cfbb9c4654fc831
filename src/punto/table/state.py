"""A table as it stands. No state holds a card that nobody has seen."""

from enum import StrEnum

from msgspec import Struct

from punto.rules.cards import Card
from punto.rules.insurance import Stage
from punto.rules.refusals import Clause
from punto.rules.table_of_play import Side
from punto.table.ledger import Posting, chips
from punto.table.settings import Settings


class Phase(StrEnum):
    """What a table is doing."""

    CLOSED = "closed"
    READY = "ready"
    """Between rounds."""
    BETTING = "betting"
    DEALING = "dealing"


class Placed(Struct, frozen=True, gc=False):
    """All that one player has on one bet of one box."""

    who: str
    bet: str
    stake_minor: int
    box: int
    seated: bool
    placed_by: str
    """The player himself, or the pit employee who last bet for him."""
    order: int
    """The later a bet was placed, the higher; raised, it keeps its order."""
    played_minor: int | None = None
    """How much of it plays, where that was settled at the close."""
    because: tuple[Clause, ...] = ()


class Covered(Struct, frozen=True, gc=False):
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


BetKey = tuple[str, int, str]
"""Who, box, bet."""


class Round(Struct, frozen=True):
    """A round, from the call for bets until the next one."""

    number: int
    bets: dict[BetKey, Placed] = {}
    cards: tuple[Card | None, ...] = ()
    """By place, in drawn order; None where nobody has seen the card."""
    shoes: tuple[str, ...] = ()
    """By place, the shoe that the card came from."""
    cover: tuple[Covered, ...] = ()
    offered: tuple[Stage, ...] = ()
    """The stages at which insurance was offered."""
    offer_open: bool = False
    offer_side: Side | None = None
    """The side of the last offer."""
    missed: tuple[Stage, ...] = ()
    """The stages at which an observing table let an offer go by."""
    forgone: frozenset[str] = frozenset()
    waived: bool = False
    """Third-card insurance is waived for all."""
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
    """What the settlement moved; None until then."""

    @property
    def settled(self) -> bool:
        """The round is over."""
        return self.paid is not None


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
    round: Round | None = None

    def chips_minor(self, who: str) -> int:
        """The chips a player holds."""
        return self.balances.get(chips(who), 0)


CARD_AT: dict[Card, int] = {card: at for at, card in enumerate(Card)}
"""The place of each card in ``Shoe.seen``."""
