"""Exact odds: published figures, a slow independent count, and the compiled count agree exactly."""

from fractions import Fraction
from itertools import product
from math import perm

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from punto import Refused, book
from punto.odds import Composition, Figures, figures, full_shoe, solve, solve_many
from punto.odds.distribution import Distribution
from punto.odds.exact import exact_kernel
from punto.odds.exact.solver import pair_counts
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import RANKS
from punto.rules.coup.space import ENDS, Winner
from punto.rules.coup.table_of_play import Action, PlayRow, TableOfPlay
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from tests.lanes import examples
from tests.marks import BOOKS
from tests.odds import slowly
from tests.rules.test_figures import COUNTS

pytestmark = pytest.mark.sweep

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]


def _fresh(game: str, decks: int = 8) -> Figures:
    return figures(book(game), solve(book(game), full_shoe(book(game), decks)))


@pytest.mark.parametrize("decks", COUNTS)
def test_the_deals_of_a_shoe_are_counted_as_published(decks: int) -> None:
    counted = solve(book("commission"), full_shoe(book("commission"), decks))
    won = dict.fromkeys(Winner, 0)
    for end, ways in zip(ENDS, counted.ends, strict=True):
        won[end.winner] += ways
    assert (won[Winner.BANKER], won[Winner.PLAYER], won[Winner.TIE]) == COUNTS[decks]
    assert counted.total == perm(52 * decks, 6)


@pytest.mark.parametrize(
    ("game", "bet", "edge"),
    [
        ("commission", "banker", 1.0579),
        ("commission", "player", 1.2351),
        ("commission", "tie", 14.3596),
        ("commission", "player_pair", 10.3614),
        ("da-hu-ying-xiong", "banker", 1.4581),
        ("da-hu-ying-xiong", "tiger", 16.6836),
        ("super-six-plus", "super_six_plus", 16.6836),
        ("tiger-buffalo", "small_tiger", 14.3325),
        ("tiger-buffalo", "big_tiger", 15.2533),
        ("da-hu-ying-xiong", "tiger_tie", 30.7354),
    ],
)
def test_the_house_edge_is_as_published(game: str, bet: str, edge: float) -> None:
    assert round(float(_fresh(game).bets[bet].edge) * 100, 4) == edge


def test_the_cards_in_a_round_are_as_published() -> None:
    chances = _fresh("commission").cards_per_round
    assert {cards: round(float(chance), 6) for cards, chance in chances.items()} == {
        4: 0.378868,
        5: 0.303444,
        6: 0.317687,
    }
    assert sum(chances.values()) == 1


@pytest.mark.parametrize(
    ("side", "player", "banker", "odds", "expectation"),
    [
        ("banker", 0, 5, "2", 0.001185),
        ("banker", 2, 5, "2", -0.154193),
        ("banker", 4, 5, "2", -0.014426),
        ("banker", 0, 6, "3", 0.024389),
        ("banker", 3, 6, "3", -0.014235),
        ("banker", 5, 6, "3", 0.084397),
        ("banker", 0, 7, "4", -0.152035),
        ("banker", 5, 7, "4", -0.152312),
        ("player", 5, 4, "2", -0.018352),
    ],
)
def test_insurance_on_four_cards_is_worth_what_is_published(
    side: str, player: int, banker: int, odds: str, expectation: float
) -> None:
    cells = _fresh("commission-insurance").insurance
    (cell,) = [each for each in cells if (each.stage, each.player, each.banker) == ("four", player, banker)]
    assert (cell.side, cell.odds) == (side, odds)
    assert round(-float(cell.edge), 6) == expectation
    assert cell.favours_bettor == (expectation > 0)


def test_twelve_cells_of_commission_insurance_favour_the_bettor_on_a_fresh_shoe() -> None:
    favoured = [
        (str(cell.stage), str(cell.side), cell.player, cell.banker)
        for cell in _fresh("commission-insurance").insurance
        if cell.favours_bettor
    ]
    assert favoured == [
        *[("four", "player", 6, 0), ("four", "player", 6, 5)],
        *[("four", "banker", 0, 5), ("four", "banker", 0, 6), ("four", "banker", 4, 6), ("four", "banker", 5, 6)],
        *[("third", "player", 5, 0), ("third", "player", 5, 1), ("third", "player", 5, 2)],
        *[("third", "player", 6, 0), ("third", "player", 6, 1), ("third", "player", 6, 5)],
    ]
    assert not any(cell.favours_bettor for cell in _fresh("tiger-buffalo").insurance)


def _agrees(rules: Rulebook, counts: tuple[int, ...], found: slowly.Kinds) -> None:
    """Every bet and every insurance cell agrees with the slow count."""
    worth = figures(rules, solve(rules, Composition(counts)))
    total = sum(found.values())
    for bet, each in worth.bets.items():
        slow = slowly.bet_results(found, rules.id, bet)
        quick = dict.fromkeys(slow, Fraction())
        for line in each.lines:
            # the plain rules give odds with commission already deducted
            odds = str(line.returned - 1) if line.result is Result.WIN else str(line.result)
            if line.chance:
                quick[odds] += line.chance
        assert quick == {odds: Fraction(ways, total) for odds, ways in slow.items()}, bet
        won = sum(ways for odds, ways in slow.items() if odds not in ("push", "lose"))
        assert (each.win, each.push) == (Fraction(won, total), Fraction(slow["push"], total))
        assert each.lose == Fraction(slow["lose"], total)
        assert each.edge == -slowly.expectation(slow)
        gains = {odds: Fraction({"push": 0, "lose": -1}.get(odds, odds)) for odds in slow}
        second = sum(gains[odds] ** 2 * ways for odds, ways in slow.items()) / total
        assert each.variance == second - each.edge**2
    cells = {}
    for cell in worth.insurance:
        name = (str(cell.stage), str(cell.side), cell.player, cell.banker, cell.odds)
        cells[name] = cell.offered, cell.win, cell.push, cell.lose, cell.edge
    slow_cells = {}
    for cell_name, results in slowly.insurance_results(found, rules.id).items() if rules.insurance else ():
        offered = sum(results.values())
        parts = [Fraction(results[said], offered) for said in ("win", "push", "lose")]
        edge = parts[2] - parts[0] * Fraction(cell_name[-1])
        slow_cells[cell_name] = Fraction(offered, total), *parts, edge
    assert cells == slow_cells
    drawn = {cards: sum(ways for k, ways in found.items() if sum(k.dealt[2:]) == cards) for cards in (4, 5, 6)}
    assert worth.cards_per_round == {cards: Fraction(ways, total) for cards, ways in drawn.items()}


@settings(max_examples=examples(30))
@given(slowly.few_cards)
def test_the_last_cards_of_a_shoe_agree_with_dealing_them_one_by_one(counts: tuple[int, ...]) -> None:
    found = slowly.kinds(counts)
    for rules in BOOKS:
        _agrees(rules, counts, found)


@settings(max_examples=examples(30))
@given(slowly.few_ranks)
@example((0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 40, 40, 40))
def test_shoes_of_few_ranks_agree_with_dealing_them_one_by_one(counts: tuple[int, ...]) -> None:
    found = slowly.kinds(counts)
    for rules in BOOKS:
        _agrees(rules, counts, found)


@settings(max_examples=examples(60))
@given(slowly.any_shoe)
def test_the_compiled_count_agrees_to_the_integer(counts: tuple[int, ...]) -> None:
    rules = book("tiger-buffalo")
    composition = Composition(counts)
    assert solve_many(rules, [composition])[0] == solve(rules, composition)


def test_the_largest_shoes_fit_sixty_four_bits() -> None:
    rules = book("da-hu-ying-xiong")
    shoes = [
        (40,) * 13,
        (0,) * 9 + (40,) * 4,
        (40, 0, 0, 0, 0, 0, 0, 0, 40, 40, 40, 40, 40),
        (40,) * 12 + (39,),
        (108,) * 13,
        (111,) * 12 + (116,),
        (exact_kernel.MAX_CARDS, *(0,) * 12),
        (0,) * 12 + (exact_kernel.MAX_CARDS,),
    ]
    batch = solve_many(rules, [Composition(counts) for counts in shoes])
    assert len(batch) == len(shoes)
    for at, counts in enumerate(shoes):
        plain = solve(rules, Composition(counts))  # Python's integers are unbounded
        assert batch[at] == plain
        assert sum(plain.ends) == plain.total == perm(sum(counts), 6) < 2**63
    assert perm(520, 6) < 2**55
    assert exact_kernel.MAX_CARDS**6 < 2**63


@settings(max_examples=examples(40))
@given(slowly.any_shoe)
def test_every_deal_is_counted_once(counts: tuple[int, ...]) -> None:
    counted = solve(book("commission"), Composition(counts))
    assert counted.total == perm(sum(counts), 6) == sum(counted.ends) == sum(counted.pairs)
    by_cards = dict.fromkeys((4, 5, 6), 0)
    for end, ways in zip(ENDS, counted.ends, strict=True):
        by_cards[end.cards] += ways
    assert sum(counted.four) == by_cards[5] + by_cards[6]
    assert sum(counted.third) == by_cards[6]
    assert min(*counted.ends, *counted.pairs, *counted.four, *counted.third) >= 0


@settings(max_examples=examples(20))
@given(slowly.few_cards)
def test_pairs_in_closed_form_agree_with_dealing(counts: tuple[int, ...]) -> None:
    patterns = [0] * 5
    for each, ways in slowly.kinds(counts).items():
        twin = each.player_pair is not None and each.player_pair == each.banker_pair
        patterns[4 if twin else (each.player_pair is not None) + 2 * (each.banker_pair is not None)] += ways
    assert pair_counts(counts) == patterns


def _run_weights(left: list[int]) -> list[int]:
    """Number of deals of six cards for each of the 10,000 runs."""
    runs = [0] * 10_000
    for four in product(range(10), repeat=4):
        ways, taken = 1, list(left)
        for value in four:
            ways *= taken[value]
            taken[value] -= 1
        base = (four[0] + four[2]) % 10 * 1000 + (four[1] + four[3]) % 10 * 100
        for fifth, sixth in product(range(10), repeat=2) if ways else ():
            runs[base + fifth * 10 + sixth] += ways * taken[fifth] * (taken[sixth] - (fifth == sixth))
    return runs


@pytest.mark.parametrize("rules", ALL)
def test_the_runs_of_a_shoe_reduce_to_the_same_distribution(rules: Rulebook) -> None:
    """The space's tables, weighted by run, give the same counts as the kernel."""
    composition = Composition((7, 3, 0, 5, 9, 1, 12, 2, 4, 8, 6, 0, 11))
    runs = _run_weights(composition.values(rules.table_of_play))
    assert Distribution.of_runs(rules.space, runs, pair_counts(composition.ranks)) == solve(rules, composition)


@st.composite
def _any_play(draw: st.DrawFn) -> TableOfPlay:
    """A random Table of Play: any card values, and any drawing rules."""
    worth = [*range(10), *draw(st.lists(st.integers(0, 9), min_size=3, max_size=3))]
    values = dict(zip(RANKS, draw(st.permutations(worth)), strict=True))
    actions = st.sampled_from([PlayRow(action, Clause("1")) for action in Action])
    player, alone = (tuple(draw(st.lists(actions, min_size=10, max_size=10))) for _ in range(2))
    after = []
    for row in alone:
        others = st.sampled_from([PlayRow(action, row.clause) for action in (Action.DRAWS, Action.STANDS)])
        natural = row.action is Action.NATURAL
        after.append((row,) * 10 if natural else tuple(draw(st.lists(others, min_size=10, max_size=10))))
    return TableOfPlay(values, (Clause("1"),), player, alone, tuple(after))


@settings(max_examples=examples(6))
@given(_any_play())
def test_the_kernel_knows_no_drawing_rule_of_its_own(play: TableOfPlay) -> None:
    rules = replace(book("commission"), table_of_play=play)
    composition = Composition((7, 3, 0, 5, 9, 1, 12, 2, 4, 8, 6, 0, 11))
    runs = _run_weights(composition.values(play))
    assert Distribution.of_runs(rules.space, runs, pair_counts(composition.ranks)) == solve(rules, composition)


def test_a_batch_gives_edges_as_near_as_floats_come() -> None:
    rules = book("tiger-buffalo")
    shoes = [full_shoe(rules, decks) for decks in range(4, 11)]
    batch = solve_many(rules, shoes)
    for bet, rule in rules.bets.items():
        exact = [float(figures(rules, batch[at], [bet]).bets[bet].edge) for at in range(len(batch))]
        assert batch.edges(rule) == pytest.approx(exact, abs=1e-12)


def test_a_histogram_that_cannot_be_is_refused() -> None:
    space = book("commission").space
    with pytest.raises(ValueError, match="10,000 runs"):
        Distribution.of_runs(space, [1] * 10_000, [1, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="10,000 runs"):
        Distribution.of_runs(space, [1] * 9_999, [9_999, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("shoes", "code"),
    [
        (np.zeros((1, 13), np.int64), "too_few_cards"),
        (np.full((2, 13), 112, np.int64), "too_many_cards"),
        (np.array([[9] * 12 + [-1]]), "wrong_type"),
        (np.full((1, 10), 4, np.int64), "wrong_type"),
        (np.full((1, 13), 4.0), "wrong_type"),
        (np.full(13, 4), "wrong_type"),
    ],
)
def test_a_batch_of_what_is_no_shoe_is_refused(shoes: "np.typing.NDArray[np.int64]", code: str) -> None:
    with pytest.raises(Refused) as refused:
        solve_many(book("commission"), shoes)
    assert refused.value.code == code
    assert (refused.value.clauses == ()) == (code != "too_few_cards")


def test_no_shoes_at_all_have_no_odds() -> None:
    assert len(solve_many(book("commission"), [])) == 0
