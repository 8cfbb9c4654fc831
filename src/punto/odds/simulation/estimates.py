"""Estimates from a simulation: each figure with its 95% confidence interval.

The interval of a mean is the usual one, from the sample's standard deviation, after adding z**2 rounds (z is the
normal quantile), half of them lost and half of them won at the best odds. For a bet that can only win or lose this is
the interval of Agresti and Coull. Over a million rounds the addition changes nothing. Over a few it keeps the interval
wide while the large wins have not occurred yet; such intervals then cover the true figure more than 95% of the time in
most cases, and slightly less for some numbers of rounds, because a chance is observed in whole rounds.

Rounds of one shoe are not independent, because cards are not replaced. But they nearly are, and the intervals assume
independence. ``tests/odds/simulation/test_estimates.py`` asserts for every bet of every game, over 30,000 shoes, that
the variance of a shoe's total is within a twentieth of that of independent rounds; ``python bench/simulate.py
--intervals`` measures it over more.
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
"""Confidence level of the intervals."""
_QUANTILE: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)

Weighted = Sequence[tuple[Fraction, Fraction]]
"""Pairs of an amount returned per unit staked, and the share of rounds that return it."""


class Estimate(Struct, frozen=True):
    """A figure with its confidence interval."""

    value: float
    low: float
    high: float


class MeanEstimate(Struct, frozen=True):
    """A mean with its confidence interval, None if the sample does not give one."""

    value: float
    low: float | None
    high: float | None


class BetEstimate(Struct, frozen=True):
    edge: Estimate
    hit: Estimate


class CellEstimate(Struct, frozen=True):
    """Insurance in one cell of points. All estimates but ``offered`` are given that it was offered."""

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
    """Estimates for every bet of a game, and for every insurance cell that occurred."""

    bets: dict[str, BetEstimate]
    insurance: tuple[CellEstimate, ...]


def estimates(book: Rulebook, distribution: Distribution) -> Estimates:
    rounds = distribution.total
    sample = figures(book, distribution)
    return Estimates(
        {bet: _bet(each, rounds) for bet, each in sample.bets.items()},
        tuple(_cell(each, rounds) for each in sample.insurance),
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
    """Estimate a chance that was observed in this share of the rounds."""
    return mean([(Fraction(1), chance), (Fraction(0), 1 - chance)], rounds)


def edge(returned: Weighted, rounds: int) -> Estimate:
    """Estimate the house edge from the amounts returned per unit."""
    back = mean(returned, rounds)
    return Estimate(1 - back.value, 1 - back.high, 1 - back.low)


def mean_of(value: float, std: float | None, number: int) -> MeanEstimate:
    """Student's interval for the mean of ``number`` independent amounts with this sample standard deviation."""
    if not std:
        return MeanEstimate(value, None, None)
    reach = student(number - 1) * std / sqrt(number)
    return MeanEstimate(value, value - reach, value + reach)


def student(freedom: int) -> float:
    """Student's quantile for these degrees of freedom. From three on, by the first terms of its expansion.

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
    """Estimate a mean. ``weighted`` has every possible value, also those that did not occur."""
    least, most = float(min(value for value, _ in weighted)), float(max(value for value, _ in weighted))
    observed = [(float(value), float(chance) * rounds) for value, chance in weighted]
    added = _QUANTILE**2
    widened = [*observed, (least, added / 2), (most, added / 2)]
    number = rounds + added
    middle = sum(value * times for value, times in widened) / number
    variance = sum((value - middle) ** 2 * times for value, times in widened) / number
    reach = _QUANTILE * sqrt(variance / number)
    value = float(sum((value * chance for value, chance in weighted), Fraction()))
    return Estimate(value, max(middle - reach, least), min(middle + reach, most))
