"""Statistics of shuffled shoes with a known distribution, and the rule by which a shuffle counts as unfair.

Each test has a level of 99%: it finds one sample of a fair shuffle in a hundred odd. So an odd sample is drawn again,
and only three odd samples in a row, each from new shuffles, count as unfair. A fair shuffle then fails each of the ten
tests once in a million times, so one of them ten times in a million runs. A biased shuffle is odd every time.

The first six look at one shoe at a time; the last four at one shoe after the other.
"""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import comb, exp, lgamma, log, sqrt
from statistics import NormalDist

from punto.rules.coup.cards import Card

LEVEL = 0.99
STAGES = 3

Shuffle = Callable[[int], tuple[Card, ...]]
"""Makes a shoe of this many decks."""
Test = Callable[[Shuffle], float]
"""Draws its own sample; returns the probability of something at least as odd from a fair shuffle."""

_AT = {card: at for at, card in enumerate(Card)}
ONE_DECK_SHOES = 6_000
EIGHT_DECK_SHOES = 500
COLLECTIONS = 200


def unfair(test: Test, shuffle: Shuffle) -> bool:
    """Odd at each stage, with new shuffles each time."""
    return all(test(shuffle) < 1 - LEVEL for _ in range(STAGES))


def _two_sided(z: float) -> float:
    return 2 * NormalDist().cdf(-abs(z))


def _of_chi_square(found: float, freedom: int) -> float:
    """Wilson and Hilferty: the cube root is nearly normal for thousands of degrees of freedom.

    Two-sided: a fit that is too good is odd as well.
    """
    spread = 2 / (9 * freedom)
    return _two_sided(((found / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def _frequency(shuffle: Shuffle, decks: int, shoes: int) -> float:
    """How often each card comes at each position.

    Over n cards the centred counts have the same variance, shoes * decks / (n - 1), in each of their 51 * (n - 1)
    degrees of freedom.
    """
    cards = 52 * decks
    counts = [[0] * 52 for _ in range(cards)]
    for _ in range(shoes):
        for place, card in zip(counts, shuffle(decks), strict=True):
            place[_AT[card]] += 1
    expected = shoes / 52
    found = sum((count - expected) ** 2 for place in counts for count in place) * (cards - 1) / (shoes * decks)
    return _of_chi_square(found, 51 * (cards - 1))


def frequency_of_one_deck(shuffle: Shuffle) -> float:
    """Each card at each position of a deck."""
    return _frequency(shuffle, 1, ONE_DECK_SHOES)


def frequency_of_eight_decks(shuffle: Shuffle) -> float:
    """Each card at each position of a shoe."""
    return _frequency(shuffle, 8, EIGHT_DECK_SHOES)


def serial_pairs(shuffle: Shuffle) -> float:
    """Which card follows which: two neighbours from each deck, at changing positions, so all are independent."""
    counts = [0] * (52 * 52)
    shoes = 3 * ONE_DECK_SHOES
    for number in range(shoes):
        deck = shuffle(1)
        at = number % 51
        counts[_AT[deck[at]] * 52 + _AT[deck[at + 1]]] += 1
    expected = shoes / (52 * 51)
    found = sum((count - expected) ** 2 for at, count in enumerate(counts) if at // 52 != at % 52) / expected
    return _of_chi_square(found, 52 * 51 - 1)


def serial_correlation(shuffle: Shuffle) -> float:
    """The sum of the products of neighbours in a circle; mean and variance by Wald and Wolfowitz."""
    worth = [at - 25.5 for at in range(52)]
    cards = 52 * 8
    square, fourth = (8 * sum(value**power for value in worth) for power in (2, 4))
    mean = -square / (cards - 1)
    variance = (square**2 - fourth) / (cards - 1) + (square**2 - 2 * fourth) / ((cards - 1) * (cards - 2)) - mean**2
    total = 0.0
    for _ in range(EIGHT_DECK_SHOES):
        values = [worth[_AT[card]] for card in shuffle(8)]
        total += sum(one * other for one, other in zip(values, values[1:] + values[:1], strict=True))
    return _two_sided((total - EIGHT_DECK_SHOES * mean) / sqrt(EIGHT_DECK_SHOES * variance))


def runs_up(shuffle: Shuffle) -> float:
    """Descents of a deck, where an ascending run ends: mean (n - 1) / 2, variance (n + 1) / 12."""
    total = 0
    for _ in range(ONE_DECK_SHOES):
        deck = [_AT[card] for card in shuffle(1)]
        total += sum(one > other for one, other in pairwise(deck))
    return _two_sided((total - ONE_DECK_SHOES * 51 / 2) / sqrt(ONE_DECK_SHOES * 53 / 12))


def runs_of_colour(shuffle: Shuffle) -> float:
    """Runs of red and black cards in a shoe; mean and variance by Wald and Wolfowitz."""
    cards, half = 52 * 8, 26 * 8
    mean = 1 + 2 * half * half / cards
    variance = 2 * half * half * (2 * half * half - cards) / (cards**2 * (cards - 1))
    total = 0
    for _ in range(EIGHT_DECK_SHOES):
        colours = [card.suit in "hd" for card in shuffle(8)]
        total += 1 + sum(one is not other for one, other in pairwise(colours))
    return _two_sided((total - EIGHT_DECK_SHOES * mean) / sqrt(EIGHT_DECK_SHOES * variance))


# ---- from one shoe to the next


def overlaps(shuffle: Shuffle) -> float:
    """How many of the first 13 cards of a deck are among the first 13 of the next: hypergeometric."""
    first, total = 13, 0
    before = {*shuffle(1)[:first]}
    for _ in range(ONE_DECK_SHOES):
        now = {*shuffle(1)[:first]}
        total += len(before & now)
        before = now
    mean = first * first / 52
    variance = mean * (1 - first / 52) * (52 - first) / 51
    return _two_sided((total - ONE_DECK_SHOES * mean) / sqrt(ONE_DECK_SHOES * variance))


def coupon_collector(shuffle: Shuffle) -> float:
    """How many decks it takes until every rank has been on top, again and again."""
    ranks, draws = 13, 0
    for _ in range(COLLECTIONS):
        seen: set[str] = set()
        while len(seen) < ranks:
            seen.add(shuffle(1)[0].rank)
            draws += 1
    mean = ranks * sum(1 / left for left in range(1, ranks + 1))
    variance = ranks**2 * sum(1 / left**2 for left in range(1, ranks + 1)) - mean
    return _two_sided((draws - COLLECTIONS * mean) / sqrt(COLLECTIONS * variance))


def interplay_correlation(shuffle: Shuffle) -> float:
    """Card by card, the sum of the products of a deck and the next one."""
    square = sum((at - 25.5) ** 2 for at in range(52))
    total, before = 0.0, _worths(shuffle(1))
    for _ in range(ONE_DECK_SHOES):
        now = _worths(shuffle(1))
        total += sum(one * other for one, other in zip(before, now, strict=True))
        before = now
    return _two_sided(total / sqrt(ONE_DECK_SHOES * square**2 / 51))


def _worths(deck: tuple[Card, ...]) -> list[float]:
    return [_AT[card] - 25.5 for card in deck]


def duplicates(shuffle: Shuffle) -> float:
    """Pairs of decks that begin with the same three cards: nearly a Poisson distribution."""
    begun = Counter(shuffle(1)[:3] for _ in range(ONE_DECK_SHOES // 2))
    pairs = sum(comb(times, 2) for times in begun.values())
    expected = comb(ONE_DECK_SHOES // 2, 2) / (52 * 51 * 50)
    fewer = sum(_poisson(expected, count) for count in range(pairs))
    same = _poisson(expected, pairs)
    return min(1.0, 2 * min(fewer + same, 1 - fewer))


def _poisson(expected: float, count: int) -> float:
    return exp(count * log(expected) - expected - lgamma(count + 1))


TESTS: tuple[Test, ...] = (
    frequency_of_one_deck,
    frequency_of_eight_decks,
    serial_pairs,
    serial_correlation,
    runs_up,
    runs_of_colour,
    overlaps,
    coupon_collector,
    interplay_correlation,
    duplicates,
)
