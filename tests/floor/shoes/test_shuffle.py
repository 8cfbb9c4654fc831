"""The shuffle is uniform over all orders, and biased shuffles are detected."""

import secrets
from collections import Counter, deque
from collections.abc import Iterator

import pytest

from punto.floor.shoes import sealed, shuffle
from punto.rules.coup.cards import Card
from tests.floor.shoes.shuffle_statistics import LEVEL, TESTS, Shuffle, Test, frequency_of_one_deck, unfair

pytestmark = pytest.mark.sweep

NAMES = [test.__name__ for test in TESTS]


@pytest.mark.parametrize("test", TESTS, ids=NAMES)
def test_the_virtual_shuffler_is_fair(test: Test) -> None:
    assert not unfair(test, lambda decks: sealed.virtual_shoe("any", decks).cards)


def _seeded() -> Shuffle:
    names = (f"shoe {number}" for number in range(10**9))
    return lambda decks: sealed.seeded_shoe(next(names), decks, "a seed").cards


@pytest.mark.parametrize("test", [frequency_of_one_deck], ids=lambda test: test.__name__)
def test_the_seeded_shuffler_is_fair_too(test: Test) -> None:
    """With a fixed seed, so the result never changes."""
    assert test(_seeded()) > 1 - LEVEL


def test_every_card_has_a_choice_of_all_places_that_are_left() -> None:
    """Fisher and Yates: as many choices as orders, each used once, each uniform below its bound."""
    bounds = []

    def below(bound: int) -> int:
        bounds.append(bound)
        return 0

    shuffle.shuffled(8, below)
    assert bounds == list(range(416, 1, -1))


def test_different_choices_make_different_orders() -> None:
    """The last four cards in all 4 * 3 * 2 * 1 ways: 24 choices, 24 orders."""
    orders = set()
    for third in range(4):
        for second in range(3):
            for first in range(2):
                left = iter([third, second, first])
                choices = Counter[str]()

                def below(bound: int, left: Iterator[int] = left, choices: Counter[str] = choices) -> int:
                    choices["all"] += 1
                    return bound - 1 if bound > 4 else next(left)

                orders.add(shuffle.shuffled(1, below))
                assert choices["all"] == 51
    assert len(orders) == 24


# ---- shuffles that are not fair


def _deck(decks: int) -> list[Card]:
    return [card for card in Card for _ in range(decks)]


def swap_with_any(decks: int) -> tuple[Card, ...]:
    """The classic mistake: every card is swapped with any card."""
    cards = _deck(decks)
    for at in range(len(cards)):
        other = secrets.randbelow(len(cards))
        cards[at], cards[other] = cards[other], cards[at]
    return tuple(cards)


def never_stays(decks: int) -> tuple[Card, ...]:
    """The other classic: no card may stay where it is."""
    cards = _deck(decks)
    for last in range(len(cards) - 1, 0, -1):
        other = secrets.randbelow(last)
        cards[last], cards[other] = cards[other], cards[last]
    return tuple(cards)


def by_remainder(decks: int) -> tuple[Card, ...]:
    """A random byte by remainder: small numbers are more likely."""
    return shuffle.shuffled(decks, lambda bound: secrets.randbelow(256) % bound)


def one_riffle(decks: int) -> tuple[Card, ...]:
    """A fair shuffle, then sorted within neighbours: nearby cards stay together."""
    cards = list(shuffle.shuffled(decks, secrets.randbelow))
    order = {card: at for at, card in enumerate(Card)}
    return tuple(card for at in range(0, len(cards), 4) for card in sorted(cards[at : at + 4], key=order.__getitem__))


def cut_only(decks: int) -> tuple[Card, ...]:
    """Only a cut: each card is fair at each position, but its neighbours never change."""
    cards = _deck(decks)
    at = secrets.randbelow(len(cards))
    return tuple(cards[at:] + cards[:at])


_LAST: dict[int, list[Card]] = {}


def from_the_last(decks: int) -> tuple[Card, ...]:
    """The last order, with too few swaps: each order is fair in the long run, but not after the one before."""
    cards = _LAST.setdefault(decks, list(shuffle.shuffled(decks, secrets.randbelow)))
    for _ in range(len(cards) // 2):
        one, other = secrets.randbelow(len(cards)), secrets.randbelow(len(cards))
        cards[one], cards[other] = cards[other], cards[one]
    return tuple(cards)


_TOPS: deque[str] = deque(maxlen=6)


def never_the_same_top(decks: int) -> tuple[Card, ...]:
    """What was on top in the last six shoes is not on top again."""
    cards = shuffle.shuffled(decks, secrets.randbelow)
    while cards[0].rank in _TOPS:
        cards = shuffle.shuffled(decks, secrets.randbelow)
    _TOPS.append(cards[0].rank)
    return cards


def few_seeds(decks: int) -> tuple[Card, ...]:
    """A fair shuffle from a seed of ten bits: there are no more orders than seeds."""
    return shuffle.shuffled(decks, shuffle.SeededNumbers(secrets.randbelow(1024).to_bytes(2)).below)


CATCHES = {
    swap_with_any: {"frequency_of_one_deck"},
    never_stays: {"frequency_of_one_deck"},
    by_remainder: {"frequency_of_eight_decks"},
    one_riffle: {"runs_up"},
    cut_only: {"serial_pairs", "serial_correlation", "runs_up", "runs_of_colour"},
    from_the_last: {"overlaps", "interplay_correlation"},
    never_the_same_top: {"coupon_collector"},
    few_seeds: {"duplicates"},
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("shuffle", "test"),
    [(shuffle, test) for shuffle, names in CATCHES.items() for test in TESTS if test.__name__ in names],
    ids=lambda part: part.__name__,
)
def test_a_biased_shuffle_is_caught(shuffle: Shuffle, test: Test) -> None:
    assert unfair(test, shuffle)


def test_every_test_catches_something() -> None:
    assert set().union(*CATCHES.values()) == set(NAMES)
