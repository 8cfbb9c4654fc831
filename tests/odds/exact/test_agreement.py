"""Settlement and odds agree over the whole space of each game.

Each of the 10,000 runs is dealt with real cards and settled, with every bet placed and every offered insurance taken.
Each run and each pair pattern has a random weight, so two errors cannot cancel out. The total paid by settlement must
equal the expectation from the figures exactly.
"""

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from punto import InsuranceStake, Stage, Stake, settle
from punto.odds import figures
from punto.odds.distribution import Distribution
from punto.odds.exact.removal import Cell
from punto.rules.coup.space import PAIRS
from punto.rules.rulebook import Rulebook
from tests.marks import BOOKS, INSURED

pytestmark = pytest.mark.sweep

FACES = "T", "A", "2", "3", "4", "5", "6", "7", "8", "9"
STAKE_MINOR = 200
"""A stake for which every payout, less commission, is a whole number."""


def _hand(points: int) -> tuple[str, str]:
    """Two cards with these points that are not a pair."""
    first = next(value for value in range(10) if (points - value) % 10 != value)
    return FACES[first], FACES[(points - first) % 10]


def _dealt(player: int, banker: int, fifth: int, sixth: int) -> str:
    ours, theirs = _hand(player), _hand(banker)
    ranks = (ours[0], theirs[0], ours[1], theirs[1], FACES[fifth], FACES[sixth])
    return " ".join(rank + suit for rank, suit in zip(ranks, "shdcsh", strict=True))


PATTERNS = ("2s 3d 4h 5c Kd Kh", "2s 3d 2h 5c Kd Kh", "2s 3d 4h 3c Kd Kh", "2s 3d 2h 3c Kd Kh", "2s 2d 2h 2c Kd Kh")
"""A coup for each pair pattern, in the order of ``Pairs``."""


ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]


@pytest.mark.parametrize("rules", ALL)
def test_settlement_pays_what_the_figures_expect_over_the_whole_space(rules: Rulebook) -> None:
    draw = random.Random(rules.id)  # noqa: S311 - weights, not secrets
    runs = [draw.randrange(1, 10**6) for _ in range(10_000)]
    patterns = [draw.randrange(1, 10**6) for _ in PAIRS[:-1]]
    patterns.append(sum(runs) - sum(patterns))
    worth = figures(rules, Distribution.of_runs(rules.space, runs, patterns))
    paid: Counter[str] = Counter()
    for layout, bets in _menus(rules):
        over_ends = [Stake("ann", bet, STAKE_MINOR) for bet in bets if not rules.bets[bet].over_pairs]
        for run, weight in zip(product(range(10), repeat=4), runs, strict=True):
            for each in settle(rules, rules.coup(_dealt(*run)), over_ends, layout=layout).bets:
                paid[each.stake.bet] += weight * each.returned_minor
        over_pairs = [Stake("ann", bet, STAKE_MINOR) for bet in bets if rules.bets[bet].over_pairs]
        for cards, weight in zip(PATTERNS, patterns, strict=True):
            for each in settle(rules, rules.coup(cards), over_pairs, layout=layout).bets:
                paid[each.stake.bet] += weight * each.returned_minor
    total = sum(runs) * STAKE_MINOR
    assert {bet: 1 - each.edge for bet, each in worth.bets.items()} == {
        bet: Fraction(returned, total) for bet, returned in paid.items()
    }


def _menus(rules: Rulebook) -> list[tuple[str, list[str]]]:
    """Each bet of the book once, with a layout that has it."""
    menus, left = [], dict.fromkeys(rules.bets)
    for layout in rules.layouts.values():
        bets = [bet for bet in layout.menu if bet in left]
        menus.append((layout.id, bets))
        for bet in bets:
            del left[bet]
    assert not left
    return [(layout, bets) for layout, bets in menus if bets]


@pytest.mark.parametrize("rules", [pytest.param(rules, id=rules.id) for rules in INSURED])
def test_insurance_pays_what_the_figures_expect_over_the_whole_space(rules: Rulebook) -> None:
    draw = random.Random(rules.id)  # noqa: S311 - as above
    runs = [draw.randrange(1, 10**6) for _ in range(10_000)]
    total = sum(runs)
    worth = figures(rules, Distribution.of_runs(rules.space, runs, [total, 0, 0, 0, 0]))
    offered: Counter[Cell] = Counter()
    paid: Counter[Cell] = Counter()
    stakes = [Stake("ann", "player", 100), Stake("bob", "banker", 100)]
    layout = next(iter(rules.layouts))
    for run, weight in zip(product(range(10), repeat=4), runs, strict=True):
        coup = rules.coup(_dealt(*run))
        whose = {"player": "ann", "banker": "bob"}
        cover = [InsuranceStake(whose[line.side], line.side, line.stage, 2) for line in rules.offers(coup)]
        for each in settle(rules, coup, stakes, cover, layout=layout).insurance:
            player = run[0] if each.stake.stage is Stage.FOUR else (run[0] + run[2]) % 10
            cell = Cell(each.stake.stage, each.stake.side, player, run[1])
            offered[cell] += weight
            paid[cell] += weight * each.returned_minor
    assert {
        Cell(cell.stage, cell.side, cell.player, cell.banker): (cell.offered, 1 - cell.edge) for cell in worth.insurance
    } == {cell: (Fraction(weight, total), Fraction(paid[cell], 2 * weight)) for cell, weight in offered.items()}


@pytest.mark.parametrize("rules", ALL)
def test_a_bet_looks_at_ends_or_at_pairs_over_all_two_thousand_outcomes(rules: Rulebook) -> None:
    """The odds read a bet's verdict once per end or once per pattern; the other verdicts must be equal."""
    for bet in rules.bets.values():
        assert len(bet.verdicts) == 2000
        for outcome, verdict in enumerate(bet.verdicts):
            read = outcome % len(PAIRS) if bet.over_pairs else outcome - outcome % len(PAIRS)
            assert verdict is bet.verdicts[read]
