"""A machine that shuffles while the game goes on: rounds dealt from it, and the cards that are out of it.

When a round is called, the cards of the last ``back_after - 1`` rounds are out, and all others are in the machine.
Every card in the machine is equally likely to come next.

The cards are a ring. Those that are out lie next to each other, the oldest first; a card is drawn by swapping the one
after them with any card of the machine, as in a Fisher-Yates shuffle, and cards go back by moving the start of the ring
past them. So every round costs the same, whatever the number of decks. Two random words give the six places, three
each, as described in :mod:`punto.odds.simulation.shuffle`. A round that takes fewer than six cards leaves the others in
the machine.

Rounds are dealt in stretches. A stretch depends only on the seed and its number.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from punto.odds.compiling import compiled
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.simulation.random_streams import Words, fill_words, word_again
from punto.odds.simulation.shuffle import CardBytes, Rounds

STRETCH: Final = 256
"""Rounds in a stretch."""
_WORDS: Final = 2  # for each round
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_RANK: Final = 0xF0
_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)


class Machine(NamedTuple):
    """Machines side by side, one in each row, so that none waits for the memory of another."""

    cards: CardBytes
    out: npt.NDArray[np.uint8]
    """By round, as a ring: number of cards it has out."""
    ends: npt.NDArray[np.uint64]
    """Place of the first card that is out, number of cards out, the next place in the ring of rounds."""
    words: Words
    least: npt.NDArray[np.uint32]
    """By number of cards out: the first and the second word of a round are rejected if their rest is smaller."""


def machines(number: int, fresh: CardBytes, back_after: int, rounds: int = STRETCH) -> Machine:
    """Machines for stretches of this many rounds. :func:`fill` has to be called before the first."""
    left = len(fresh) - np.arange(LARGEST_ROUND * (back_after - 1) + 1, dtype=np.int64)
    products = [left * (left - 1) * (left - 2), (left - 3) * (left - 4) * (left - 5)]
    return Machine(
        np.zeros((number, len(fresh)), fresh.dtype),
        np.zeros((number, back_after), np.uint8),
        np.zeros((number, 3), np.uint64),
        np.zeros((number, _WORDS * (rounds + rounds % 2)), np.uint32),  # a whole number of blocks
        np.stack([2**32 % each for each in products], axis=1).astype(np.uint32),
    )


@compiled
def fill(machine: Machine, fresh: CardBytes) -> None:
    """Put all cards into the machines."""
    machine.out[:] = 0
    machine.ends[:] = 0
    for lane in range(len(machine.cards)):
        for at in range(len(fresh)):
            machine.cards[lane, at] = fresh[at]


@compiled
def deal_stretches(
    rounds: Rounds, drawn: CardBytes, machine: Machine, used: npt.NDArray[np.uint8], seed: np.uint64, first: np.uint64
) -> None:
    """Deal a stretch from each machine, from number ``first`` on.

    A round is written as its run, plus 10,000 times its pair pattern. ``drawn`` gets the six cards of each round of the
    last machine; without columns it gets nothing.
    """
    cards, out, ends, words, least = machine
    lanes, number = rounds.shape
    size, second, ring = np.uint64(cards.shape[1]), np.uint64(words.shape[1] // 2), np.uint64(out.shape[1])
    again = np.zeros(lanes, np.uint64)
    for lane in range(lanes):
        fill_words(words[lane], seed, first + np.uint64(lane), np.uint64(0))
    for at in range(number):
        for lane in range(lanes):
            turn = ends[lane, 2]
            back = np.uint64(out[lane, turn])
            away = ends[lane, 1] - back
            start = wrapped(ends[lane, 0] + back, size)
            here = wrapped(start + away, size)
            left = size - away
            a, b, c, rest = split(np.uint64(words[lane, at]), left)
            while rest < least[away, 0]:
                again[lane] += _ONE
                a, b, c, rest = split(word_again(seed, first + np.uint64(lane), again[lane]), left)
            d, e, f, rest = split(np.uint64(words[lane, second + np.uint64(at)]), left - _THREE)
            while rest < least[away, 1]:
                again[lane] += _ONE
                d, e, f, rest = split(word_again(seed, first + np.uint64(lane), again[lane]), left - _THREE)
            one = draw(cards, lane, here, a, size)
            two = draw(cards, lane, here + _ONE, b, size)
            three = draw(cards, lane, here + _TWO, c, size)
            four = draw(cards, lane, here + _THREE, d, size)
            five = draw(cards, lane, here + np.uint64(4), e, size)
            six = draw(cards, lane, here + np.uint64(5), f, size)
            kind = round_of(one, two, three, four, five, six)
            rounds[lane, at] = kind
            takes = used[kind]
            out[lane, turn] = takes
            ends[lane, 0], ends[lane, 1] = start, away + np.uint64(takes)
            ends[lane, 2] = turn + _ONE if turn + _ONE < ring else np.uint64(0)
            if drawn.shape[1]:
                drawn[at, 0], drawn[at, 1], drawn[at, 2] = one, two, three
                drawn[at, 3], drawn[at, 4], drawn[at, 5] = four, five, six


@compiled
def wrapped(place: np.uint64, size: np.uint64) -> np.uint64:
    return place - size if place >= size else place


@compiled
def split(word: np.uint64, left: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Numbers below ``left``, ``left - 1`` and ``left - 2``, and the rest, by which the word may be rejected."""
    one = word * left
    two = (one & _LOW) * (left - _ONE)
    three = (two & _LOW) * (left - _TWO)
    return one >> _HALF, two >> _HALF, three >> _HALF, three & _LOW


@compiled
def draw(cards: CardBytes, lane: int, place: np.uint64, ahead: np.uint64, size: np.uint64) -> np.uint8:
    """Swap the card at a place of the ring with the one ``ahead`` places further on, and return that one."""
    here, there = wrapped(place, size), wrapped(place + ahead, size)
    card: np.uint8 = cards[lane, there]
    cards[lane, there] = cards[lane, here]
    cards[lane, here] = card
    return card


@compiled
def round_of(one: np.uint8, two: np.uint8, three: np.uint8, four: np.uint8, five: np.uint8, six: np.uint8) -> np.int64:
    player, banker = np.int64(one & 15) + np.int64(three & 15), np.int64(two & 15) + np.int64(four & 15)
    player -= 10 if player >= 10 else 0
    banker -= 10 if banker >= 10 else 0
    player_pair, banker_pair = np.int64(((one ^ three) & _RANK) == 0), np.int64(((two ^ four) & _RANK) == 0)
    pattern = player_pair + 2 * banker_pair + (player_pair & banker_pair & np.int64(((one ^ two) & _RANK) == 0))
    return 10_000 * pattern + 1000 * player + 100 * banker + 10 * np.int64(five & 15) + np.int64(six & 15)
