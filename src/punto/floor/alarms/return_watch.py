"""Compares what players got back on each kind of bet with its exact odds, once a gaming day is over.

An actual return is far from the theoretical one after few rounds, or if a few stakes are much larger than the others.
So a bet counts only from a number of rounds on that tell as much as ``LEAST_ROUNDS`` with the same stake.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from fractions import Fraction

from punto.floor.alarms.alarm_facts import once_text
from punto.floor.alarms.alarms import Alarms
from punto.floor.errors import FloorRefused
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.floor.reports.days.bet_sums import PlaySums, SummedBet
from punto.floor.reports.days.shift_report import Reports, ShiftReport
from punto.floor.reports.theoretical_win import exact_covariances, exact_edges
from punto.floor.running.floor import Floor
from punto.floor.settings.floor_settings import FloorSettings
from punto.floor.settings.gaming_day import Period

LOOK_EVERY_S = 60.0
LEAST_ROUNDS = 200
_MILLION = 1_000_000
_LOG = logging.getLogger(__name__)


class ReturnWatch:
    def __init__(
        self, floor: Floor, alarms: Alarms, reports: Reports, settings: Callable[[], Awaitable[FloorSettings]]
    ) -> None:
        self._floor, self._alarms, self._reports, self._settings = floor, alarms, reports, settings
        self._compared = Period()
        """The last gaming day that this process has compared."""

    async def run(self) -> None:
        while True:
            await self._floor.clock.sleep(LOOK_EVERY_S)
            try:
                await self.compare_last_day()
            except FloorRefused as refused:  # the database does not answer, or too many reports are being made
                _LOG.warning("could not compare the returns of the last gaming day: %s", refused.message)
            except Exception:  # noqa: BLE001 - such as an altered journal: tables go on, and the next day is compared
                _LOG.exception("cannot compare the returns of the last gaming day")

    async def compare_last_day(self) -> None:
        """Compare the gaming day that has ended last, once.

        Every process does, and the database lets each alarm ring once.
        """
        settings = await self._settings()
        day, most = settings.gaming_day, settings.alarms.return_deviations
        today_us = day.period(day.day_of(self._floor.clock.now_us())).since_us or 0
        ended = day.day_of(today_us - 1)
        period = day.period(ended)
        if not most or period == self._compared:
            return
        try:
            report = await self._reports.of_house(period)
        except Exception as error:
            if not isinstance(error, FloorRefused):
                self._compared = period  # it cannot be read, and the next time would be no better
            raise
        due = await asyncio.to_thread(lambda: [*return_alarms(report, ended.isoformat(), most)])  # odds take a while
        await self._alarms.ring(due)
        self._compared = period


def return_alarms(report: ShiftReport, day: str, most: int) -> Iterator[DueAlarm]:
    """Of all tables of a game together, and not for play money."""
    for key, figures in report.games.items():
        if key.play_money:
            continue
        for bet, sums in sorted(figures.play.bets.items()):
            expected = figures.play.expected(exact_edges, exact_covariances, only=bet)
            deviations = expected.deviations(sums.win_minor)
            if deviations is None or abs(deviations) < most or equal_rounds(figures.play, bet) < LEAST_ROUNDS:
                continue
            text = once_text(AlarmKind.RETURN_OFF, day, key.book, key.currency, bet[1])
            values = {
                "day": day,
                "game": key.book,
                "bet": bet[1],
                "actual": _share(1 - Fraction(sums.win_minor, sums.turnover_minor)),
                "theoretical": _share(1 - expected.theoretical / sums.turnover_minor),
                "deviations": f"{abs(deviations):.1f}",
            }
            yield DueAlarm(AlarmKind.RETURN_OFF, text, subject=bet[1], values={**values})


def equal_rounds(play: PlaySums, bet: SummedBet) -> Fraction:
    """The rounds with this bet; if stakes differ, how many with equal stakes would tell as much."""
    stakes = sum(
        stake for game, each in play.stakes.items() for (name, _), stake in each.items() if bet == (game[0], name)
    )
    squares = sum(
        both
        for game, each in play.products.items()
        for (one, other), both in each.items()
        if bet == (game[0], one[0]) == (game[0], other[0])
    )
    return Fraction(stakes**2, squares) if squares else Fraction()


def _share(share: Fraction) -> str:
    return str(Fraction(round(share * _MILLION), _MILLION))
