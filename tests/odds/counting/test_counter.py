"""The simulated gain of a card counter."""

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np
import pytest

from punto import Refused, book
from punto.odds import Composition, Count, best_count, count_shoes, figures, full_shoe, removal, solve
from punto.odds.counting.counter import _estimate, deal_shoe
from punto.odds.procedure import Procedure
from punto.odds.simulation.shuffle import RUNS, shuffled_shoe
from punto.odds.simulation.simulation_kernel import felt
from punto.odds.simulation.simulator import job_of
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import PAIRS, run_index
from punto.rules.rulebook import Rulebook

pytestmark = pytest.mark.sweep


def _count(rules: Rulebook, bet: str, decks: int = 8) -> Count:
    return best_count(removal(rules, full_shoe(rules, decks), [bet]).bets[bet])


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
    assert counted.exact.gain_per_shoe * 120 == pytest.approx(counted.exact.gain_per_bet * counted.exact.bets)
    for other in (counted.best, *counted.levels.values()):
        assert other.gain_per_shoe <= counted.exact.gain_per_shoe
        assert other.correlation is not None
        assert 0.5 < other.correlation < 1


def test_what_is_won_is_what_was_expected() -> None:
    """The expected gain and the amount actually won agree over many bets, up to chance."""
    counted = count_shoes(TIGER, "wu_dalang", _count(TIGER, "wu_dalang"), decks=8, cut_card=20, shoes=300, seed=2)
    std = figures(TIGER, solve(TIGER, full_shoe(TIGER, 8)), ["wu_dalang"]).bets["wu_dalang"].std
    away = (counted.exact.won_per_shoe - counted.exact.gain_per_shoe) * counted.shoes
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
    assert deep.exact.gain_per_shoe > shallow.exact.gain_per_shoe >= 0
    assert deep.rounds > shallow.rounds


def test_a_pair_bet_has_no_count_and_still_can_be_beaten() -> None:
    counted = count_shoes(TIGER, "player_pair", _count(TIGER, "player_pair"), decks=8, shoes=40, seed=0)
    assert (counted.best, counted.levels) == (None, {})
    assert counted.exact.gain_per_shoe > 0


def test_one_shoe_has_no_standard_error() -> None:
    counted = count_shoes(TIGER, "banker", _count(TIGER, "banker"), decks=8, shoes=1)
    assert counted.exact.gain_per_shoe_error is None
    assert counted.exact.gain_per_bet >= 0


@pytest.mark.parametrize(
    "given",
    [{"cut_card": -1}, {"cut_card": 10}, {"cut_card": 400}, {"shoes": 0}, {"shoes": -5}, {"seed": -1}, {"seed": 2**64}],
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
