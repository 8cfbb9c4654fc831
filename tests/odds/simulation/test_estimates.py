"""Intervals: how often they contain the exact figure, and whether rounds of one shoe can count as independent."""

from fractions import Fraction
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import book
from punto.odds import figures, full_shoe, solve
from punto.odds.procedure import Procedure
from punto.odds.sessions.session_simulator import simulate_sessions
from punto.odds.sessions.wagers import gains
from punto.odds.simulation.estimates import LEVEL, edge, estimates, mean, share
from punto.odds.simulation.simulation_kernel import deal
from punto.odds.simulation.simulator import distribution_of, job_of
from punto.rules.bets.pay_lines import BetRule
from punto.rules.rulebook import Rulebook
from tests.marks import BOOKS

pytestmark = pytest.mark.sweep

SHOE_ROUNDS = 60
FIXED = Procedure(shoe_rounds=SHOE_ROUNDS)
"""Only with a fixed number of rounds does every round of a shoe have the exact odds of a full shoe."""


def _within(held: int, tries: int, least: float, most: float) -> bool:
    """Within four and a half standard deviations of a binomial."""
    spread = 4.5 * sqrt(LEVEL * (1 - LEVEL) / tries)
    return least - spread <= held / tries <= most + spread


@pytest.mark.parametrize("bet", ["player", "banker", "tie", "player_pair"])
def test_intervals_hold_the_exact_edge_as_often_as_they_should(bet: str) -> None:
    """Two thousand simulations of 50 shoes each."""
    rules = book("commission")
    exact = figures(rules, solve(rules, full_shoe(rules, 8)), [bet]).bets[bet]
    returned = _returned(rules.bets[bet], rules)
    job, tries, held, hits = job_of(rules, 8, 21, FIXED), 2000, 0, 0
    for simulation in range(tries):
        dealt = deal(job, 50 * simulation, 50)
        counts = dealt.kinds.sum(axis=1 if rules.bets[bet].over_pairs else 0)
        seen = {back: Fraction(int(counts[there].sum()), dealt.rounds) for back, there in returned.items()}
        estimate = edge(list(seen.items()), dealt.rounds)
        hit = share(sum((chance for back, chance in seen.items() if back > 1), Fraction()), dealt.rounds)
        assert estimate.low < estimate.value < estimate.high
        held += estimate.low <= exact.edge <= estimate.high
        hits += hit.low <= exact.win <= hit.high
    assert _within(held, tries, LEVEL, LEVEL)
    assert _within(hits, tries, LEVEL, LEVEL)


def _returned(rule: BetRule, rules: Rulebook) -> dict[Fraction, npt.NDArray[np.bool_]]:
    """The runs or pair patterns, by amount returned per unit. Computing all figures would take too long."""
    verdicts = rule.verdicts[:5] if rule.over_pairs else [rule.verdicts[5 * end.index] for end in rules.space.ends]
    backs = [Fraction(verdict.numerator, verdict.denominator) for verdict in verdicts]
    return {back: np.array([each == back for each in backs]) for back in dict.fromkeys(backs)}


def test_intervals_hold_every_exact_figure_of_a_game_as_often_as_they_should() -> None:
    """All bets and cells over 150 simulations of 10,000 rounds: rare ones are covered more often, none less."""
    rules = book("da-hu-ying-xiong")
    exact = figures(rules, solve(rules, full_shoe(rules, 8)))
    cells = {(cell.stage, cell.player, cell.banker): cell for cell in exact.insurance}
    job, tries = job_of(rules, 8, 4, FIXED), 150
    held: dict[object, list[bool]] = {}
    for simulation in range(tries):
        dealt = deal(job, 167 * simulation, 167)
        found = estimates(rules, distribution_of(rules, dealt.kinds))
        for bet, each in found.bets.items():
            held.setdefault(bet, []).append(each.edge.low <= exact.bets[bet].edge <= each.edge.high)
        for cell in found.insurance:
            true = cells[cell.stage, cell.player, cell.banker]
            key = (cell.stage, cell.player, cell.banker)
            held.setdefault((key, "edge"), []).append(cell.edge.low <= true.edge <= cell.edge.high)
            held.setdefault((key, "offered"), []).append(cell.offered.low <= true.offered <= cell.offered.high)
    for what, times in held.items():
        assert _within(sum(times), len(times), LEVEL, 1), what
    together = [hold for times in held.values() for hold in times]
    assert LEVEL - 0.01 < sum(together) / len(together) < LEVEL + 0.03


@pytest.mark.parametrize("rules", [pytest.param(rules, id=rules.id) for rules in BOOKS])
def test_rounds_of_a_shoe_vary_together_as_independent_ones_do(rules: Rulebook) -> None:
    """The variance of a shoe's total, relative to that of the same number of rounds from separate shoes."""
    exact = figures(rules, solve(rules, full_shoe(rules, 8)))
    stake = 1000_00
    for bet, each in exact.bets.items():
        layout = next(name for name, felt in rules.layouts.items() if bet in felt.menu)
        shoes = simulate_sessions(
            rules,
            gains(rules, {bet: stake}, layout=layout),
            rounds=SHOE_ROUNDS,
            sessions=30_000,
            decks=8,
            procedure=FIXED,
            seed=6,
        )
        assert shoes.std_minor is not None
        ratio = shoes.std_minor**2 / (SHOE_ROUNDS * float(each.variance) * stake**2)
        assert 0.95 < ratio < 1.05, (bet, ratio)  # four standard deviations where large wins are rare


@given(
    st.lists(
        st.tuples(st.integers(0, 150), st.integers(0, 1000)), min_size=2, max_size=6, unique_by=lambda pair: pair[0]
    )
)
def test_an_interval_holds_what_was_seen_and_stays_within_what_can_be(lines: list[tuple[int, int]]) -> None:
    rounds = sum(times for _, times in lines)
    if not rounds:
        return
    weighted = [(Fraction(back), Fraction(times, rounds)) for back, times in lines]
    found = mean(weighted, rounds)
    slack = 1e-9 * (1 + found.value)
    assert found.low - slack <= found.value <= found.high + slack
    assert min(back for back, _ in lines) <= found.low
    assert found.high <= max(back for back, _ in lines)
    assert found.value == pytest.approx(sum(back * times for back, times in lines) / rounds)
    turned = edge(weighted, rounds)
    assert (turned.value, turned.low, turned.high) == (1 - found.value, 1 - found.high, 1 - found.low)


@pytest.mark.parametrize(("won", "rounds", "low", "high"), [(0, 100, 0, 0.0444), (50, 100, 0.4038, 0.5962)])
def test_a_share_has_the_interval_of_agresti_and_coull(won: int, rounds: int, low: float, high: float) -> None:
    found = share(Fraction(won, rounds), rounds)
    assert found.value == won / rounds
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-3)
