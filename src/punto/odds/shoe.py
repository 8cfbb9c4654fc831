"""The cards left in a shoe, by rank. Suits do not affect odds, but limit how often a card can have been drawn."""

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
    """Number of cards left of each rank, in the order of ``RANKS``. Pairs depend on ranks, points on values."""

    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.ranks) != len(RANKS) or any(type(left) is not int or left < 0 for left in self.ranks):
            raise Refused(Code.WRONG_TYPE, variant="composition", count=len(RANKS), ranks=RANKS)

    @property
    def cards(self) -> int:
        """Number of cards left."""
        return sum(self.ranks)

    def values(self, play: TableOfPlay) -> list[int]:
        """Number of cards left of each value, 0 to 9."""
        left = [0] * len(POINTS)
        for rank, count in zip(RANKS, self.ranks, strict=True):
            left[play.values[rank]] += count
        return left

    def less(self, rank: str) -> "Composition":
        """The composition with one card of that rank fewer."""
        at = RANKS.index(rank)
        return Composition((*self.ranks[:at], self.ranks[at] - 1, *self.ranks[at + 1 :]))


def full_shoe(book: Rulebook, decks: int | None = None) -> Composition:
    """A full shoe. ``decks`` defaults to the most the book allows."""
    return Composition((book.require_decks(decks) * len(SUITS),) * len(RANKS))


def shoe_without(book: Rulebook, decks: int | None, removed: Iterable[Card]) -> Composition:
    """A shoe without these cards. Refused if a full shoe does not contain them."""
    decks = book.require_decks(decks)
    gone = _by_rank(book, decks, removed)
    return Composition(tuple(decks * len(SUITS) - gone[rank] for rank in RANKS))


def shoe_of(book: Rulebook, decks: int | None, left: Iterable[Card]) -> Composition:
    """A shoe with only these cards left. Refused if a full shoe does not contain them."""
    by_rank = _by_rank(book, book.require_decks(decks), left)
    return Composition(tuple(by_rank[rank] for rank in RANKS))


def _by_rank(book: Rulebook, decks: int, cards: Iterable[Card]) -> Counter[str]:
    """Count the cards by rank. Refused if a card occurs more often than there are decks."""
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
    """Read cards separated by spaces. Refused if one is face down."""
    cards = []
    for card in read_cards(text):
        if card is None:
            raise not_a_card(FACE_DOWN)
        cards.append(card)
    return cards


def require_round(book: Rulebook, composition: Composition) -> None:
    """Refuse a composition too small for a round of six cards."""
    if composition.cards < LARGEST_ROUND:
        raise Refused(
            Code.TOO_FEW_CARDS,
            variant="shoe",
            topic=Topic.SHOE_RUN_OUT,
            clauses=book.topics[Topic.SHOE_RUN_OUT],
            most=LARGEST_ROUND,
            cards=composition.cards,
        )
