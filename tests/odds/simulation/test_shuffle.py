"""Random words and shuffled shoes: published test vectors, a slow second version, and uniform orders."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from punto import book
from punto.odds.simulation.random_streams import fill_words, philox
from punto.odds.simulation.shuffle import (
    RUNS,
    card_codes,
    draw_places,
    fresh_shoe,
    plan,
    rounds_at,
    shuffle_one,
    shuffled_shoe,
    split_words,
)
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import PAIRS, run_index
from tests.lanes import examples
from tests.odds import shoes

pytestmark = pytest.mark.sweep

RULES = book("tiger-buffalo")
CODES = card_codes(RULES.table_of_play)

# counter, key, words: the generator's published test vectors (Random123)
VECTORS = [
    ((0, 0, 0, 0), 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, 2**64 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        0x299F31D0_A4093822,
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), VECTORS)
def test_the_generator_gives_its_published_vectors(
    counter: tuple[int, int, int, int], key: int, words: tuple[int, ...]
) -> None:
    a, b, c, d = (np.uint64(part) for part in counter)
    assert tuple(map(int, philox(a, b, c, d, np.uint64(key)))) == words
    assert shoes.philox(counter, key) == words


@pytest.mark.parametrize(("seed", "shoe"), [(0, 0), (1, 2**32), (2**63, 5), (2**64 - 1, 2**64 - 1)])
def test_a_shoe_has_a_stream_of_its_own_by_all_bits_of_seed_and_number(seed: int, shoe: int) -> None:
    words = np.zeros(16, np.uint32)
    fill_words(words, np.uint64(seed), np.uint64(shoe), np.uint64(0))
    assert words.tolist() == shoes.words_of(seed, shoe, 16)
    near = {shoes.philox((0, n & shoes.LOW, n >> 32, 0), seed) for n in (shoe, shoe ^ 1, shoe ^ 2**32, shoe ^ 2**63)}
    assert len(near) == 4


@pytest.mark.parametrize("decks", [4, 5, 8, 9, 10])
def test_a_shoe_is_shuffled_as_slowly_by_whole_numbers(decks: int) -> None:
    fresh = fresh_shoe(CODES, decks)
    drawn_again = 0
    for shoe in range(40):
        order, again = shoes.order_of(decks, seed=decks, shoe=shoe)
        assert shoes.cards_of(shuffled_shoe(fresh, decks, shoe).tobytes()) == order
        drawn_again += again
    assert drawn_again or decks < 8  # redrawn words are rare in small shoes


def test_the_kernels_say_the_same_as_plain_python() -> None:
    fresh, how = fresh_shoe(CODES, 4), plan(208)
    orders = []
    for plainly in (False, True):
        draw, one, at = draw_places, shuffle_one, rounds_at
        if plainly:
            draw, one, at = draw.py_func, one.py_func, at.py_func  # type: ignore[attr-defined]
        places, cards = np.zeros((1, len(how.bounds)), np.uint16), np.zeros((1, 208), np.uint8)
        hands, rounds = np.zeros(208, np.uint16), np.zeros(208, np.uint16)
        draw(places, 0, np.zeros(len(how.least), np.uint32), how.bounds, how.least, np.uint64(3), np.uint64(4))
        one(cards, places, 0, fresh)
        at(rounds, hands, cards[0])
        orders.append((places.tolist(), cards.tolist(), rounds.tolist()))
    assert orders[0] == orders[1]


@settings(max_examples=examples(60))
@given(st.sampled_from([208, 416, 520]), st.data())
def test_every_choice_comes_from_equally_many_words(cards: int, data: st.DataObject) -> None:
    """For every choice, exactly floor(2**32 / choices) words are accepted."""
    how = plan(cards)
    words = len(how.least)
    at = data.draw(st.integers(0, words - 1))
    bounds = [int(how.bounds[part * words + at]) for part in range(3)]
    choices = bounds[0] * bounds[1] * bounds[2]
    choice = data.draw(st.integers(0, choices - 1))
    giving = range(-(-choice * 2**32 // choices), -(-(choice + 1) * 2**32 // choices))
    assume(len(giving) < 5000)  # the last words of a shoe have few choices, with very many words for each
    tried, places = np.zeros(words, np.uint32), np.zeros((1, 3 * words), np.uint16)
    usable = 0
    for word in giving:
        tried[at] = word
        split_words(places, 0, tried, how.bounds)
        found = [int(places[0, part * words + at]) - part * words - at for part in range(3)]
        assert (found[0] * bounds[1] + found[1]) * bounds[2] + found[2] == choice
        usable += int(tried[at] >= how.least[at])
    assert usable == 2**32 // choices


def test_a_shuffled_shoe_holds_the_cards_of_its_decks() -> None:
    fresh = fresh_shoe(CODES, 6)
    order = shuffled_shoe(fresh, 9, 1)
    assert Counter(order.tolist()) == dict.fromkeys(CODES, 24)
    assert order.tolist() != fresh.tolist()
    assert shuffled_shoe(fresh, 9, 1).tolist() == order.tolist()
    assert len({shuffled_shoe(fresh, seed, shoe).tobytes() for seed in range(5) for shoe in range(5)}) == 25


@pytest.mark.parametrize("place", [0, 1, 2, 70, 138, 139, 140, 206, 207])
def test_every_rank_is_equally_likely_at_every_place_and_after_every_rank(place: int) -> None:
    """Chi-squared with 12 and 168 degrees of freedom, each within five standard deviations of its mean."""
    fresh, number = fresh_shoe(CODES, 4), 6000
    orders = np.stack([shuffled_shoe(fresh, 77, shoe) for shoe in range(number)]) >> 4
    seen = np.bincount(orders[:, place], minlength=13)
    assert abs(((seen - number / 13) ** 2 / (number / 13)).sum() - 12) < 5 * 24**0.5
    pairs = np.bincount(orders[:, place].astype(int) * 13 + orders[:, (place + 70) % 208], minlength=169)
    expected = np.full((13, 13), 16 * 16 / (208 * 207) * number)
    np.fill_diagonal(expected, 16 * 15 / (208 * 207) * number)
    assert abs(((pairs - expected.reshape(-1)) ** 2 / expected.reshape(-1)).sum() - 168) < 5 * 336**0.5


@pytest.mark.parametrize("decks", [4, 9])
def test_the_round_at_every_place_is_the_one_the_rules_deal(decks: int) -> None:
    fresh = fresh_shoe(CODES, decks)
    hands, rounds = np.zeros(len(fresh), np.uint16), np.zeros(len(fresh), np.uint16)
    patterns = set()
    for shoe in range(12):
        order = shuffled_shoe(fresh, 5, shoe)
        rounds_at(rounds, hands, order)
        cards = shoes.cards_of(order.tobytes())
        for at in range(len(order) - 5):
            coup = Coup.of(RULES.space, tuple(cards[at : at + 6]))
            pattern = PAIRS.index(coup.outcome.pairs)
            assert rounds[at] == run_index(coup.partial) + RUNS * pattern
            patterns.add(pattern)
    assert patterns == set(range(len(PAIRS)))


def test_a_card_is_its_rank_and_its_value() -> None:
    assert [code >> 4 for code in CODES] == list(range(len(RANKS)))
    assert [code & 15 for code in CODES] == [RULES.table_of_play.values[rank] for rank in RANKS]
