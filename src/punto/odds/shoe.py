"""The cards left in a shoe: by rank, and by suit too where a bet of the book depends on suits."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from punto.odds.procedure import LARGEST_ROUND
from punto.rules.coup.cards import CARDS, FACE_DOWN, RANKS, SUITS, Card, not_a_card, read_cards
from punto.rules.coup.table_of_play import POINTS, TableOfPlay
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


class Composition(Struct, frozen=True):
    """Number of cards left of each rank, in the order of ``RANKS``. Pairs depend on ranks, points on values."""

    ranks: tuple[int, ...]
    suited: tuple[int, ...] = ()
    """Number of cards left of each of the 52, in the order of ``Card``; empty where no bet depends on suits."""

    def __post_init__(self) -> None:
        if len(self.ranks) != len(RANKS) or any(type(left) is not int or left < 0 for left in self.ranks):
            raise Refused(Code.WRONG_TYPE, variant="composition", count=len(RANKS), ranks=RANKS)

    @property
    def cards(self) -> int:
        """Number of cards left."""
        return sum(self.ranks)

    def by_card(self, *, suits_matter: bool = True) -> dict[Card, int]:
        """Number of cards left of each of the 52. Refused if only the ranks are known and have uneven suits.

        If suits do not matter, all cards of a rank can be counted under one of them.
        """
        if self.suited:
            return dict(zip(Card, self.suited, strict=True))
        if not suits_matter:
            return {CARDS[rank + SUITS[0]]: left for rank, left in zip(RANKS, self.ranks, strict=True)}
        if any(left % len(SUITS) for left in self.ranks):
            raise Refused(Code.SUITS_NEEDED, variant="shoe")
        return {card: self.ranks[RANKS.index(card.rank)] // len(SUITS) for card in Card}

    def values(self, play: TableOfPlay) -> list[int]:
        """Number of cards left of each value, 0 to 9."""
        left = [0] * len(POINTS)
        for rank, count in zip(RANKS, self.ranks, strict=True):
            left[play.values[rank]] += count
        return left

    def less(self, rank: str) -> "Composition":
        """The composition with one card of that rank fewer. It does not know of which suit the others are."""
        at = RANKS.index(rank)
        return Composition((*self.ranks[:at], self.ranks[at] - 1, *self.ranks[at + 1 :]))

    def less_card(self, card: Card) -> "Composition":
        """The composition with that card fewer."""
        suited = self.by_card()
        suited[card] -= 1
        return Composition(self.less(card.rank).ranks, tuple(suited.values()))


def full_shoe(book: Rulebook, decks: int | None = None) -> Composition:
    """A full shoe. ``decks`` defaults to the most the book allows."""
    return Composition((book.require_decks(decks) * len(SUITS),) * len(RANKS))


def shoe_without(book: Rulebook, decks: int | None, removed: Iterable[Card]) -> Composition:
    """A shoe without these cards. Refused if a full shoe does not contain them."""
    decks = book.require_decks(decks)
    gone = _counted(book, decks, removed)
    by_rank, by_card = _by_rank(gone), tuple(decks - gone[card] for card in Card)
    return Composition(tuple(decks * len(SUITS) - by_rank[rank] for rank in RANKS), _suited(book, by_card))


def shoe_of(book: Rulebook, decks: int | None, left: Iterable[Card]) -> Composition:
    """A shoe with only these cards left. Refused if a full shoe does not contain them."""
    counted = _counted(book, book.require_decks(decks), left)
    by_rank = _by_rank(counted)
    return Composition(tuple(by_rank[rank] for rank in RANKS), _suited(book, tuple(counted[card] for card in Card)))


def _counted(book: Rulebook, decks: int, cards: Iterable[Card]) -> Counter[Card]:
    """Count the cards. Refused if a card occurs more often than there are decks."""
    counted = Counter(cards)
    for card, copies in counted.items():
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
    return counted


def _by_rank(counted: Counter[Card]) -> Counter[str]:
    ranks: Counter[str] = Counter()
    for card, copies in counted.items():
        ranks[card.rank] += copies
    return ranks


def _suited(book: Rulebook, by_card: tuple[int, ...]) -> tuple[int, ...]:
    """The cards left of each of the 52, if the book has a bet that depends on suits."""
    return by_card if book.needs_suits(book.bets) else ()


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
