"""Bets that nobody has confirmed: they are won and lost like others, and are left out of the theoretical win."""

import asyncio
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from punto.floor.journal.round_record import BetRecord, RoundRecord
from punto.floor.reports.export import all_records
from punto.floor.reports.player_report import by_table
from punto.floor.reports.theoretical_win import Edges
from punto.floor.settings.gaming_day import Period
from punto.library import book
from tests.floor.nights import opened
from tests.floor.playing import DEALER, At, manual_table, running

TENTH = Edges(dict.fromkeys(book("commission-insurance").bets, Fraction(1, 10)), {})
NATURAL = ("9s", "2d", "Kh", "3c")


async def play(at: At, *bets: tuple[int, str, int, bool], confirm: bool = False) -> None:
    """A round with these bets: box, bet, stake and whether it is assumed."""
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
        await play(at, (4, "player", 100_00, False), (5, "banker", 200_00, True), (6, "tie", 10_00, True), confirm=True)
        await play(at, (5, "banker", 200_00, True))


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two rounds: in the first the bets of box 5 are confirmed."""
    path = str(tmp_path_factory.mktemp("assumed") / Path("floor.db"))
    asyncio.run(evening(path))
    return path


def bets(floor: str) -> list[BetRecord]:
    with opened(floor) as database:
        rounds = [each for each in all_records(database, Period()) if isinstance(each, RoundRecord)]
    return [bet for each in rounds for bet in each.bets]


def test_a_record_says_whether_a_bet_was_ever_confirmed(floor: str) -> None:
    assert [(bet.box, bet.assumed) for bet in bets(floor)] == [(4, False), (5, False), (6, True), (5, True)]


def test_assumed_bets_are_in_the_turnover_and_not_in_the_theoretical_win(floor: str) -> None:
    with opened(floor) as database:
        (line,) = by_table(all_records(database, Period()), lambda _, __: TENTH)
    assert line.turnover_minor == 510_00
    assert line.theoretical == 30_00  # a tenth of the 100 and the 200 that somebody has seen
    assert line.win_minor == sum(bet.win_minor for bet in bets(floor))
