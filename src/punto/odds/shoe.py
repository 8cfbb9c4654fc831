"""What is left in a shoe: how many cards of each rank. Suits decide nothing, but a shoe holds only so many of each."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from punto.odds.procedure import LARGEST_ROUND
from punto.rules.coup.cards import FACE_DOWN, RANKS, SUITS, Card, not_a_card, read_cards
from punto.rules.coup.table_of_play import POINTS, TableOfPlay
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


class Composition(Struct, frozen=True):
    """The cards that may still come, by rank in the order of ``RANKS``: pairs ask for ranks, points for values."""

    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be counted."""
        if len(self.ranks) != len(RANKS) or any(type(left) is not int or left < 0 for left in self.ranks):
            raise Refused(Code.WRONG_TYPE, variant="composition", count=len(RANKS), ranks=RANKS)

    @property
    def cards(self) -> int:
        """How many cards are left."""
        return sum(self.ranks)

    def values(self, play: TableOfPlay) -> list[int]:
        """How many cards are left of each value, from 0 to 9."""
        left = [0] * len(POINTS)
        for rank, count in zip(RANKS, self.ranks, strict=True):
            left[play.values[rank]] += count
        return left

    def less(self, rank: str) -> "Composition":
        """The composition with one card of that rank fewer."""
        at = RANKS.index(rank)
        return Composition((*self.ranks[:at], self.ranks[at] - 1, *self.ranks[at + 1 :]))


def full_shoe(book: Rulebook, decks: int | None = None) -> Composition:
    """A fresh shoe of so many decks, the book's most if not said."""
    return Composition((book.require_decks(decks) * len(SUITS),) * len(RANKS))


def shoe_without(book: Rulebook, decks: int | None, removed: Iterable[Card]) -> Composition:
    """A shoe from which these cards are gone; refused where it did not hold them."""
    decks = book.require_decks(decks)
    gone = _held(book, decks, removed)
    return Composition(tuple(decks * len(SUITS) - gone[rank] for rank in RANKS))


def shoe_of(book: Rulebook, decks: int | None, left: Iterable[Card]) -> Composition:
    """A shoe in which only these cards are left; refused where it cannot hold them."""
    held = _held(book, book.require_decks(decks), left)
    return Composition(tuple(held[rank] for rank in RANKS))


def _held(book: Rulebook, decks: int, cards: Iterable[Card]) -> Counter[str]:
    """The cards by rank, each at most as often as the shoe holds it."""
    ranks: Counter[str] = Counter()
    for card, copies in Counter(cards).items():
        if copies > decks:
            raise Refused(
                Code.TOO_MANY_COPIES,
                variant="named",
                topic=Topic.DECKS,
                clauses=book.topics[Topic.DECKS],
                card=card,
                copies=copies,
                decks=decks,
            )
        ranks[card.rank] += copies
    return ranks


def read_known_cards(text: str) -> list[Card]:
    """Cards written with spaces between; each has been seen, so none lies face down."""
    cards = []
    for card in read_cards(text):
        if card is None:
            raise not_a_card(FACE_DOWN)
        cards.append(card)
    return cards


def require_round(book: Rulebook, composition: Composition) -> None:
    """Refuse a composition with which a round may run out of cards."""
    if composition.cards < LARGEST_ROUND:
        raise Refused(
            Code.TOO_FEW_CARDS,
            variant="shoe",
            topic=Topic.SHOE_RUN_OUT,
            clauses=book.topics[Topic.SHOE_RUN_OUT],
            most=LARGEST_ROUND,
            cards=composition.cards,
        )
