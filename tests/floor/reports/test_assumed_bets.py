"""Bets that nobody has confirmed: once settled they count like every other bet, in every column of a report."""

import asyncio
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from punto.floor.reports.days.report_lines import FiguresLine, PlayerLine, write_report
from punto.floor.reports.days.shift_report import make_report
from punto.floor.reports.export import all_records
from punto.floor.reports.player_report import by_table
from punto.floor.reports.theoretical_win import exact_edges
from punto.floor.settings.gaming_day import Period
from punto.library import book
from punto.odds import full_shoe, full_shoe_figures
from punto.odds.exact.covariance import Covariances
from tests.floor.nights import opened
from tests.floor.playing import DEALER, At, manual_table, running

NATURAL = ("9s", "2d", "Kh", "3c")
NOW_US = 2_000_000_000 * 1_000_000
DECKS = 8
Row = tuple[int, str, int, bool]
"""Box, bet, stake and whether it is assumed."""
ROUNDS: list[list[Row]] = [
    [(4, "player", 100_00, False), (5, "banker", 200_00, True), (6, "tie", 10_00, True)],
    [(5, "banker", 300_00, True)],
]
WINS = {"player": -1, "banker": 1, "tie": 1}
"""The house's for each unit: Player wins with a natural nine."""


async def play(at: At, bets: list[Row], *, confirm: bool = False) -> None:
    await at.do(DEALER, "open_betting")
    for box, bet, stake_minor, assumed in bets:
        fields: dict[str, Any] = {"who": f"box {box}", "box": box, "bet": bet, "stake_minor": stake_minor}
        await at.do(DEALER, "place_bet", **fields, assumed=assumed)
    if confirm:
        await at.do(DEALER, "confirm_bets", box=5)
    await at.do(DEALER, "close_betting")
    for card in NATURAL:
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


async def evening(path: str) -> None:
    async with running(path) as floor:
        at = await manual_table(floor, rules="commission-insurance", observing=True)
        await play(at, ROUNDS[0], confirm=True)
        await play(at, ROUNDS[1])


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two rounds: in the first the bets of box 5 are confirmed, the tie and the bet of the second never are."""
    path = str(tmp_path_factory.mktemp("assumed") / Path("floor.db"))
    asyncio.run(evening(path))
    return path


def edge(bet: str) -> Fraction:
    return full_shoe_figures(book("commission-insurance"), DECKS).bets[bet].edge


def half_up(amount: Fraction) -> int:
    return int(amount + Fraction(1, 2))


def expected(*, bet: str = "", box: int = 0) -> tuple[int, int, Fraction]:
    """Turnover, win and theoretical win from the rows as they were entered."""
    rows = [row for rows in ROUNDS for row in rows if bet in ("", row[1]) and box in (0, row[0])]
    turnover, won = sum(row[2] for row in rows), sum(WINS[row[1]] * row[2] for row in rows)
    return turnover, won, sum((row[2] * edge(row[1]) for row in rows), Fraction())


def variance(bet: str = "") -> Fraction:
    rules = book("commission-insurance")
    covariances = Covariances(rules, full_shoe(rules, DECKS))
    return sum(
        (
            one[2] * other[2] * covariances.of((one[1], None), (other[1], None))
            for rows in ROUNDS
            for one in rows
            for other in rows
            if bet in ("", one[1]) and bet in ("", other[1])
        ),
        Fraction(),
    )


def report(floor: str) -> tuple[tuple[FiguresLine, ...], tuple[PlayerLine, ...]]:
    with opened(floor) as database:
        lines = write_report(make_report(database, Period(), NOW_US, ""))
    return lines.figures, lines.players


def test_settled_bets_count_in_the_theoretical_win_confirmed_or_not(floor: str) -> None:
    with opened(floor) as database:
        (line,) = by_table(all_records(database, Period()), exact_edges)
    assert (line.turnover_minor, line.win_minor, line.theoretical) == expected()


def test_every_column_of_a_figures_row_counts_the_same_bets(floor: str) -> None:
    turnover, won, theoretical = expected()
    deviations = round(float(won - theoretical) / float(variance()) ** 0.5, 2)
    figures, _ = report(floor)
    assert [each.scope for each in figures] == ["floor", "game", "table"]
    for line in figures:
        assert (line.bets, line.turnover_minor, line.win_minor) == (4, turnover, won)
        assert (line.theoretical_minor, line.deviations) == (half_up(theoretical), deviations)


@pytest.mark.parametrize("bet", WINS)
def test_so_does_every_column_of_a_row_by_kind(floor: str, bet: str) -> None:
    turnover, won, theoretical = expected(bet=bet)
    (line,) = (each for each in report(floor)[0][0].bets_by_kind if each.bet == bet)
    assert (line.turnover_minor, line.win_minor) == (turnover, won)
    assert line.theoretical_minor == half_up(theoretical)
    assert line.deviations == round(float(won - theoretical) / float(variance(bet)) ** 0.5, 2)
    assert line.actual_return == round(1 - won / turnover, 6)
    assert line.theoretical_return == round(float(1 - edge(bet)), 6)


@pytest.mark.parametrize("box", [4, 5, 6])
def test_so_does_every_column_of_a_rating(floor: str, box: int) -> None:
    turnover, won, theoretical = expected(box=box)
    (line,) = (each for each in report(floor)[1] if each.who == f"box {box}")
    rounds = sum(any(row[0] == box for row in rows) for rows in ROUNDS)
    assert (line.rounds, line.turnover_minor, line.win_minor) == (rounds, turnover, -won)
    assert line.average_bet_minor == turnover // rounds
    assert line.theoretical_minor == half_up(theoretical)
