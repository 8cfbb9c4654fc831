"""How often bets turn: each cut card as if it alone had been dealt, and never more often than it can be."""

import pytest

from punto import book
from punto.odds import best_count, count_shoes, full_shoe, removal, solve_many
from punto.odds.counting.counter import deal_shoe
from punto.odds.counting.turning import turning
from punto.odds.procedure import Procedure
from punto.odds.simulation.shuffle import shuffled_shoe
from punto.odds.simulation.simulation_kernel import felt
from punto.odds.simulation.simulator import job_of
from punto.rules.refusals import Code, Refused

RULES = book("tiger-buffalo")
SHOES, SEED = 20, 3


@pytest.mark.parametrize("cut_card", [14, 60, 208])
@pytest.mark.parametrize("bet", ["small_tiger", "tie", "player_pair"])
def test_a_counter_with_that_cut_card_bets_as_often(bet: str, cut_card: int) -> None:
    dealt = turning(RULES, (208, 14, 60), decks=8, shoes=SHOES, seed=SEED)
    assert (dealt.shoes, dealt.seed, [each.cut_card for each in dealt.cuts]) == (SHOES, SEED, [14, 60, 208])
    by_cut = {each.cut_card: each for each in dealt.cuts}[cut_card]
    count = best_count(removal(RULES, full_shoe(RULES, 8), [bet]).bets[bet])
    counted = count_shoes(RULES, bet, count, decks=8, cut_card=cut_card, shoes=SHOES, seed=SEED)
    assert by_cut.rounds == counted.rounds
    assert by_cut.bets[bet].share == counted.exact.frequency
    assert by_cut.bets[bet].gain == pytest.approx(counted.exact.gain_per_bet)


def test_any_bet_is_the_best_of_all_in_each_round() -> None:
    (dealt,) = turning(RULES, (30,), decks=8, shoes=SHOES, seed=SEED).cuts
    job, best = job_of(RULES, 8, SEED, Procedure(cut_card=30)), list[float]()
    for number in range(SHOES):
        batch = solve_many(RULES, deal_shoe(job, shuffled_shoe(felt(job).fresh, SEED, number)).unseen)
        best += map(min, zip(*(batch.edges(rule).tolist() for rule in RULES.bets.values()), strict=True))
    below = [edge for edge in best if edge < 0]
    assert (dealt.rounds, dealt.any_bet.share) == (len(best), len(below) / len(best))
    assert dealt.any_bet.gain == pytest.approx(-sum(below) / len(below))
    assert max(each.share for each in dealt.bets.values()) <= dealt.any_bet.share


def test_the_error_is_that_of_a_ratio_over_shoes() -> None:
    """With shoes of nearly equal length it is close to the error of the mean share."""
    few, many = (turning(RULES, (14,), decks=8, shoes=shoes, seed=SEED).cuts[0].any_bet for shoes in (16, 144))
    assert few.share_error is not None
    assert many.share_error is not None
    assert 2 < few.share_error / many.share_error < 4.5
    assert abs(few.share - many.share) < 4 * few.share_error
    assert turning(RULES, (14,), decks=8, shoes=1, seed=SEED).cuts[0].any_bet.share_error is None


@pytest.mark.parametrize(("cuts", "shoes"), [((14, 4), 10), ((14, 400), 10), ((14,), 0)])
def test_what_cannot_be_dealt_is_refused(cuts: tuple[int, ...], shoes: int) -> None:
    with pytest.raises(Refused) as refused:
        turning(RULES, cuts, decks=8, shoes=shoes)
    assert refused.value.code is Code.OUT_OF_RANGE
