"""The edges of a round agree with every deal counted card by card, in plain Python and compiled."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from punto.floor.edges.round_start import RoundStart
from punto.floor.edges.table_edges import TableEdges, solve_starts
from punto.library import book
from punto.odds import Composition, full_shoe, full_shoe_figures
from punto.rules.coup.cards import RANKS, Face, read_card
from punto.rules.rulebook import Rulebook
from tests.lanes import examples
from tests.marks import BOOKS
from tests.odds import slowly

GAMES = [pytest.param(rules, id=rules.id) for rules in BOOKS]


def start_of(rules: Rulebook, unseen: Composition, first: tuple[Face | None, ...] = ()) -> RoundStart:
    return RoundStart(
        rules, max(rules.layouts, key=lambda each: len(rules.layouts[each].menu)), 1, "s", 0, first, unseen
    )


def counted_slowly(start: RoundStart) -> dict[str, Fraction]:
    """Every deal of the unknown cards, judged by rules that share no code with the engine."""
    places = (*start.first, *[None] * 6)[:6]
    kinds: slowly.Kinds = Counter()
    for drawn, ways in slowly.deals(dict(zip(RANKS, start.unseen.ranks, strict=True)), places.count(None)):
        turned = iter(drawn)
        kinds[slowly.kind([card.rank if card else next(turned) for card in places])] += ways
    return {bet: -slowly.expectation(slowly.bet_results(kinds, start.rules.id, bet)) for bet in start.menu}


@pytest.mark.parametrize("rules", GAMES)
def test_before_the_first_round_they_are_those_of_a_full_shoe(rules: Rulebook) -> None:
    start = start_of(rules, full_shoe(rules, 8))
    for compiled in (False, True):
        (edges,) = solve_starts([start], compiled=compiled)
        assert edges == {bet: full_shoe_figures(rules, 8).bets[bet].edge for bet in start.menu}


@given(
    game=st.sampled_from([rules.id for rules in BOOKS]),
    unseen=st.lists(st.sampled_from(RANKS), min_size=6, max_size=8),
    first=st.lists(st.none() | st.sampled_from(list(Face)), max_size=6),
)
@example("tiger-buffalo", list("A23456"), [Face("9")])
@example("tiger-buffalo", list("AA2233"), [None, read_card("9s")])
@example("da-hu-ying-xiong", list("K6K6K6"), [])
@settings(max_examples=examples(25))
def test_a_small_shoe_agrees_with_a_slow_count(game: str, unseen: list[str], first: list[Face | None]) -> None:
    start = start_of(book(game), Composition(tuple(map(unseen.count, RANKS))), tuple(first))
    for compiled in (False, True):
        assert solve_starts([start], compiled=compiled) == [counted_slowly(start)]


def test_many_tables_of_several_games_are_solved_together_each_by_its_own_cards() -> None:
    shoes = [Composition((31,) * 12 + (left,)) for left in (31, 20, 4)]
    starts = [start_of(rules, shoe) for shoe in shoes for rules in BOOKS]
    starts.insert(1, start_of(BOOKS[0], shoes[0], (Face("9"),)))
    apart = [solve_starts([start], compiled=False)[0] for start in starts]
    assert solve_starts(starts, compiled=True) == solve_starts(starts, compiled=False) == apart
    assert len({each["player"] for each in apart}) == len(shoes) + 1


def test_the_bets_below_zero_come_best_first() -> None:
    rules = book("tiger-buffalo")
    (edges,) = solve_starts([start_of(rules, full_shoe(rules, 8), (Face("6"),))], compiled=False)
    below = TableEdges("t1", 1, "s", 0, edges, first_card_known=True).below_zero
    assert list(below) == ["small_buffalo", "banker_char_siu", "player"]
    assert list(below.values()) == sorted(edge for edge in edges.values() if edge < 0)
