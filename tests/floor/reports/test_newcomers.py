"""Somebody new at the place of one who bet there in the last round: each has a rating of their own."""

import asyncio
from pathlib import Path

from punto.floor.reports.days.report_lines import write_report
from punto.floor.reports.days.shift_report import make_report
from punto.floor.settings.gaming_day import Period
from tests.floor.nights import opened
from tests.floor.playing import DEALER, At, manual_table, running

NOW_US = 2_000_000_000 * 1_000_000


async def _play(at: At, stake_minor: int) -> None:
    await at.do(DEALER, "open_betting")
    await at.do(DEALER, "place_bet", who="box 4", box=4, bet="player", stake_minor=stake_minor)
    await at.do(DEALER, "close_betting")
    for card in ("9s", "2d", "Kh", "3c"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


async def _evening(path: str) -> None:
    async with running(path) as floor:
        at = await manual_table(floor, rules="commission-insurance", observing=True)
        await at.do(DEALER, "buy_in", who="box 4", amount_minor=500_00)
        await _play(at, 100_00)
        await at.do(DEALER, "leave", who="box 4")
        await at.do(DEALER, "buy_in", who="box 4", amount_minor=70_00)
        await _play(at, 30_00)


def test_what_each_did_is_their_own(tmp_path: Path) -> None:
    path = str(tmp_path / "floor.db")
    asyncio.run(_evening(path))
    with opened(path) as database:
        lines = write_report(make_report(database, Period(), NOW_US, ""))
    found = {
        line.who: (line.turnover_minor, line.win_minor, line.drop_minor)
        for line in lines.players
        if line.turnover_minor
    }
    assert found == {"box 4/2": (100_00, 100_00, 500_00), "box 4": (30_00, 30_00, 70_00)}
