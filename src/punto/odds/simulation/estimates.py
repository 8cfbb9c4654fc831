"""What a simulation says of a game: each figure with the interval in which the true one is to be expected.

The intervals are of 95 per cent. That of a mean is the usual one, from the standard deviation of what was seen, after
as many more rounds as the square of the normal quantile have been added, half of them lost and half of them won
at the best odds: for a bet that can only win or lose this is the interval of Agresti and Coull. Over a million rounds
it changes nothing; over a few it keeps the interval wide where the large wins have not come yet, and then it mostly
holds the true figure more often than it says. Mostly: a chance is seen in whole rounds, and for some numbers of rounds
it holds it a little less often.

Rounds of one shoe are not independent: what has gone cannot come again. But they nearly are, and the intervals are
those of independent rounds. ``tests/odds/simulation/test_estimates.py`` asserts for every bet of every game, over
30,000 shoes, that the variance of what a shoe brings is within a twentieth of that of as many independent rounds;
``python bench/simulate.py --intervals`` measures it over more.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import pi, sqrt, tan
from statistics import NormalDist
from typing import Final

from msgspec import Struct

from punto.odds.distribution import Distribution
from punto.odds.figures import BetFigures, CellFigures, figures
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook

LEVEL: Final = 0.95
"""How often an interval should hold the true figure."""
_QUANTILE: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)

Weighted = Sequence[tuple[Fraction, Fraction]]
"""What goes back of a unit, and the share of rounds in which it does."""


class Estimate(Struct, frozen=True):
    """A figure, and between what the true one is to be expected."""

    value: float
    low: float
    high: float


class MeanEstimate(Struct, frozen=True):
    """A mean, and between what the true one is to be expected: None where what was seen does not say."""

    value: float
    low: float | None
    high: float | None


class BetEstimate(Struct, frozen=True):
    """What a simulation says of a bet."""

    edge: Estimate
    hit: Estimate


class CellEstimate(Struct, frozen=True):
    """What a simulation says of insurance in one cell of points; all but ``offered`` where it was offered."""

    stage: Stage
    side: Side
    player: int
    banker: int
    odds: str
    offered: Estimate
    win: Estimate
    push: Estimate
    lose: Estimate
    edge: Estimate


class Estimates(Struct, frozen=True):
    """All that a simulation says of a game. A cell that never came is left out."""

    bets: dict[str, BetEstimate]
    insurance: tuple[CellEstimate, ...]


def estimates(book: Rulebook, distribution: Distribution) -> Estimates:
    """Every bet and every insurance cell of the game."""
    rounds = distribution.total
    found = figures(book, distribution)
    return Estimates(
        {bet: _bet(each, rounds) for bet, each in found.bets.items()},
        tuple(_cell(each, rounds) for each in found.insurance),
    )


def _bet(bet: BetFigures, rounds: int) -> BetEstimate:
    return BetEstimate(edge([(line.returned, line.chance) for line in bet.lines], rounds), share(bet.win, rounds))


def _cell(cell: CellFigures, rounds: int) -> CellEstimate:
    offers = int(cell.offered * rounds)
    back = [(1 + Fraction(cell.odds), cell.win), (Fraction(1), cell.push), (Fraction(0), cell.lose)]
    return CellEstimate(
        cell.stage,
        cell.side,
        cell.player,
        cell.banker,
        cell.odds,
        offered=share(cell.offered, rounds),
        win=share(cell.win, offers),
        push=share(cell.push, offers),
        lose=share(cell.lose, offers),
        edge=edge(back, offers),
    )


def share(chance: Fraction, rounds: int) -> Estimate:
    """A chance that was seen as this share of so many rounds."""
    return mean([(Fraction(1), chance), (Fraction(0), 1 - chance)], rounds)


def edge(returned: Weighted, rounds: int) -> Estimate:
    """The house's edge, from what went back of a unit in so many rounds."""
    back = mean(returned, rounds)
    return Estimate(1 - back.value, 1 - back.high, 1 - back.low)


def mean_of(value: float, std: float | None, number: int) -> MeanEstimate:
    """A mean of so many independent amounts of any size, by their own standard deviation: Student's interval."""
    if not std:
        return MeanEstimate(value, None, None)
    reach = student(number - 1) * std / sqrt(number)
    return MeanEstimate(value, value - reach, value + reach)


def student(freedom: int) -> float:
    """Student's quantile for so many degrees of freedom; from three on by the first terms of its expansion.

    >>> [round(1000 * student(freedom)) for freedom in (1, 2, 10, 10**6)]
    [12706, 4303, 2228, 1960]
    """
    if freedom == 1:
        return tan(pi * LEVEL / 2)
    if freedom == 2:
        return LEVEL * sqrt(2 / (1 - LEVEL**2))
    z, v = _QUANTILE, freedom
    terms = (
        z,
        (z**3 + z) / (4 * v),
        (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2),
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3),
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4),
    )
    return sum(terms)


def mean(weighted: Weighted, rounds: int) -> Estimate:
    """The mean of what can only take these values, over so many rounds; the values it never took among them."""
    least, most = float(min(value for value, _ in weighted)), float(max(value for value, _ in weighted))
    seen = [(float(value), float(chance) * rounds) for value, chance in weighted]
    more = _QUANTILE**2
    widened = [*seen, (least, more / 2), (most, more / 2)]
    number = rounds + more
    middle = sum(value * times for value, times in widened) / number
    variance = sum((value - middle) ** 2 * times for value, times in widened) / number
    reach = _QUANTILE * sqrt(variance / number)
    value = float(sum((value * chance for value, chance in weighted), Fraction()))
    return Estimate(value, max(middle - reach, least), min(middle + reach, most))
