"""Effects of removal, and the best counts."""

from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punto import book
from punto.odds import Composition, Effects, best_count, full_shoe, removal
from punto.odds.counting.count_tags import correlation, turns_at, whole_tags
from punto.odds.exact.removal import Cell
from punto.rules.coup.cards import RANKS
from punto.rules.rulebook import Rulebook
from tests.lanes import examples
from tests.marks import BOOKS
from tests.odds import slowly

pytestmark = pytest.mark.sweep

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]


@settings(max_examples=examples(8))
@given(st.lists(st.sampled_from(RANKS), min_size=7, max_size=7))
def test_the_effects_are_the_difference_of_two_slow_counts(ranks: list[str]) -> None:
    counts = tuple(ranks.count(rank) for rank in RANKS)
    kinds = {"": slowly.kinds(counts)}
    for rank in set(ranks):
        kinds[rank] = slowly.kinds(tuple(left - (rank == each) for left, each in zip(counts, RANKS, strict=True)))
    for rules in BOOKS:
        changes = removal(rules, Composition(counts))
        for bet, effects in changes.bets.items():
            slow = {rank: slowly.expectation(slowly.bet_results(found, rules.id, bet)) for rank, found in kinds.items()}
            assert effects.edge == -slow[""]
            assert effects.by_rank == {rank: slow[rank] - slow[""] for rank in RANKS if rank in kinds and rank}
        if rules.insurance:
            _cells_agree(rules, changes.insurance, kinds)


def _cells_agree(rules: Rulebook, cells: dict[Cell, Effects], kinds: dict[str, slowly.Kinds]) -> None:
    worth: dict[tuple[str, str, int, int], dict[str, Fraction]] = {}
    for rank, found in kinds.items():
        for (stage, side, player, banker, odds), results in slowly.insurance_results(found, rules.id).items():
            gain = results["win"] * Fraction(odds) - results["lose"]
            worth.setdefault((stage, side, player, banker), {})[rank] = gain / sum(results.values())
    assert {(str(cell.stage), str(cell.side), cell.player, cell.banker) for cell in cells} == set(worth)
    for cell, effects in cells.items():
        slow = worth[str(cell.stage), str(cell.side), cell.player, cell.banker]
        assert effects.edge == -slow[""]
        assert effects.by_rank == {rank: slow[rank] - slow[""] for rank in slow if rank}


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("ranks", [None, (3, 0, 5, 1, 8, 2, 2, 9, 4, 1, 0, 7, 3)])
def test_a_card_that_leaves_at_random_changes_nothing(rules: Rulebook, ranks: tuple[int, ...] | None) -> None:
    """Over all cards that may be removed, the effects on a bet sum to zero exactly."""
    shoe = full_shoe(rules) if ranks is None else Composition(ranks)
    left = dict(zip(RANKS, shoe.ranks, strict=True))
    for effects in removal(rules, shoe).bets.values():
        assert set(effects.by_rank) == {rank for rank in RANKS if left[rank]}
        assert sum(left[rank] * effect for rank, effect in effects.by_rank.items()) == 0


def test_on_a_full_shoe_no_rank_counts_for_a_pair_bet() -> None:
    rules = book("da-hu-ying-xiong")
    changes = removal(rules, full_shoe(rules), ["tiger_pair", "tiger"])
    assert set(changes.bets) == {"tiger_pair", "tiger"}
    assert set(changes.bets["tiger_pair"].by_rank.values()) == {Fraction()}
    count = best_count(changes.bets["tiger_pair"])
    assert (count.best, count.levels) == (None, {})


def test_a_bet_on_banker_likes_small_cards_gone() -> None:
    """As known from the literature: removing aces to fours favours Banker, fives to nines favour Player."""
    changes = removal(book("commission"), full_shoe(book("commission"), 8)).bets
    good = {rank for rank, effect in changes["banker"].by_rank.items() if effect > 0}
    assert good == set("A234TJQK")
    assert {rank for rank, effect in changes["player"].by_rank.items() if effect > 0} == set("56789")
    assert round(float(changes["banker"].by_rank["4"]), 6) == 0.000116
    assert round(float(changes["banker"].by_rank["6"]), 6) == -0.000113


@settings(max_examples=examples(60))
@given(st.lists(st.integers(-9, 9).map(Fraction), min_size=5, max_size=5), st.integers(1, 2))
def test_the_whole_tags_are_the_best_of_all_balanced_ones(wanted: list[Fraction], level: int) -> None:
    mean = sum(wanted, Fraction()) / len(wanted)
    wanted = [effect - mean for effect in wanted]
    if not any(wanted):
        return
    found = whole_tags(wanted, level)
    best = 0.0
    for tags in product(range(-level, level + 1), repeat=len(wanted)):
        if sum(tags) == 0 and any(tags):
            best = max(
                best, float(sum(map(Fraction.__mul__, wanted, map(Fraction, tags)))) / sqrt(sum(t * t for t in tags))
            )
    if found is None:
        assert best == 0
        return
    assert sum(found) == 0
    assert max(map(abs, found)) <= level
    reached = float(sum(map(Fraction.__mul__, wanted, found))) / sqrt(sum(tag * tag for tag in found))
    assert reached == pytest.approx(best)


def test_ranks_that_do_the_same_are_tagged_apart_where_that_follows_the_effects_better() -> None:
    rules = book("commission")
    effects = removal(rules, full_shoe(rules, 8), ["tie"]).bets["tie"]
    tags = best_count(effects).levels[3]
    assert tags.tags == tuple(map(Fraction, (0, -1, -1, -1, -1, -3, -3, 2, 1, 2, 2, 2, 1)))
    assert round(tags.correlation, 4) == 0.9785  # 0.9690 with one tag for ten, jack, queen and king


@pytest.mark.parametrize("rules", ALL)
def test_every_count_is_balanced_and_better_with_larger_tags(rules: Rulebook) -> None:
    shoe = full_shoe(rules)
    changes = removal(rules, shoe)
    for effects in [*changes.bets.values(), *changes.insurance.values()]:
        count = best_count(effects)
        if count.best is None:
            continue
        assert list(count.levels) == [1, 2, 3]
        assert count.best.correlation == pytest.approx(1)
        assert max(map(abs, count.best.tags)) == 1
        assert [level.correlation for level in count.levels.values()] == sorted(
            level.correlation for level in count.levels.values()
        )
        for level, tags in count.levels.items():
            assert sum(tags.tags) == 0
            assert {abs(tag) for tag in tags.tags} <= set(map(Fraction, range(level + 1)))
            assert 0.5 < tags.correlation <= 1
            assert (turns_at(tags, effects.edge, shoe.cards) < 0) == (effects.edge < 0)


def test_a_count_is_made_for_a_full_shoe() -> None:
    with pytest.raises(ValueError, match="every rank"):
        best_count(Effects(Fraction(), {"A": Fraction(1)}))


def test_correlation_of_what_is_alike_and_of_what_is_opposed() -> None:
    one = [Fraction(each) for each in (1, 2, 4, 4)]
    assert correlation(one, [3 * each + 5 for each in one]) == pytest.approx(1)
    assert correlation(one, [-each for each in one]) == pytest.approx(-1)
