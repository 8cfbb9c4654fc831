"""Rounds without bets that use up a shoe to a given number of cards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from punto.rules.coup.cards import Card, write_cards
from punto.rules.coup.table_of_play import To
from punto.rules.rulebook import Rulebook


def rounds_down_to(book: Rulebook, left: int, of: int, decks: int, kept: Sequence[Card]) -> Iterator[str]:
    """Rounds of five and six cards that leave ``left`` of ``of`` cards in the shoe, including the ``kept`` ones."""
    pool = Counter(dict.fromkeys(Card, decks))
    pool.subtract(kept)
    rounds, sixes = divmod(of - left, 5)
    if not 0 <= sixes <= rounds:
        raise ValueError(f"no rounds of five and six cards leave {left} of {of}")
    for number in range(rounds):
        cards = _round_of(book, 6 if number < sixes else 5, pool)
        pool.subtract(cards)
        yield f"dora plays {write_cards(cards)}"


def _round_of(book: Rulebook, size: int, pool: Counter[Card]) -> tuple[Card, ...]:
    """A round of ``size`` cards, preferring the most frequent cards of the pool."""
    plenty = [card for card, copies in pool.most_common() if copies > 0]
    for four in product(plenty, repeat=4):
        coup = book.coup(write_cards(four))
        if coup.fifth.to is To.NOBODY or Counter(four) - pool:
            continue
        fifths = [card for card in plenty if coup.draw(card).finished is (size == 5)]
        for more in product(fifths, *[plenty] * (size - 5)):
            if not Counter((*four, *more)) - pool:
                return (*four, *more)
    raise ValueError(f"no round of {size} cards is left in the pool")
