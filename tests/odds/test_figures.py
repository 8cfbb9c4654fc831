"""The edge alone is the edge of all figures."""

import pytest
from hypothesis import given, settings

from punto.odds import Composition, solve
from punto.odds.figures import bet_figures, edge_of
from punto.rules.rulebook import Rulebook
from tests.lanes import examples
from tests.marks import BOOKS
from tests.odds.slowly import any_shoe


@pytest.mark.parametrize("rules", [pytest.param(rules, id=rules.id) for rules in BOOKS])
@given(ranks=any_shoe)
@settings(max_examples=examples(10))
def test_the_edge_alone_is_that_of_all_figures(rules: Rulebook, ranks: tuple[int, ...]) -> None:
    dealt = solve(rules, Composition(ranks))
    for rule in rules.bets.values():
        assert edge_of(rule, dealt) == bet_figures(rule, dealt).edge
