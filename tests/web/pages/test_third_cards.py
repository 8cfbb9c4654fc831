"""The third-card chart lights the line that decides, for every coup."""

from itertools import product

import pytest

from punto.library import book, book_ids
from punto.rules.coup.cards import RANKS
from punto.rules.coup.table_of_play import POINTS, To
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.third_cards import Chart, chart_of

EN = TRANSLATORS["en"]
RANK = {value: RANKS[value - 1] if value else "K" for value in POINTS}


def _lit(chart: Chart) -> tuple[list[tuple[str, str]], list[tuple[str, int, str]]]:
    """Points and action of Player's lit rows; points, column and action of Banker's lit cells."""
    player = [(row.points, row.cells[0].action) for row in chart.player if row.cells[0].lit]
    banker = [(row.points, at, cell.action) for row in chart.banker for at, cell in enumerate(row.cells) if cell.lit]
    return player, banker


def _has(points: str, value: int) -> bool:
    first, _, last = points.partition(" to ")
    return int(first) <= value <= int(last or first)


@pytest.mark.parametrize("game", book_ids())
def test_the_line_that_is_lit_is_what_happens(game: str) -> None:
    rules = book(game)
    for player, banker in product(POINTS, POINTS):
        coup = rules.coup(f"Ks Kd {RANK[player]}s {RANK[banker]}d")
        chart = chart_of(rules.table_of_play, coup, EN)
        of_player, of_banker = _lit(chart)
        assert chart.now
        assert chart.clauses == coup.next.clauses
        if coup.natural:
            assert {action for _, action in of_player} | {action for *_, action in of_banker} == {"natural"}
            continue
        ((points, action),) = of_player
        assert _has(points, player)
        assert (action == "draws") == (coup.next.to is To.PLAYER)
        if coup.next.to is To.PLAYER:
            assert of_banker == []
            _sixth_card(game, f"{coup}", banker)
        else:
            ((points, column, action),) = of_banker
            assert (_has(points, banker), column) == (True, 0)
            assert (action == "draws") == (coup.next.to is To.BANKER)


def _sixth_card(game: str, four: str, banker: int) -> None:
    rules = book(game)
    for third in POINTS:
        coup = rules.coup(f"{four} {RANK[third]}h")
        _, ((points, column, action),) = _lit(chart_of(rules.table_of_play, coup, EN))
        assert (_has(points, banker), column) == (True, third + 1)
        assert (action == "draws") == (coup.next.to is To.BANKER)


def test_after_bankers_third_card_the_line_that_drew_it_stays_lit() -> None:
    rules = book("commission")
    chart = chart_of(rules.table_of_play, rules.coup("2s 2d 2h 2c 5h 6h"), EN)
    assert chart.now == "Now: Banker has 4, Player's third card counts 5: Banker draws."
    assert _lit(chart) == ([("0 to 5", "draws")], [("4", 6, "draws")])


@pytest.mark.parametrize("cards", ["", "2s 2d 2h", "2s 2d 2h ??", "2s ?? 2h ??"])
def test_nothing_is_lit_before_four_cards_are_seen(cards: str) -> None:
    rules = book("commission")
    chart = chart_of(rules.table_of_play, rules.coup(cards), EN)
    assert _lit(chart) == ([], [])
    assert (chart.now, chart.clauses) == ("", ())
