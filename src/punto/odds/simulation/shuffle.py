"""Shuffled shoes, each a function of seed and number, and what round would begin at each place of one.

A card is one byte: the place of its rank in ``RANKS``, times sixteen, plus its value.

The whole shoe is shuffled by Fisher and Yates's method: step s swaps the card at s with one of those from s on. Drawing
the steps' places is apart from swapping, so that it becomes vector instructions. One word of 32 bits gives three of
them. Let the steps' bounds be x, y and z and B = xyz; then word * B = X * 2**32 + rest, and the digits of X to the
mixed base x, y, z are the three numbers. Each X comes from floor(2**32 / B) words, and from one more in some cases:
those are exactly the words whose rest is below 2**32 mod B. They are thrown away and drawn again, so that all
orders of a shoe are equally likely, not nearly so. The steps that share a word lie a third of the shoe apart, which
keeps B small, and so few words are thrown away.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from punto.odds.compiling import compiled
from punto.odds.simulation.random_streams import BLOCK, Words, fill_words, word_again
from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.coup.table_of_play import TableOfPlay

CardBytes = npt.NDArray[np.uint8]
StepBounds = npt.NDArray[np.uint32]
Places = npt.NDArray[np.uint16]
Rounds = npt.NDArray[np.uint16]

STEPS_A_WORD: Final = 3
WORDS_AT_ONCE: Final = 4 * BLOCK
"""No odd words are left over by vector instructions."""
_HALF = np.uint64(32)
_VALUE = np.uint8(15)
_NOTHING, _PAIR, _BANKER_PAIR, _TWIN = np.uint16(0), np.uint16(1000), np.uint16(19_000), np.uint16(10_000)

RUNS: Final = 10_000
"""How many runs there are."""


class Plan(NamedTuple):
    """How words become the places of a shuffle, for one number of cards."""

    bounds: StepBounds
    """By step: how many cards there are to choose from."""
    least: StepBounds
    """By word: the least rest with which it can be used."""


def plan(cards: int) -> Plan:
    """The plan for a shoe of so many cards. The last words may have steps beyond the shoe, with nothing to choose."""
    words = -(-cards // STEPS_A_WORD)
    words += -words % WORDS_AT_ONCE
    steps = np.arange(STEPS_A_WORD * words).reshape(STEPS_A_WORD, words)
    bounds = np.maximum(cards - steps, 1)
    return Plan(bounds.astype(np.uint32).reshape(-1), (2**32 % bounds.prod(axis=0)).astype(np.uint32))


def card_codes(play: TableOfPlay) -> bytes:
    """The byte of each rank, in the order of ``RANKS``."""
    return bytes(at << 4 | play.values[rank] for at, rank in enumerate(RANKS))


def fresh_shoe(codes: bytes, decks: int) -> CardBytes:
    """All cards of so many decks, in the order of their ranks."""
    return np.repeat(np.frombuffer(codes, np.uint8), decks * len(SUITS))


def shuffled_shoe(fresh: CardBytes, seed: int, shoe: int) -> CardBytes:
    """The cards in the order of that seed's shoe of that number. The first is dealt first."""
    how = plan(len(fresh))
    places = np.zeros((1, len(how.bounds)), np.uint16)
    words = np.zeros(len(how.least), np.uint32)
    cards = np.zeros((1, len(fresh)), np.uint8)
    draw_places(places, 0, words, how.bounds, how.least, np.uint64(seed), np.uint64(shoe))
    shuffle_one(cards, places, 0, fresh)
    order: CardBytes = cards[0]
    return order


# The drawing kernels take all lanes and the number of one, so that each is called in one place and compiled into it:
# called for each lane by itself, with a view of it, all of them together take half as long again.


@compiled
def draw_places(
    places: Places,
    lane: int,
    words: Words,
    bounds: StepBounds,
    least: StepBounds,
    seed: np.uint64,
    shoe: np.uint64,
) -> None:
    """The places of all steps of a lane's shuffle."""
    fill_words(words, seed, shoe, np.uint64(0))
    split_words(places, lane, words, bounds)
    if any_below(words, least):
        draw_again(places, lane, words, bounds, least, seed, shoe)


@compiled
def split_words(places: Places, lane: int, words: Words, bounds: StepBounds) -> None:
    """Three places from each word; the rests are left where the words were."""
    third = len(words)
    for part in range(STEPS_A_WORD):
        first = part * third
        for at in range(third):
            product = np.uint64(words[at]) * np.uint64(bounds[first + at])
            words[at] = np.uint32(product)
            places[lane, first + at] = np.uint32(first + at) + np.uint32(product >> _HALF)


@compiled
def any_below(rests: Words, least: StepBounds) -> bool:
    """Some word cannot be used."""
    found = np.uint32(0)
    for at in range(len(rests)):
        found |= np.uint32(rests[at] < least[at])
    return bool(found)


@compiled
def draw_again(
    places: Places,
    lane: int,
    rests: Words,
    bounds: StepBounds,
    least: StepBounds,
    seed: np.uint64,
    shoe: np.uint64,
) -> None:
    """Draw the places of the words that cannot be used again, until each can be."""
    third, attempt = len(rests), 0
    for at in range(third):
        while rests[at] < least[at]:
            attempt += 1
            rest = word_again(seed, shoe, np.uint64(attempt))
            for step in range(at, STEPS_A_WORD * third, third):
                product = rest * np.uint64(bounds[step])
                rest = np.uint64(np.uint32(product))
                places[lane, step] = np.uint32(step) + np.uint32(product >> _HALF)
            rests[at] = np.uint32(rest)


@compiled
def lay_out(cards: CardBytes, lane: int, fresh: CardBytes) -> None:
    """The cards in their order before the shuffle; a loop, which becomes one copy."""
    for at in range(len(fresh)):
        cards[lane, at] = fresh[at]


@compiled
def shuffle_one(cards: CardBytes, places: Places, lane: int, fresh: CardBytes) -> None:
    """Shuffle the fresh cards into a lane by the places drawn for it."""
    lay_out(cards, lane, fresh)
    for step in range(len(fresh) - 1):
        place = places[lane, step]
        card = cards[lane, place]
        cards[lane, place] = cards[lane, step]
        cards[lane, step] = card


@compiled
def shuffle_two(cards: CardBytes, places: Places, lane: int, fresh: CardBytes) -> None:
    """The same for this lane and the next side by side: neither has to wait for the other."""
    beside = lane + 1
    lay_out(cards, lane, fresh)
    lay_out(cards, beside, fresh)
    for step in range(len(fresh) - 1):
        here, there = places[lane, step], places[beside, step]
        card, other = cards[lane, here], cards[beside, there]
        cards[lane, here] = cards[lane, step]
        cards[beside, there] = cards[beside, step]
        cards[lane, step] = card
        cards[beside, step] = other


@compiled
def rounds_at(rounds: Rounds, hands: Rounds, cards: CardBytes) -> None:
    """For each place of one shoe the round that would begin there: its run, plus 10,000 times its pair pattern.

    Where fewer than six cards are left the number means nothing. To look at every place costs less than to look at some
    of them, one after the other: there is nothing to decide. A hand of two is 100 times its points, plus 1,000
    for a pair. All is cast to 16 bits again and again, or the compiler would take 64 for each.
    """
    for at in range(len(cards) - 2):
        total = np.uint8((cards[at] & _VALUE) + (cards[at + 2] & _VALUE))
        total = np.uint8(total - np.uint8(10)) if total >= 10 else total
        pair = _PAIR if (cards[at] ^ cards[at + 2]) < 16 else _NOTHING
        hands[at] = np.uint16(np.uint16(total) * np.uint16(100)) + pair
    for at in range(len(cards) - 5):
        player, banker = hands[at], hands[at + 1]
        both = np.uint16(np.uint16(player >= _PAIR) & np.uint16(banker >= _PAIR))
        twin = _TWIN if both and (cards[at] ^ cards[at + 1]) < 16 else _NOTHING
        pair = _BANKER_PAIR if banker >= _PAIR else _NOTHING
        fifth, sixth = np.uint16(cards[at + 4] & _VALUE), np.uint16(cards[at + 5] & _VALUE)
        rounds[at] = np.uint16(np.uint16(player * np.uint16(10)) + banker + pair + twin + fifth * np.uint16(10) + sixth)
