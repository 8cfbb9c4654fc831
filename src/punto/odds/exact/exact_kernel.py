"""The exact count of all ordered deals of six cards, as plain functions on lists or arrays of integers.

A single answer takes milliseconds in plain Python; ``compiled`` compiles the same functions for batches. For this,
nothing here allocates: callers pass in all arrays that are written to.

The first four cards are counted by formula, not enumerated. With ``left[v]`` cards of value v, let

    mates(p, v) = left[p - v] - [2v = p]      the cards that make p points with one given card of value v
    pairs(p)    = sum of left[v] mates(p, v)  the ordered hands of two cards with p points

(values and points modulo ten; [...] is 1 if the condition holds, else 0). Two hands of p and b points, each counted on
its own, number pairs(p) pairs(b). Some of these share one card, in one of four ways, or both cards, in two ways. By
inclusion and exclusion, the number that share none is

    fours(p, b) = pairs(p) pairs(b) - 4 sum of left[v] mates(p, v) mates(b, v) + 2 [p = b] pairs(p).

Removing one card of value u removes the hands that held it: pairs(p) loses 2 mates(p, u), and fours(p, b) changes by

    mates(p, u) (8 mates(b, u) + 4 mates(b, p - u) - 2 pairs(b) - 8 [p = b])
    + mates(b, u) (4 mates(p, b - u) - 2 pairs(p)).

The result times left[u] is the number of deals of five cards with u as the fifth. The same step on the shoe without u
gives the sixth. If no hand draws, or only one does, the remaining cards can be any.

Why 64 bits suffice: all stored values are counts of ordered deals of at most six cards, or sums of disjoint such
counts, so with n cards none exceeds n (n - 1) ... (n - 5). That is below 2**55 for ten decks, and below 2**63 up to
1,448 cards, or 27 decks. Among intermediate values, mates lies between -1 and n and pairs between 0 and n**2: the
products of a step are below 2 n**3 + 20 n**2 in size, and four times the shared deals is below 4 n**3. A step for a
card that is not in the shoe may give a meaningless number, but that is multiplied by zero.
"""

from collections.abc import MutableSequence, Sequence
from typing import Final

MAX_CARDS: Final = 1448
"""The largest shoe whose deals of six cards can be counted in 64 bits."""

# Encoding of a Table of Play: who gets the fifth card, by Player's and Banker's points; then, from SIXTH on, whether
# Banker draws a sixth, by Banker's points and the value of the fifth.
FIFTH_TO_NOBODY: Final = 0
FIFTH_TO_PLAYER: Final = 1
FIFTH_TO_BANKER: Final = 2
SIXTH: Final = 100

# Layout of the counts: ends, then fours and thirds by cell of points and winner, as in ``Distribution``.
FOUR: Final = 400
THIRD: Final = 700
COUNTS: Final = 1000

# Layout of the working array. Each row of ten values is stored twice, to read ten values from any start without
# wrapping around.
ROW: Final = 20
BACK: Final = 10 * ROW
"""``mates(p, -v)`` by p and v. ``mates(p, v)`` starts at 0."""
CARDS_LEFT: Final = 2 * BACK
PAIR_COUNTS: Final = CARDS_LEFT + ROW
FOURS: Final = PAIR_COUNTS + 10
FIVES: Final = FOURS + 100
"""``fours`` after the fifth card is removed."""
SIXTHS: Final = FIVES + 100
"""Deals for one fifth card, by Banker's final points."""
SIXES: Final = SIXTHS + 10
"""Deals in which both hands draw, by the final points of both."""
WORK: Final = SIXES + 100

Numbers = MutableSequence[int]


def count_many(lefts: Sequence[Sequence[int]], play: Sequence[int], work: Numbers, counts: Sequence[Numbers]) -> None:
    for at in range(len(lefts)):
        count(lefts[at], play, work, counts[at])


def count(left: Sequence[int], play: Sequence[int], work: Numbers, counts: Numbers) -> None:
    """Count all ordered deals of six cards from ``left[v]`` cards of value v, by outcome."""
    for at in range(COUNTS):
        counts[at] = 0
    for at in range(SIXES, WORK):
        work[at] = 0
    write_tables(left, work)
    cards = 0
    for value in range(10):
        cards += left[value]
    count_fours(play, work, (cards - 4) * (cards - 5), counts)
    for fifth in range(10):
        ways = left[fifth]
        if ways:
            count_fives(fifth, ways * (cards - 5), play, work, counts)
            take(fifth, work)
            count_sixes(fifth, ways, cards - 5, play, work, counts)
            put_back(fifth, work)
    for player in range(10):
        for banker in range(10):
            counts[player * 40 + 20 + banker * 2 + 1] += work[SIXES + player * 10 + banker]


def write_tables(left: Sequence[int], work: Numbers) -> None:
    """Compute ``left``, ``mates``, ``pairs`` and ``fours`` of the full composition."""
    for value in range(10):
        work[CARDS_LEFT + value] = work[CARDS_LEFT + 10 + value] = left[value]
    for points in range(10):
        row, pairs = points * ROW, 0
        for value in range(10):
            mates = work[CARDS_LEFT + 10 + points - value] - ((2 * value - points) % 10 == 0)
            work[row + value] = work[row + 10 + value] = mates
            back = (10 - value) % 10
            work[BACK + row + back] = work[BACK + row + 10 + back] = mates
            pairs += left[value] * mates
        work[PAIR_COUNTS + points] = pairs
    for player in range(10):
        for banker in range(player + 1):
            shared = 0
            for value in range(10):
                shared += left[value] * work[player * ROW + value] * work[banker * ROW + value]
            fours = work[PAIR_COUNTS + player] * work[PAIR_COUNTS + banker] - 4 * shared
            if player == banker:
                fours += 2 * work[PAIR_COUNTS + player]
            work[FOURS + player * 10 + banker] = work[FOURS + banker * 10 + player] = fours


def take(value: int, work: Numbers) -> None:
    """Take a card of this value out of ``left``, ``mates`` and ``pairs``."""
    for points in range(10):
        work[PAIR_COUNTS + points] -= 2 * work[points * ROW + value]
    change(value, -1, work)


def put_back(value: int, work: Numbers) -> None:
    """Put back a card removed by :func:`take`."""
    change(value, 1, work)
    for points in range(10):
        work[PAIR_COUNTS + points] += 2 * work[points * ROW + value]


def change(value: int, by: int, work: Numbers) -> None:
    """Change ``left`` and ``mates`` by ``by`` cards of this value."""
    work[CARDS_LEFT + value] += by
    work[CARDS_LEFT + 10 + value] += by
    for points in range(10):
        at = points * ROW + (points - value) % 10
        work[at] += by
        work[at + 10] += by
        at = BACK + points * ROW + (value - points) % 10
        work[at] += by
        work[at + 10] += by


def count_fours(play: Sequence[int], work: Numbers, ways: int, counts: Numbers) -> None:
    """Count the rounds of four cards. ``ways`` is the number of choices for the two unused cards."""
    for player in range(10):
        for banker in range(10):
            if play[player * 10 + banker] == FIFTH_TO_NOBODY:
                counts[player * 40 + banker * 2] += work[FOURS + player * 10 + banker] * ways


def count_fives(fifth: int, ways: int, play: Sequence[int], work: Numbers, counts: Numbers) -> None:
    """Count the rounds that end with this fifth card.

    ``ways`` is the number of choices for the fifth card and the unused sixth. Stores ``fours`` without the fifth card
    in ``FIVES``, for all points at which a card is drawn.
    """
    for player in range(10):
        ours = work[player * ROW + fifth]
        twice_pairs = 2 * work[PAIR_COUNTS + player]
        for banker in range(10):
            cell = player * 10 + banker
            to = play[cell]
            if to == FIFTH_TO_NOBODY:
                continue
            theirs = work[banker * ROW + fifth]
            fives = (
                work[FOURS + cell]
                + ours * (8 * theirs + 4 * work[banker * ROW + (player - fifth) % 10] - 2 * work[PAIR_COUNTS + banker])
                + theirs * (4 * work[player * ROW + (banker - fifth) % 10] - twice_pairs)
            )
            if player == banker:
                fives -= 8 * ours
            work[FIVES + cell] = fives
            if to == FIFTH_TO_BANKER:
                drawn = (banker + fifth) % 10
                counts[player * 40 + drawn * 2 + 1] += fives * ways
                counts[FOUR + cell * 3 + winner(player, drawn)] += fives * ways
            elif not play[SIXTH + banker * 10 + fifth]:
                drawn = (player + fifth) % 10
                counts[drawn * 40 + 20 + banker * 2] += fives * ways
                counts[FOUR + cell * 3 + winner(drawn, banker)] += fives * ways


def winner(player: int, banker: int) -> int:
    """Index of the winner: 0 Player, 1 Banker, 2 tie."""
    if player == banker:
        return 2
    return int(banker > player)


def count_sixes(fifth: int, ways: int, last: int, play: Sequence[int], work: Numbers, counts: Numbers) -> None:
    """Count the rounds in which both hands draw, Player this fifth card, which has been taken.

    ``ways`` is the number of choices for the fifth card, ``last`` for the sixth.
    """
    for banker in range(10):
        if not play[SIXTH + banker * 10 + fifth]:
            continue
        for player in range(10):
            cell = player * 10 + banker
            if play[cell] != FIFTH_TO_PLAYER:
                continue
            drawn = (player + fifth) % 10
            draw_sixth(player, banker, work)
            won = 0
            for points in range(10):
                sixths = ways * work[SIXTHS + points]
                work[SIXES + drawn * 10 + points] += sixths
                if points < drawn:
                    won += sixths
            tied = ways * work[SIXTHS + drawn]
            lost = ways * last * work[FIVES + cell] - won - tied
            for at in (FOUR + cell * 3, THIRD + (drawn * 10 + banker) * 3):
                counts[at] += won
                counts[at + 1] += lost
                counts[at + 2] += tied


def draw_sixth(player: int, banker: int, work: Numbers) -> None:
    """Count the deals with these points on two cards and the fifth card taken, by Banker's final points.

    The loop runs over Banker's final points, not over the sixth card's value: that reads each row consecutively.
    """
    start = 10 - banker
    left, ours, theirs = CARDS_LEFT + start, player * ROW + start, banker * ROW + start
    theirs_back = BACK + banker * ROW + (-player - banker) % 10
    ours_back = BACK + player * ROW + (-2 * banker) % 10
    fives = work[FIVES + player * 10 + banker]
    less_ours = 2 * work[PAIR_COUNTS + player]
    less_theirs = 2 * work[PAIR_COUNTS + banker] + 8 * (player == banker)
    for points in range(10):
        own, other = work[ours + points], work[theirs + points]
        work[SIXTHS + points] = work[left + points] * (
            fives
            + own * (8 * other + 4 * work[theirs_back + points] - less_theirs)
            + other * (4 * work[ours_back + points] - less_ours)
        )


CALLED: Final = (
    count,
    write_tables,
    take,
    put_back,
    change,
    count_fours,
    count_fives,
    winner,
    count_sixes,
    draw_sixth,
)
"""All functions that :func:`count_many` calls; the compiler needs the list."""
