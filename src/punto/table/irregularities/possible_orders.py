"""The orders in which cards in doubt can have been drawn."""

from collections.abc import Iterator
from enum import Enum, auto
from itertools import permutations

from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import To
from punto.rules.rulebook import Rulebook
from punto.table.decision import coup_of, this_round
from punto.table.records.state import Table

MAX_COMPARED = 6
"""With more cards in doubt the orders are not compared, and a supervisor rules."""

Order = tuple[int, ...]
"""The places of the cards in doubt, in the order drawn."""


class Possible(Enum):
    """What the lawful orders of the cards in doubt have in common."""

    NO_LAWFUL_ORDER = auto()
    SAME_RESULT = auto()
    SAME_COUP = auto()
    """They differ only in the cards left for the next round."""
    DIFFERENT_COUPS = auto()


def compare_orders(book: Rulebook, table: Table, places: Order) -> Possible:
    """Compare the results of all lawful orders of the cards at these places, which are sorted."""
    if len(places) > MAX_COMPARED:
        finished = coup_of(book, table).next.to is To.NOBODY
        with_no_hand = min(places) > len(this_round(table).cards)
        return Possible.SAME_COUP if finished and with_no_hand else Possible.DIFFERENT_COUPS
    recorded, coups, left = False, set(), set()
    for order in lawful_orders(book, table, places):
        recorded = recorded or order == places
        coup, cards_left = _result(book, table, order)
        coups.add(coup)
        left.add(cards_left)
        if len(coups) > 1:
            return Possible.DIFFERENT_COUPS
    if not coups:
        return Possible.NO_LAWFUL_ORDER
    if not recorded:
        return Possible.DIFFERENT_COUPS
    return Possible.SAME_RESULT if len(left) == 1 else Possible.SAME_COUP


def one_lies_with_no_hand(table: Table, places: Order) -> bool:
    """At least one of the cards at these places was drawn and not dealt."""
    return max(places) > len(this_round(table).cards)


def lawful_orders(book: Rulebook, table: Table, places: Order) -> Iterator[Order]:
    """The orders in which the Table of Play calls for every dealt card, the recorded order first.

    Of more than ``MAX_COMPARED`` cards only the first ones change places: there are too many orders.
    """
    some, others = places[:MAX_COMPARED], places[MAX_COMPARED:]
    return (order for start in permutations(some) if is_lawful(book, table, order := (*start, *others)))


def is_lawful(book: Rulebook, table: Table, order: Order) -> bool:
    """The Table of Play calls for every dealt card in this order, or can: a card nobody has seen may be any card."""
    cards = [card for card, _ in _reordered(table, order)[: len(this_round(table).cards)]]
    return Coup.of(book.space, tuple(cards)).used == len(cards)


_Drawn = tuple[Face | None, int]
"""A card and its recorded place."""


def _reordered(table: Table, order: Order) -> list[_Drawn]:
    """All cards, including those drawn too early, as the order has them."""
    seen = [*this_round(table).cards, *(carried.card for carried in table.carried)]
    moves = dict(zip(sorted(order), order, strict=True))
    return [(seen[moves.get(place, place) - 1], moves.get(place, place)) for place in range(1, len(seen) + 1)]


def _result(book: Rulebook, table: Table, order: Order) -> tuple[object, object]:
    """What the order decides: both first pairs and the third cards; and the cards left for the next round."""
    drawn = _reordered(table, order)
    coup = Coup.of(book.space, tuple(card for card, _ in drawn))
    values = book.space.card_values
    hands = (_hand(book, drawn[0:4:2]), _hand(book, drawn[1:4:2]))
    thirds: list[object] = []
    for to, (card, recorded) in zip((coup.fifth.to, coup.sixth.to), drawn[4 : coup.used], strict=False):
        thirds.append(_identity(card, recorded) if card is None or to is To.UNKNOWN else values[card])
    return (*hands, *thirds), tuple(_identity(*card) for card in drawn[max(coup.used, 4) :])


def _hand(book: Rulebook, drawn: list[_Drawn]) -> object:
    """The points and the pair of two cards that are face up; otherwise the cards, in any order."""
    ranks = sorted(_identity(card, recorded) for card, recorded in drawn)
    seen = [card for card, _ in drawn if card is not None]
    if len(seen) < 2:
        return tuple(ranks)
    points = sum(book.space.card_values[card] for card in seen) % 10
    return points, ranks[0] if ranks[0] == ranks[1] else None


def _identity(card: Face | None, recorded: int) -> str:
    """The rank of a card. Cards that nobody has seen are told apart by their places."""
    return f"place {recorded}" if card is None else card.rank
