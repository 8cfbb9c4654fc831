"""The simulated gain of a card counter."""

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np
import pytest

from punto import Refused, book
from punto.odds import Composition, Count, best_count, count_shoes, figures, full_shoe, removal, solve, solve_many
from punto.odds.counting.advantage import Advantage
from punto.odds.counting.counter import _estimate, deal_shoe, deal_stretch
from punto.odds.procedure import Procedure, continuous
from punto.odds.simulation.machine import STRETCH
from punto.odds.simulation.shuffle import RUNS, shuffled_shoe
from punto.odds.simulation.simulation_kernel import felt
from punto.odds.simulation.simulator import job_of
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import PAIRS, run_index
from punto.rules.rulebook import Rulebook
from tests.odds import shoes

pytestmark = pytest.mark.sweep


def _count(rules: Rulebook, bet: str, decks: int = 8) -> Count:
    return best_count(removal(rules, full_shoe(rules, decks), [bet]).bets[bet])


def _per_shoe(advantage: Advantage) -> float:
    assert advantage.gain_per_shoe is not None
    return advantage.gain_per_shoe


TIGER = book("tiger-buffalo")


@pytest.mark.parametrize("cut_card", [11, 14, 60])
def test_the_rounds_of_a_shoe_are_those_the_engine_deals(cut_card: int) -> None:
    job = job_of(TIGER, 4, 5, Procedure(cut_card=cut_card))
    cards = shuffled_shoe(felt(job).fresh, seed=5, shoe=3)
    ranks = [RANKS[code >> 4] for code in cards.tolist()]
    assert Counter(ranks) == dict.fromkeys(RANKS, 16)
    value = TIGER.table_of_play.values[ranks[0]]
    at = 1 + (value or 10)
    seen = Counter(ranks[:1])
    rounds = deal_shoe(job, cards)
    after = 1
    for unseen, kind in zip(rounds.unseen.tolist(), rounds.kinds.tolist(), strict=True):
        if at >= len(cards) - cut_card:
            assert after == 1
            after = 0
        assert unseen == [16 - seen[rank] for rank in RANKS]
        suited = (f"{rank}{'shdcsh'[place]}" for place, rank in enumerate(ranks[at : at + 6]))
        coup = Coup.of(TIGER.space, " ".join(suited))
        assert (PAIRS.index(coup.outcome.pairs), run_index(coup.partial)) == divmod(kind, RUNS)
        seen += Counter(ranks[at : at + coup.used])
        at += coup.used
    assert len(cards) - cut_card <= at <= len(cards)
    assert after == 0


def test_who_counts_with_the_best_tags_knows_the_first_card_exactly() -> None:
    """After one card the linear estimate equals the exact expectation by construction."""
    shoe = full_shoe(TIGER, 8)
    count = _count(TIGER, "small_tiger")
    assert count.best is not None
    for rank in RANKS:
        left = shoe.less(rank)
        exact = -figures(TIGER, solve(TIGER, left), ["small_tiger"]).bets["small_tiger"].edge
        (estimate,) = _estimate(count.best, np.array([left.ranks]), float(-count.effects.edge), shoe.cards)
        assert estimate == pytest.approx(float(exact), abs=1e-14)


def test_nobody_beats_who_knows_the_exact_odds() -> None:
    counted = count_shoes(TIGER, "small_tiger", _count(TIGER, "small_tiger"), decks=8, shoes=120, seed=1)
    assert counted.shoes == 120
    assert counted.rounds > 120 * 70
    assert counted.best is not None
    assert counted.exact.correlation == pytest.approx(1)
    assert 0 < counted.exact.gain_per_bet < 1
    assert _per_shoe(counted.exact) * 120 == pytest.approx(counted.exact.gain_per_bet * counted.exact.bets)
    assert _per_shoe(counted.exact) * 120 == pytest.approx(counted.exact.gain_per_round * counted.rounds)
    assert counted.least_edge < 0 < counted.most_edge
    for other in (counted.best, *counted.levels.values()):
        assert _per_shoe(other) <= _per_shoe(counted.exact)
        assert other.correlation is not None
        assert 0.5 < other.correlation < 1


def test_what_is_won_is_what_was_expected() -> None:
    """The expected gain and the amount actually won agree over many bets, up to chance."""
    counted = count_shoes(TIGER, "wu_dalang", _count(TIGER, "wu_dalang"), decks=8, cut_card=20, shoes=300, seed=2)
    std = figures(TIGER, solve(TIGER, full_shoe(TIGER, 8)), ["wu_dalang"]).bets["wu_dalang"].std
    assert counted.exact.won_per_shoe is not None
    away = (counted.exact.won_per_shoe - _per_shoe(counted.exact)) * counted.shoes
    assert abs(away) < 4 * 1.5 * std * sqrt(counted.exact.bets)
    assert counted.exact.won_per_shoe != counted.exact.gain_per_shoe


def test_the_same_seed_gives_the_same_gain_and_another_another() -> None:
    count = _count(TIGER, "tie")
    one, same, other = (count_shoes(TIGER, "tie", count, decks=8, shoes=20, seed=seed) for seed in (7, 7, 8))
    assert one == same
    assert one != other


def test_a_deeper_shoe_gains_more() -> None:
    count = _count(TIGER, "tie")
    deep, shallow = (count_shoes(TIGER, "tie", count, decks=8, cut_card=cut, shoes=60, seed=3) for cut in (11, 150))
    assert _per_shoe(deep.exact) > _per_shoe(shallow.exact) >= 0
    assert deep.rounds > shallow.rounds


def test_a_pair_bet_has_no_count_and_still_can_be_beaten() -> None:
    counted = count_shoes(TIGER, "player_pair", _count(TIGER, "player_pair"), decks=8, shoes=40, seed=0)
    assert (counted.best, counted.levels) == (None, {})
    assert _per_shoe(counted.exact) > 0


def test_one_shoe_has_no_standard_error() -> None:
    counted = count_shoes(TIGER, "banker", _count(TIGER, "banker"), decks=8, shoes=1)
    assert counted.exact.gain_per_shoe_error is None
    assert counted.exact.gain_per_round_error is None
    assert counted.exact.gain_per_bet >= 0


@pytest.mark.parametrize(
    "given",
    [
        *({"cut_card": -1}, {"cut_card": 10}, {"cut_card": 400}),
        *({"shoes": 0}, {"shoes": -5}, {"seed": -1}, {"seed": 2**64}),
        *({"back_after": 0}, {"back_after": 70}, {"back_after": 2, "rounds": 0}),
    ],
)
def test_numbers_that_make_no_sense_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        count_shoes(TIGER, "banker", _count(TIGER, "banker"), decks=8, **given)
    assert refused.value.code == "out_of_range"


def test_a_composition_is_what_a_counter_has_not_seen() -> None:
    job = job_of(TIGER, 8, 0, Procedure())
    cards = shuffled_shoe(felt(job).fresh, seed=0, shoe=0)
    first = Composition(tuple(deal_shoe(job, cards).unseen[0].tolist()))
    assert first == full_shoe(TIGER, 8).less(RANKS[cards[0] >> 4])  # the burned cards are not seen


@pytest.mark.parametrize("back_after", [1, 2, 9])
def test_at_a_machine_a_counter_has_seen_the_cards_that_are_out(back_after: int) -> None:
    rounds = deal_stretch(job_of(TIGER, 4, 5, continuous(back_after)), 3)
    slowly = list(shoes.rounds_of_machine(TIGER, 4, 5, [3], back_after, STRETCH))[back_after - 1 :]
    assert rounds.unseen.tolist() == [[inside[rank] for rank in RANKS] for inside, _ in slowly]
    kinds = [(PAIRS.index(coup.outcome.pairs), run_index(coup.partial)) for _, coup in slowly]
    assert [divmod(kind, RUNS) for kind in rounds.kinds.tolist()] == kinds


def test_if_every_round_starts_from_the_whole_set_there_is_nothing_to_count() -> None:
    counted = count_shoes(TIGER, "small_tiger", _count(TIGER, "small_tiger"), decks=8, back_after=1, rounds=3000)
    edge = float(figures(TIGER, solve(TIGER, full_shoe(TIGER, 8)), ["small_tiger"]).bets["small_tiger"].edge)
    assert (counted.shoes, counted.rounds) == (0, 3000)
    assert counted.least_edge == counted.most_edge == pytest.approx(edge, abs=1e-14)
    assert counted.best is not None
    for each in (counted.exact, counted.best, *counted.levels.values()):
        assert (each.bets, each.gain_per_round, each.gain_per_round_error, each.correlation) == (0, 0, 0, None)
        assert (each.gain_per_shoe, each.gain_per_shoe_error, each.won_per_shoe) == (None, None, None)


def test_with_more_rounds_out_counting_is_worth_more_and_its_error_is_that_of_the_stretches() -> None:
    count = _count(TIGER, "small_tiger", 4)
    few, many, less = (
        count_shoes(TIGER, "small_tiger", count, decks=4, back_after=back_after, rounds=rounds, seed=3)
        for back_after, rounds in ((30, 4000), (30, 64_000), (12, 8000))
    )
    assert (few.rounds, many.rounds, less.rounds) == (4000, 64_000, 8000)
    assert many.exact.gain_per_round > few.exact.gain_per_round / 2 > less.exact.gain_per_round >= 0
    assert many.least_edge < 0 < many.most_edge
    assert many.exact.gain_per_round * many.rounds == pytest.approx(many.exact.gain_per_bet * many.exact.bets)
    assert few.exact.gain_per_round_error is not None
    assert many.exact.gain_per_round_error is not None
    assert 2 < few.exact.gain_per_round_error / many.exact.gain_per_round_error < 8
    assert abs(few.exact.gain_per_round - many.exact.gain_per_round) < 4 * few.exact.gain_per_round_error
    assert many.best is not None
    assert many.best.gain_per_round <= many.exact.gain_per_round


def test_at_a_machine_the_mean_edge_is_that_of_the_whole_set() -> None:
    job = job_of(TIGER, 4, 1, continuous(12))
    unseen = np.concatenate([deal_stretch(job, number).unseen for number in range(40)])
    edges = solve_many(TIGER, unseen).edges(TIGER.bets["tie"])
    exact = figures(TIGER, solve(TIGER, full_shoe(TIGER, 4)), ["tie"]).bets["tie"].edge
    independent = len(edges) / 12  # the cards out change completely in twelve rounds
    assert abs(edges.mean() - float(exact)) < 4 * edges.std() / sqrt(independent)
    assert edges.std() > 0


def test_a_machine_has_no_cut_card() -> None:
    with pytest.raises(Refused, match="no cut card") as refused:
        count_shoes(TIGER, "banker", _count(TIGER, "banker"), cut_card=14, back_after=2)
    assert refused.value.code == "options_contradict"
