"""The edges before a round as pages show them: every bet, and those that favour the bettor."""

from fractions import Fraction

import pytest

from punto.catalogue.sentence import Language
from punto.floor.edges.table_edges import TableEdges
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.templates import render
from punto.web.pages.parts.edges import EdgesPiece, show_edges

KNOWN = TableEdges(
    "t1",
    32,
    "t1 4",
    151,
    {"player": Fraction(-1738, 10_000), "banker": Fraction(19, 100), "tie": Fraction(-1, 5), "player_pair": Fraction()},
    first_card_known=True,
)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Edges before round 32, 151 cards drawn", "A first card is known", "favours the bettor")),
        ("zh", ("第32局开始前的赌场优势，已出151张牌", "首牌已知", "对下注者有利")),  # noqa: RUF001
    ],
)
def test_the_table_marks_what_favours_the_bettor(language: Language, words: tuple[str, ...]) -> None:
    shown = show_edges(KNOWN, TRANSLATORS[language])
    assert shown is not None
    assert [(each.bet, each.edge) for each in shown.bets] == [
        ("player", "−17.38%"),  # noqa: RUF001
        ("banker", "19.00%"),
        ("tie", "−20.00%"),  # noqa: RUF001
        ("player_pair", "0.00%"),
    ]
    assert [(each.bet, each.advantage) for each in shown.below_zero] == [("tie", "20.00%"), ("player", "17.38%")]
    html = render(EdgesPiece(edges=shown), language)
    assert all(text in html for text in words)
    assert html.count(words[-1]) == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_edges_it_says_why(language: Language) -> None:
    assert show_edges(None, TRANSLATORS[language]) is None
    assert TRANSLATORS[language]("edges.unknown") in render(EdgesPiece(edges=None), language)
