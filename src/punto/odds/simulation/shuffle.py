"""Shuffled shoes, each a function of seed and number, and the round that would start at each place of a shoe.

A card is one byte: the index of its rank in ``RANKS`` times sixteen, plus its value.

The whole shoe is shuffled by the Fisher-Yates method: step s swaps the card at s with one of those from s on. Drawing
the places for all steps is separate from swapping, which lets the compiler vectorise it. One 32-bit word gives three
places. Let the steps' bounds be x, y and z, and B = xyz; then word * B = X * 2**32 + rest, and the digits of X in the
mixed base x, y, z are the three numbers. Each X comes from floor(2**32 / B) words, some from one more; these extra
words are exactly those whose rest is below 2**32 mod B. They are rejected and drawn again, so all orders of a shoe are
exactly equally likely. The steps that share a word are a third of the shoe apart, which keeps B small and rejections
rare.
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

STEPS_PER_WORD: Final = 3
WORDS_AT_ONCE: Final = 4 * BLOCK
"""The number of words is a multiple of this, to fill vector instructions."""
_HALF = np.uint64(32)
_VALUE = np.uint8(15)
_NOTHING, _PAIR, _BANKER_PAIR, _TWIN = np.uint16(0), np.uint16(1000), np.uint16(19_000), np.uint16(10_000)

RUNS: Final = 10_000


class Plan(NamedTuple):
    """How words become the places of a shuffle, for one number of cards."""

    bounds: StepBounds
    """By step: number of cards to choose from."""
    least: StepBounds
    """By word: words with a smaller rest are rejected."""


def plan(cards: int) -> Plan:
    """The plan for a shoe of this many cards. The last words may have steps beyond the shoe, with a bound of 1."""
    words = -(-cards // STEPS_PER_WORD)
    words += -words % WORDS_AT_ONCE
    steps = np.arange(STEPS_PER_WORD * words).reshape(STEPS_PER_WORD, words)
    bounds = np.maximum(cards - steps, 1)
    return Plan(bounds.astype(np.uint32).reshape(-1), (2**32 % bounds.prod(axis=0)).astype(np.uint32))


def card_codes(play: TableOfPlay) -> bytes:
    """The byte of each rank, in the order of ``RANKS``."""
    return bytes(at << 4 | play.values[rank] for at, rank in enumerate(RANKS))


def fresh_shoe(codes: bytes, decks: int) -> CardBytes:
    """All cards of the shoe, ordered by rank."""
    return np.repeat(np.frombuffer(codes, np.uint8), decks * len(SUITS))


def shuffled_shoe(fresh: CardBytes, seed: int, shoe: int) -> CardBytes:
    """The cards of shoe number ``shoe`` of this seed, in the order dealt."""
    how = plan(len(fresh))
    places = np.zeros((1, len(how.bounds)), np.uint16)
    words = np.zeros(len(how.least), np.uint32)
    cards = np.zeros((1, len(fresh)), np.uint8)
    draw_places(places, 0, words, how.bounds, how.least, np.uint64(seed), np.uint64(shoe))
    shuffle_one(cards, places, 0, fresh)
    order: CardBytes = cards[0]
    return order


# The drawing kernels take the arrays of all lanes and a lane's number, so each is called in one place only and inlined
# there. Called for each lane with a view of it, they would together take half as long again.


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
    """Draw the places for all steps of a lane's shuffle."""
    fill_words(words, seed, shoe, np.uint64(0))
    split_words(places, lane, words, bounds)
    if any_below(words, least):
        draw_again(places, lane, words, bounds, least, seed, shoe)


@compiled
def split_words(places: Places, lane: int, words: Words, bounds: StepBounds) -> None:
    """Get three places from each word. The rests replace the words."""
    third = len(words)
    for part in range(STEPS_PER_WORD):
        first = part * third
        for at in range(third):
            product = np.uint64(words[at]) * np.uint64(bounds[first + at])
            words[at] = np.uint32(product)
            places[lane, first + at] = np.uint32(first + at) + np.uint32(product >> _HALF)


@compiled
def any_below(rests: Words, least: StepBounds) -> bool:
    """Whether any word is rejected."""
    below = np.uint32(0)
    for at in range(len(rests)):
        below |= np.uint32(rests[at] < least[at])
    return bool(below)


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
    """Redraw the places of rejected words until none is rejected."""
    third, attempt = len(rests), 0
    for at in range(third):
        while rests[at] < least[at]:
            attempt += 1
            rest = word_again(seed, shoe, np.uint64(attempt))
            for step in range(at, STEPS_PER_WORD * third, third):
                product = rest * np.uint64(bounds[step])
                rest = np.uint64(np.uint32(product))
                places[lane, step] = np.uint32(step) + np.uint32(product >> _HALF)
            rests[at] = np.uint32(rest)


@compiled
def lay_out(cards: CardBytes, lane: int, fresh: CardBytes) -> None:
    """Copy the cards in their order before the shuffle. The compiler turns the loop into one copy."""
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
    """Shuffle this lane and the next one together. Interleaved, neither waits for the other's memory access."""
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
    """For each place of one shoe, the round that would start there: its run, plus 10,000 times its pair pattern.

    With fewer than six cards left the number is meaningless. Computing every place costs less than following the
    rounds one after the other, because the loop has no branches. ``hands`` is a two-card hand: 100 times its points,
    plus 1,000 for a pair. Everything is cast back to 16 bits, or the compiler would use 64 bits for each value.
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
