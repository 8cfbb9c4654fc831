"""Stakes on one coup vary together as a slow count of every deal says."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import lcm

import pytest

from punto import book
from punto.odds import Composition, full_shoe, full_shoe_figures, solve
from punto.odds.exact.covariance import Covariances, StakedBet, joint_weights
from punto.rules.bets.insurance import Stage
from punto.rules.coup.space import PAIRS
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from tests import plainly
from tests.marks import BOOKS, rest_at_night
from tests.odds.slowly import Kind, Kinds, insurance_results, kinds

ALL = rest_at_night(BOOKS, [book("tiger-buffalo")], lambda rules: rules.id)
SMALL = (2, 1, 0, 2, 0, 1, 0, 1, 1, 0, 2, 0, 1)
"""Eleven cards, with pairs and twins."""
SOME = 17
"""One cell of insurance in this many is tried with everything else."""


@pytest.mark.parametrize("rules", ALL)
def test_a_stake_varies_with_itself_as_the_figures_say(rules: Rulebook) -> None:
    covariances, figures = Covariances(rules, full_shoe(rules, 8)), full_shoe_figures(rules, 8)
    for bet, figure in figures.bets.items():
        assert covariances.of((bet, None), (bet, None)) == figure.variance
        assert 1 - covariances.mean((bet, None)) == figure.edge
    for cell in figures.insurance:
        insurance = (f"{cell.side}_insurance", (cell.stage, cell.side, cell.player, cell.banker))
        assert 1 - covariances.mean(insurance) == cell.edge


def test_runs_and_pairs_together_are_those_of_the_solver() -> None:
    rules, shoe = book("commission"), Composition(SMALL)
    joint, solved = joint_weights(rules, shoe), solve(rules, shoe)
    ends = [0] * len(solved.ends)
    for (run, _), weight in joint.items():
        ends[rules.space.ends[run].index] += weight
    assert tuple(ends) == solved.ends
    for pattern in range(len(PAIRS)):
        assert sum(weight for (_, at), weight in joint.items() if at == pattern) == solved.pairs[pattern]


@pytest.mark.parametrize("rules", ALL)
def test_two_stakes_vary_together_as_every_deal_says(rules: Rulebook) -> None:
    slow, covariances = _every_kind(), Covariances(rules, Composition(SMALL))
    stakes: list[StakedBet] = [(bet, None) for bet in rules.bets]
    cells = sorted(insurance_results(slow, rules.id))[::SOME] if rules.insurance else []
    stakes += [(f"{side}_insurance", (Stage(stage), Side(side), p, b)) for stage, side, p, b, _ in cells]
    gains = {stake: [_gain(rules, each, stake) for each in slow] for stake in stakes}
    weights = list(slow.values())
    varying = {stake: _from_mean(weights, gains[stake]) for stake in stakes}
    for one, other in combinations_with_replacement(stakes, 2):
        slowly = _covariance(weights, varying[one], varying[other])
        assert covariances.of(one, other) == covariances.of(other, one) == slowly, (one, other)


@cache
def _every_kind() -> Kinds:
    return kinds(SMALL)


_Gains = list[Fraction | None]
"""In each kind of round; None where the stake cannot lie."""
_Whole = tuple[list[int | None], int]
"""The same as whole numbers over one denominator."""


def _covariance(weights: list[int], one: _Whole, other: _Whole) -> Fraction:
    """Over the rounds in which both stakes can lie, each against its own mean."""
    total = sums = 0
    for ways, first, second in zip(weights, one[0], other[0], strict=True):
        if first is not None and second is not None:
            total += ways
            sums += ways * first * second
    return Fraction(sums, total * one[1] * other[1]) if total else Fraction()


def _from_mean(weights: list[int], gains: _Gains) -> _Whole:
    lying = [(ways, gain) for ways, gain in zip(weights, gains, strict=True) if gain is not None]
    mean = sum((ways * gain for ways, gain in lying), Fraction()) / sum(ways for ways, _ in lying)
    scale = lcm(mean.denominator, *(gain.denominator for _, gain in lying))
    return [None if gain is None else int((gain - mean) * scale) for gain in gains], scale


def _gain(rules: Rulebook, each: Kind, stake: StakedBet) -> Fraction | None:
    """What a bettor gains in such a round; None if the stake cannot lie there."""
    bet, cell = stake
    if cell is None:
        said = plainly.pays(rules.id, bet, each.dealt, each.player_pair, each.banker_pair)
    else:
        stage, side, *points = cell
        if (each.four if stage is Stage.FOUR else each.third) != tuple(points):
            return None
        offered = plainly.insured(rules.id, stage, *points)
        assert offered is not None
        said = plainly.insurance_pays(rules.id, stage, side, each.dealt)
        said = offered[1] if said == "win" else said
    return _GAINS[said] if said in _GAINS else Fraction(said)


_GAINS = {"push": Fraction(), "lose": Fraction(-1)}
