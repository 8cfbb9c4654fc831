"""Bets on single cards in a simulation: every round steps through the automaton of each.

The other kernels know a card by its rank and value only. Here a card is its number among the 52, in the order of
``Card``. A shoe of numbers is shuffled by the same places as the shoe of ranks and values, so both have the same order.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from punto.odds.compiling import compiled
from punto.odds.simulation.machine import STRETCH, deal_stretches, fill, machines
from punto.odds.simulation.shuffle import CardBytes, Plan, Rounds, draw_places, rounds_at, shuffle_one
from punto.rules.coup.cards import RANKS, SUITS, Card
from punto.rules.rulebook import Rulebook

States = npt.NDArray[np.int32]
LineCounts = npt.NDArray[np.int32]

_ROUND: Final = 6  # places


class Stepped(Struct, frozen=True):
    """The automaton of a bet, small enough to be sent to every worker."""

    bet: str
    finals: int
    start: int
    kinds: bytes
    """The kind of each of the 52 cards."""
    places: bytes
    rows: bytes
    """The next state by state that is not final and by kind, as 32-bit integers."""


def stepped_bets(book: Rulebook) -> tuple[Stepped, ...]:
    """Those of the book's bets that depend on single cards."""
    bets = []
    for rule in book.bets.values():
        if rule.automaton is not None:
            tables = rule.automaton.tables
            bets.append(
                Stepped(
                    rule.id,
                    len(rule.pays) + 1,
                    tables.start,
                    bytes(rule.automaton.kinds[card] for card in Card),
                    bytes(rule.automaton.places),
                    np.array(tables.rows, np.int32).tobytes(),
                )
            )
    return tuple(bets)


class Steps(NamedTuple):
    """All automata as arrays."""

    kinds: npt.NDArray[np.uint8]
    """By bet and card."""
    places: npt.NDArray[np.uint8]
    finals: States
    starts: States
    rows: States
    """The rows of all bets."""
    first_row: States
    widths: States
    first_line: States
    """By bet, where its lines start among the lines of all bets."""


def steps_of(bets: tuple[Stepped, ...]) -> Steps:
    rows = [np.frombuffer(each.rows, np.int32) for each in bets]
    kinds = np.array([list(each.kinds) for each in bets], np.uint8).reshape(len(bets), len(Card))
    finals = np.array([each.finals for each in bets], np.int32)
    return Steps(
        kinds,
        np.array([list(each.places) for each in bets], np.uint8).reshape(len(bets), _ROUND),
        finals,
        np.array([each.start for each in bets], np.int32),
        np.concatenate([*rows, np.zeros(0, np.int32)]),
        np.cumsum([0, *(len(each) for each in rows)])[:-1].astype(np.int32),
        (kinds.max(axis=1) + 1).astype(np.int32),
        np.cumsum([0, *finals])[:-1].astype(np.int32),
    )


def numbered_shoe(decks: int) -> CardBytes:
    """The numbers of the cards of a fresh shoe, which is ordered by rank."""
    return np.array(
        [suit * len(RANKS) + rank for rank in range(len(RANKS)) for suit in range(len(SUITS)) for _ in range(decks)],
        np.uint8,
    )


def suited_codes(fresh: CardBytes, numbers: CardBytes) -> Any:
    """The byte of each card with its number above it, in 16 bits: what a machine that takes cards back deals."""
    return fresh.astype(np.uint16) | numbers.astype(np.uint16) << 8


@compiled
def step_all(lines: LineCounts, steps: Steps, cards: CardBytes, at: int) -> None:
    """Count the line that comes first for each bet, in the round whose cards start at that place."""
    kinds, places, finals, starts, rows, first_row, widths, first_line = steps
    for bet in range(len(finals)):
        state, final = starts[bet], finals[bet]
        for step in range(_ROUND):
            if state < final:
                break
            kind = kinds[bet, cards[at + places[bet, step]]]
            state = rows[first_row[bet] + (state - final) * widths[bet] + kind]
        lines[first_line[bet] + state] += 1


@compiled
def tally_cards(  # noqa: PLR0913, PLR0917 - a kernel takes arrays and numbers
    counts: LineCounts,
    lines: LineCounts,
    steps: Steps,
    fresh: CardBytes,
    numbers: CardBytes,
    used: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.uint8],
    how: Plan,
    stop: int,
    shoe_rounds: int,
    after: int,
    most_rounds: int,
    seed: np.uint64,
    first: int,
    shoes: int,
) -> tuple[int, int]:
    """Deal the shoes from ``first`` on, one at a time. Returns the rounds dealt and the shoes started."""
    bounds, least = how
    size = len(fresh)
    words, places = np.zeros(len(least), np.uint32), np.zeros((1, len(bounds)), np.uint16)
    cards, numbered = np.zeros((1, size), np.uint8), np.zeros((1, size), np.uint8)
    rounds, hands = np.zeros(size, np.uint16), np.zeros(size, np.uint16)
    dealt, started = 0, 0
    while started < shoes and dealt < most_rounds:
        draw_places(places, 0, words, bounds, least, seed, np.uint64(first + started))
        shuffle_one(cards, places, 0, fresh)
        shuffle_one(numbered, places, 0, numbers)
        rounds_at(rounds, hands, cards[0])
        at, left, most = int(starts[cards[0, 0]]), after, min(shoe_rounds, most_rounds - dealt)
        for _ in range(most):
            if at >= stop:
                if left == 0:
                    break
                left -= 1
            here = rounds[at]
            counts[here] += 1
            step_all(lines, steps, numbered[0], at)
            at += int(used[here])
            dealt += 1
        started += 1
    return dealt, started


def tally_machine(  # noqa: PLR0913, PLR0917 - as above
    counts: LineCounts,
    lines: LineCounts,
    steps: Steps,
    codes: Any,
    used: npt.NDArray[np.uint8],
    back_after: int,
    most_rounds: int,
    seed: int,
    first: int,
    stretches: int,
) -> tuple[int, int]:
    """Deal the stretches from ``first`` on, one at a time. Returns the rounds dealt and the stretches started."""
    machine = machines(1, codes, back_after)
    rounds: Rounds = np.zeros((1, STRETCH), np.uint16)
    drawn: Any = np.zeros((STRETCH, _ROUND), codes.dtype)
    dealt, started = 0, 0
    while started < stretches and dealt < most_rounds:
        fill(machine, codes)
        deal_stretches(rounds, drawn, machine, used, np.uint64(seed), np.uint64(first + started))
        number = min(STRETCH, most_rounds - dealt)
        counts += np.bincount(rounds[0, :number], minlength=len(counts)).astype(np.int32)
        step_rounds(lines, steps, (drawn[:number] >> 8).astype(np.uint8))
        dealt += number
        started += 1
    return dealt, started


@compiled
def step_rounds(lines: LineCounts, steps: Steps, drawn: CardBytes) -> None:
    """Count the lines of rounds that stand one in each row."""
    for at in range(len(drawn)):
        step_all(lines, steps, drawn[at], 0)
