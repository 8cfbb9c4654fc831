"""The simulator's kernel: shuffle and deal shoes or stretches of a machine, and count every round in a histogram.

The kernel knows no bets. A round is one of 10,000 runs and one of five pair patterns, and all bets and insurance of a
game follow from their frequencies.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from punto.odds.compiling import compiled
from punto.odds.simulation.card_bets import (
    Stepped,
    numbered_shoe,
    steps_of,
    suited_codes,
    tally_cards,
    tally_machine,
)
from punto.odds.simulation.machine import STRETCH, Machine, deal_stretches, fill, machines
from punto.odds.simulation.shuffle import (
    RUNS,
    CardBytes,
    Plan,
    Rounds,
    draw_places,
    fresh_shoe,
    plan,
    rounds_at,
    shuffle_two,
)
from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.coup.space import PAIRS

Counts = npt.NDArray[np.int32]
"""Number of rounds of each kind. A chunk has fewer than 2**31 rounds."""

KINDS: Final = RUNS * len(PAIRS)
"""Number of distinct rounds."""
_NEVER: Final = 2**31  # a place that no shoe has
LANES: Final = 8
"""Shoes dealt together: while one lane waits for memory, the others continue."""


class Job(Struct, frozen=True):
    """Everything a worker needs to deal any shoe of a simulation. Small, and the same for all workers.

    A machine that shuffles while the game goes on has stretches of rounds instead of shoes.
    """

    seed: int
    decks: int
    codes: bytes
    """The byte of each rank."""
    used: bytes
    """By run: number of cards the round takes."""
    burn: bool
    cut_card: int
    """Position of the cut card, counted from the end of the shoe."""
    rounds_after: int
    """Rounds played after the cut card is out."""
    shoe_rounds: int | None
    """Most rounds in a shoe; None for as many as the cut card allows."""
    back_after: int | None = None
    """Rounds after which cards go back into the machine; None for shoes."""
    card_bets: tuple[Stepped, ...] = ()
    """The bets that depend on single cards; most books have none, and are dealt faster."""

    @property
    def most_rounds(self) -> int:
        """More than these no shoe can have; a stretch has exactly these."""
        return STRETCH if self.back_after is not None else self.decks * len(RANKS) * len(SUITS) // 4


class Dealt(NamedTuple):
    """The result of one chunk."""

    rounds: int
    shoes: int
    """Shoes started. The last one is incomplete if the rounds were limited."""
    kinds: Counts
    """By pair pattern and run."""
    lines: Counts
    """By line of each card bet, those of no line included, one bet after the other."""


class Felt(NamedTuple):
    """A job as arrays for the kernels."""

    fresh: CardBytes
    used: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.uint8]
    """By the first card of a shoe: the place where its first round starts."""
    plan: Plan
    stop: int
    """The place from which the cut card is out."""
    shoe_rounds: int
    """Most rounds in a shoe."""


@lru_cache(maxsize=8)
def felt(job: Job) -> Felt:
    fresh = fresh_shoe(job.codes, job.decks)
    starts = np.zeros(256, np.uint8)
    if job.burn:
        for code in job.codes:  # show the first card, burn as many as its value, or ten if that is 0
            starts[code] = 1 + (code % 16 or 10)
    used = np.tile(np.frombuffer(job.used, np.uint8), len(PAIRS))
    how = plan(len(fresh))
    if job.back_after is not None:
        return Felt(fresh, used, starts, how, _NEVER, STRETCH)
    if job.shoe_rounds is not None:
        return Felt(fresh, used, starts, how, len(fresh), job.shoe_rounds)
    return Felt(fresh, used, starts, how, len(fresh) - job.cut_card, job.most_rounds)


def deal(job: Job, first: int, shoes: int, most_rounds: int | None = None) -> Dealt:
    """Deal ``shoes`` shoes of the job from number ``first`` on, in order, and stop after ``most_rounds`` rounds."""
    table = felt(job)
    counts = np.zeros(KINDS, np.int32)
    lines = np.zeros(sum(bet.finals for bet in job.card_bets), np.int32)
    most = 2**62 if most_rounds is None else most_rounds
    if job.card_bets:
        rounds, started = _deal_cards(job, table, counts, lines, most, first, shoes)
    elif job.back_after is not None:
        machine = machines(LANES, table.fresh, job.back_after)
        rounds, started = tally_stretches(counts, table, machine, most, np.uint64(job.seed), first, shoes)
    else:
        rounds, started = tally(counts, table, job.rounds_after, most, np.uint64(job.seed), first, shoes)
    return Dealt(rounds, started, counts.reshape(len(PAIRS), RUNS), lines)


def _deal_cards(
    job: Job, table: Felt, counts: Counts, lines: Counts, most: int, first: int, shoes: int
) -> tuple[int, int]:
    steps, numbers = steps_of(job.card_bets), numbered_shoe(job.decks)
    if job.back_after is not None:
        codes = suited_codes(table.fresh, numbers)
        return tally_machine(counts, lines, steps, codes, table.used, job.back_after, most, job.seed, first, shoes)
    return tally_cards(
        counts,
        lines,
        steps,
        table.fresh,
        numbers,
        table.used,
        table.starts,
        table.plan,
        table.stop,
        table.shoe_rounds,
        job.rounds_after,
        most,
        np.uint64(job.seed),
        first,
        shoes,
    )


@compiled
def tally(
    counts: Counts, table: Felt, after: int, most_rounds: int, seed: np.uint64, first: int, shoes: int
) -> tuple[int, int]:
    """Deal the shoes from ``first`` on, eight at a time. Returns the rounds dealt and the shoes started."""
    fresh, used, starts, (bounds, least), stop, shoe_rounds = table
    size = len(fresh)
    words = np.zeros(len(least), np.uint32)
    places = np.zeros((LANES, len(bounds)), np.uint16)
    cards, rounds = np.zeros((LANES, size), np.uint8), np.zeros((LANES, size), np.uint16)
    hands = np.zeros(size, np.uint16)
    a, b, c, d, e, f, g, h = cards[0], cards[1], cards[2], cards[3], cards[4], cards[5], cards[6], cards[7]
    of_a, of_b, of_c, of_d = rounds[0], rounds[1], rounds[2], rounds[3]
    of_e, of_f, of_g, of_h = rounds[4], rounds[5], rounds[6], rounds[7]
    dealt, started = 0, 0
    while started < shoes and dealt < most_rounds:
        for lane in range(LANES):  # shoes beyond the last one are shuffled in vain, once per chunk
            draw_places(places, lane, words, bounds, least, seed, np.uint64(first + started + lane))
        for lane in range(0, LANES, 2):
            shuffle_two(cards, places, lane, fresh)
        rounds_at(of_a, hands, a)
        rounds_at(of_b, hands, b)
        rounds_at(of_c, hands, c)
        rounds_at(of_d, hands, d)
        rounds_at(of_e, hands, e)
        rounds_at(of_f, hands, f)
        rounds_at(of_g, hands, g)
        rounds_at(of_h, hands, h)
        if started + LANES <= shoes and dealt + LANES * shoe_rounds <= most_rounds:
            dealt += deal_eight(counts, cards, rounds, used, starts, stop, after, shoe_rounds)
            started += LANES
        else:
            for lane in range(LANES):
                if started < shoes and dealt < most_rounds:
                    start, most = np.uint64(starts[cards[lane, 0]]), min(shoe_rounds, most_rounds - dealt)
                    dealt += deal_on(counts, rounds, lane, used, start, stop, after, most)
                    started += 1
    return dealt, started


@compiled
def deal_eight(  # noqa: PLR0913, PLR0917 - a kernel takes arrays and numbers
    counts: Counts,
    cards: CardBytes,
    rounds: Rounds,
    used: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.uint8],
    stop: int,
    after: int,
    shoe_rounds: int,
) -> int:
    """Deal eight shoes together until the first cut card is out, then each to its end. Returns the rounds dealt."""
    a, b = np.uint64(starts[cards[0, 0]]), np.uint64(starts[cards[1, 0]])
    c, d = np.uint64(starts[cards[2, 0]]), np.uint64(starts[cards[3, 0]])
    e, f = np.uint64(starts[cards[4, 0]]), np.uint64(starts[cards[5, 0]])
    g, h = np.uint64(starts[cards[6, 0]]), np.uint64(starts[cards[7, 0]])
    out, dealt = np.uint64(stop), 0
    while a < out and b < out and c < out and d < out and e < out and f < out and g < out and h < out:
        if dealt == shoe_rounds:
            break
        here = rounds[0, a]
        counts[here] += 1
        a += np.uint64(used[here])
        here = rounds[1, b]
        counts[here] += 1
        b += np.uint64(used[here])
        here = rounds[2, c]
        counts[here] += 1
        c += np.uint64(used[here])
        here = rounds[3, d]
        counts[here] += 1
        d += np.uint64(used[here])
        here = rounds[4, e]
        counts[here] += 1
        e += np.uint64(used[here])
        here = rounds[5, f]
        counts[here] += 1
        f += np.uint64(used[here])
        here = rounds[6, g]
        counts[here] += 1
        g += np.uint64(used[here])
        here = rounds[7, h]
        counts[here] += 1
        h += np.uint64(used[here])
        dealt += 1
    left = shoe_rounds - dealt
    return (
        LANES * dealt
        + deal_on(counts, rounds, 0, used, a, stop, after, left)
        + deal_on(counts, rounds, 1, used, b, stop, after, left)
        + deal_on(counts, rounds, 2, used, c, stop, after, left)
        + deal_on(counts, rounds, 3, used, d, stop, after, left)
        + deal_on(counts, rounds, 4, used, e, stop, after, left)
        + deal_on(counts, rounds, 5, used, f, stop, after, left)
        + deal_on(counts, rounds, 6, used, g, stop, after, left)
        + deal_on(counts, rounds, 7, used, h, stop, after, left)
    )


@compiled
def deal_on(  # noqa: PLR0913, PLR0917 - a kernel takes arrays and numbers
    counts: Counts,
    rounds: Rounds,
    lane: int,
    used: npt.NDArray[np.uint8],
    start: np.uint64,
    stop: int,
    after: int,
    most_rounds: int,
) -> int:
    """Deal one lane from ``start`` until the cut card is out, then ``after`` more rounds. Returns the rounds dealt."""
    at, left, dealt = start, after, 0
    while dealt < most_rounds:
        if at >= np.uint64(stop):
            if left == 0:
                break
            left -= 1
        here = rounds[lane, at]
        counts[here] += 1
        at += np.uint64(used[here])
        dealt += 1
    return dealt


@compiled
def tally_stretches(
    counts: Counts, table: Felt, machine: Machine, most_rounds: int, seed: np.uint64, first: int, stretches: int
) -> tuple[int, int]:
    """Deal the stretches from ``first`` on, eight at a time. Returns the rounds dealt and the stretches started."""
    rounds, nobody = np.zeros((LANES, STRETCH), np.uint16), np.zeros((0, 0), np.uint8)
    dealt, started = 0, 0
    while started < stretches and dealt < most_rounds:
        fill(machine, table.fresh)
        deal_stretches(rounds, nobody, machine, table.used, seed, np.uint64(first + started))
        for lane in range(LANES):
            if started < stretches and dealt < most_rounds:
                number = min(STRETCH, most_rounds - dealt)
                for at in range(number):
                    counts[rounds[lane, at]] += 1
                dealt += number
                started += 1
    return dealt, started
