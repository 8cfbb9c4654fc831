"""The return of every bet on a gaming day beside its odds: it rings outside the band, once, and not for play money."""

import asyncio
from collections import Counter

import pytest

from punto.floor.alarms import return_watch
from punto.floor.alarms.return_watch import ReturnWatch, equal_rounds, return_alarms
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.alarm import Alarm, AlarmKind
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.reports.days.bet_sums import BetSums, PlaySums
from punto.floor.reports.days.shift_report import Reports, ShiftReport, TableKey, TableSums
from punto.floor.settings.floor_settings import FloorSettings
from punto.floor.settings.gaming_day import Period
from tests.floor.alarms.watched import Watched, watched
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, betting_table
from tests.floor.staff_floor import refused
from tests.waiting import until

STAKE, DAY_MIN = 100_00, 24 * 60
PLAYER = ("commission", "player")


def day_of(rounds: int, won: int, stake: int = STAKE, **key: bool) -> ShiftReport:
    """Rounds with one bet on Player, of which the house won some. None was a tie."""
    staked = rounds * stake
    win = stake * (2 * won - rounds)
    bets = BetSums(bets=rounds, turnover_minor=staked, win_minor=win)
    laid = ("player", None)
    play = PlaySums(
        rounds,
        bets={PLAYER: bets},
        stakes={("commission", 8): Counter({laid: staked})},
        products={("commission", 8): Counter({(laid, laid): rounds * stake**2})},
    )
    return ShiftReport(Period(), 0, {TableKey("t1", "commission", "SGD", **key): TableSums(play)})


def rung(report: ShiftReport, most: int = 4) -> list[object]:
    return [due.values["deviations"] for due in return_alarms(report, "2026-11-17", most)]


@pytest.mark.parametrize(("won", "deviations"), [(231, []), (232, ["4.0"]), (158, []), (157, ["4.0"]), (0, ["20.9"])])
def test_it_rings_from_the_threshold_on_to_both_sides(won: int, deviations: list[str]) -> None:
    """With 384 rounds the house expects to win 4.7 more than it loses; a standard deviation is 18.6."""
    assert rung(day_of(384, won)) == deviations


def test_what_rings_says_the_return_and_its_odds() -> None:
    (due,) = return_alarms(day_of(400, 300), "2026-11-17", 4)
    assert due.once == "return_off/2026-11-17/commission/SGD/player"
    assert (due.kind, due.subject, due.values) == (
        *(AlarmKind.RETURN_OFF, "player"),
        {
            "day": "2026-11-17",
            "game": "commission",
            "bet": "player",
            "actual": "1/2",
            "theoretical": "987649/1000000",
            "deviations": "10.3",
        },
    )


def test_few_rounds_and_play_money_do_not_ring() -> None:
    assert rung(day_of(199, 199)) == []
    assert rung(day_of(200, 200)) != []
    assert rung(day_of(200, 200, play_money=True)) == []


def test_one_large_stake_among_small_ones_tells_as_much_as_a_round() -> None:
    play = day_of(300, 150).tables[TableKey("t1", "commission", "SGD")].play
    assert equal_rounds(play, PLAYER) == 300
    play.add(day_of(1, 1, stake=100_000_00).tables[TableKey("t1", "commission", "SGD")].play)
    assert 1 < equal_rounds(play, PLAYER) < 2
    assert equal_rounds(play, ("commission", "banker")) == 0


async def _one_round(pit: Watched) -> ReturnWatch:
    at = await betting_table(pit.floor)
    await at.bet("ann", STAKE)
    await at.do(DEALER, "close_betting")
    for card in ("9s", "2d", "Kh", "3c"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")
    return _watch(pit)


def _watch(pit: Watched) -> ReturnWatch:
    async def settings() -> FloorSettings:
        return pit.settings

    return ReturnWatch(pit.floor, pit.alarms, Reports(pit.floor.house_log), settings)


async def _off(pit: Watched) -> list[Alarm]:
    return [alarm for alarm in await pit.alarms.all_open() if alarm.kind == AlarmKind.RETURN_OFF]


def test_a_day_is_compared_once_it_is_over(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(return_watch, "LEAST_ROUNDS", 1)

    async def test(pit: Watched) -> None:
        watch = await _one_round(pit)
        pit.set(return_deviations=1)
        await watch.compare_last_day()
        assert await _off(pit) == []  # the day goes on
        pit.clock.go_on(DAY_MIN)
        pit.set(return_deviations=0)
        await watch.compare_last_day()
        assert await _off(pit) == []  # switched off
        pit.set(return_deviations=1)
        for each in (watch, watch, _watch(pit)):  # and another process
            await each.compare_last_day()
        (alarm,) = await _off(pit)
        assert (alarm.severity, alarm.subject, alarm.values["actual"]) == (2, "player", "2")

    watched(database_url, test)


def test_a_day_that_cannot_be_read_stops_nothing(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Exception] = []

    async def fail(*_: object) -> ShiftReport:
        busy = FloorRefused(FloorCode.BUSY, variant="reports", wait_s=1, seconds=1)
        tried.append(ValueError("altered") if tried else busy)
        raise tried[-1]

    monkeypatch.setattr(Reports, "of_house", fail)

    async def test(pit: Watched) -> None:
        watch = _watch(pit)
        await refused(watch.compare_last_day(), FloorCode.BUSY)
        with pytest.raises(ValueError, match="altered"):
            await watch.compare_last_day()
        await watch.compare_last_day()
        assert len(tried) == 2  # what cannot be read is not tried again
        running = asyncio.create_task(watch.run())
        await until(lambda: len(tried) == 4)  # on the days after it
        assert not running.done()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    watched(f"{tmp_path}/floor.db", test)


def test_a_day_of_play_money_does_not_ring(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(return_watch, "LEAST_ROUNDS", 1)

    async def test(pit: Watched) -> None:
        watch = await _one_round(pit)
        await set_rules(Visitors(pit.floor), FloorRules(visitors=True, buy_in_minor=1_000_00, tables=("t1",)))
        pit.set(return_deviations=1)
        pit.clock.go_on(DAY_MIN)
        await watch.compare_last_day()
        assert await _off(pit) == []

    watched(f"{tmp_path}/floor.db", test)
