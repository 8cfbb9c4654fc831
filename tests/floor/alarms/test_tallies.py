"""What counts over an hour and over a gaming day."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto.floor.alarms.tallies import TableCommand, Tallies
from punto.floor.clock import DAY_US, HOUR_US
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.floor.settings.floor_settings import FloorSettings
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.table.records.correction_events import BettingReopened, PaymentCorrected, RoundCancelled
from punto.table.records.events import (
    ChipsBought,
    ChipsCashed,
    Event,
    PlayerIdentified,
    PlayerLeft,
    RoundSettled,
    SettledBet,
)
from punto.table.records.findings import LateBetRefused, Ruled, SettlementReversed
from punto.table.records.kinds import BuyInKind, CashOutKind, Effect, Late
from punto.table.records.ledger import BROUGHT, FLOAT, MISPAID, chips, transfer
from punto.table.records.positions import Position
from tests.floor.alarms.facts import NOW_US, kinds, only

ANN, PLACE = "P000123", "box 3"


class Day:
    """Commands at tables, with the alarms they led to."""

    def __init__(self, large_cash_minor: int = 0, **thresholds: int) -> None:
        self.tallies = Tallies()
        self.settings = FloorSettings(alarms=only(**thresholds).alarms, large_cash_minor=large_cash_minor)
        self.rung: dict[str, DueAlarm] = {}

    def do(self, *events: Event, at_us: int = NOW_US, by: str = "dora", table: str = "t1") -> list[AlarmKind]:
        """Give a command, and return what rings that has not rung before."""
        due = self.tallies.take(TableCommand(table, 1, 7, at_us, by, events), self.settings)
        new = [each for each in due if each.once not in self.rung]
        self.rung |= {each.once: each for each in new}
        return kinds(new)


def bought(who: str, amount_minor: int, kind: BuyInKind = BuyInKind.CASH) -> ChipsBought:
    return ChipsBought(who, kind, postings=transfer(FLOAT, chips(who), amount_minor))


def cashed(who: str, amount_minor: int, kind: CashOutKind = CashOutKind.CASH) -> ChipsCashed:
    return ChipsCashed(who, kind, postings=transfer(chips(who), FLOAT, amount_minor))


def settled(*won: tuple[str, int]) -> RoundSettled:
    """A round in which each person has this much more than before."""
    results = tuple(SettledBet(who, 1, "player", 1_000, Result.WIN, 1_000 + minor, ()) for who, minor in won)
    return RoundSettled(Winner.PLAYER, 9, 5, results, (), postings=())


def late(who: str = PLACE) -> LateBetRefused:
    return LateBetRefused(who, 3, "banker", Late.PLACED, 1_00, ())


REOPENED = BettingReopened("dora", ())


# ---- an hour


def test_more_than_three_corrections_an_hour_by_one_person_at_any_table() -> None:
    day = Day(corrections_an_hour=3)
    for table in ("t1", "t2", "t1"):
        assert day.do(REOPENED, table=table) == []
    assert day.do(REOPENED, by="dan") == []
    assert day.do(RoundCancelled(7)) == []
    assert day.do(REOPENED, REOPENED) == [AlarmKind.CORRECTIONS]
    assert day.do(REOPENED) == []


@pytest.mark.parametrize(("later_us", "rings"), [(HOUR_US - 1, True), (HOUR_US, False)])
def test_an_hour_ends(later_us: int, rings: bool) -> None:  # noqa: FBT001 - a case
    day = Day(late_bets=3)
    assert [day.do(late()), day.do(late())] == [[], []]
    assert day.do(late(), at_us=NOW_US + later_us) == [AlarmKind.LATE_BETS] * rings


def test_late_bets_count_for_a_registered_player_at_all_tables_and_for_a_place_at_one() -> None:
    day = Day(late_bets=3)
    for table in ("t1", "t2"):
        assert day.do(late(ANN), table=table) == []
        assert day.do(late(PLACE), table=table) == []
    assert day.do(late(PLACE), table="t1") == []
    assert day.do(late(ANN), table="t3") == [AlarmKind.LATE_BETS]


@given(st.lists(st.integers(0, 3 * HOUR_US), max_size=30).map(sorted), st.integers(1, 5))
def test_a_count_is_that_of_the_last_hour(times: list[int], least: int) -> None:
    day, found = Day(late_bets=least), list[int]()
    for at, at_us in enumerate(times):
        in_hour = sum(at_us - HOUR_US < each <= at_us for each in times[: at + 1])
        command = TableCommand("t1", 1, 7, NOW_US + at_us, "dora", (late(),))
        found = [int(str(due.values["count"])) for due in day.tallies.take(command, day.settings)]
        assert found == ([in_hour] if in_hour >= least else [])


# ---- a gaming day


@pytest.mark.parametrize(("amount_minor", "rings"), [(49_999, False), (50_000, True), (50_001, True)])
@pytest.mark.parametrize("kind", BuyInKind)
def test_a_big_buy_in(kind: BuyInKind, amount_minor: int, rings: bool) -> None:  # noqa: FBT001 - a case
    day = Day(big_buy_in_minor=50_000)
    expected = [AlarmKind.BIG_BUY_IN] * (rings and kind is not BuyInKind.CHIPS)
    assert day.do(bought(PLACE, amount_minor, kind)) == expected


def test_buy_ins_of_a_day_are_added_up_over_all_tables() -> None:
    day = Day(big_buy_in_day_minor=100_000)
    assert day.do(bought(ANN, 60_000)) == []
    assert day.do(bought(ANN, 900_000, BuyInKind.CHIPS), table="t2") == []
    assert day.do(bought(ANN, 39_999, BuyInKind.VOUCHER), table="t2") == []
    assert day.do(bought(ANN, 1), table="t3") == [AlarmKind.BIG_BUY_IN_DAY]
    assert day.do(bought(ANN, 99_999), table="t3") == []
    assert day.do(bought(ANN, 1), table="t3") == [AlarmKind.BIG_BUY_IN_DAY]
    assert day.do(bought(ANN, 99_999), at_us=NOW_US + DAY_US) == []


@pytest.mark.parametrize(("amount_minor", "rings"), [(19_999, False), (20_000, True), (20_001, True)])
def test_large_cash_counts_each_way_and_rings_once_a_day(amount_minor: int, rings: bool) -> None:  # noqa: FBT001
    day = Day(large_cash_minor=20_000)
    assert day.do(bought(ANN, amount_minor)) == [AlarmKind.LARGE_CASH] * rings
    assert day.do(cashed(ANN, amount_minor), table="t2") == [AlarmKind.LARGE_CASH] * rings
    if rings:
        assert day.do(bought(ANN, 10 * amount_minor), cashed(ANN, 10 * amount_minor)) == []
        assert {due.values["way"] for due in day.rung.values()} == {"in", "out"}


def test_vouchers_are_no_cash() -> None:
    day = Day(large_cash_minor=20_000)
    assert day.do(bought(ANN, 50_000, BuyInKind.VOUCHER), cashed(ANN, 50_000, CashOutKind.VOUCHER)) == []


def test_cash_for_chips_that_somebody_brought_counts() -> None:
    day = Day(large_cash_minor=20_000)
    brought = ChipsCashed(ANN, CashOutKind.CASH, postings=transfer(BROUGHT, FLOAT, 20_000))
    assert day.do(brought) == [AlarmKind.LARGE_CASH]


def test_the_next_person_at_a_place_rings_for_themselves() -> None:
    day = Day(large_cash_minor=20_000)
    for _ in range(2):
        assert day.do(bought(PLACE, 20_000)) == [AlarmKind.LARGE_CASH]
        assert day.do(bought(PLACE, 20_000)) == []
        assert day.do(PlayerLeft(PLACE, away=False)) == []


def test_cash_at_a_place_and_as_a_registered_player_is_that_of_one_person_once_they_are_identified() -> None:
    day = Day(large_cash_minor=20_000)
    assert day.do(bought(ANN, 10_000)) == []
    assert day.do(bought(PLACE, 10_000), table="t2") == []
    assert day.do(PlayerIdentified(PLACE, ANN, postings=()), table="t2") == [AlarmKind.LARGE_CASH]
    other = "P000007"
    assert day.do(bought(PLACE, 20_000)) == [AlarmKind.LARGE_CASH]
    assert day.do(PlayerIdentified(PLACE, other, postings=())) == []  # it has rung


@pytest.mark.parametrize(("won_minor", "kind"), [(1_000, AlarmKind.PLAYER_WIN), (-1_000, AlarmKind.PLAYER_LOSS)])
def test_what_a_player_wins_and_loses_in_a_day(won_minor: int, kind: AlarmKind) -> None:
    sign = won_minor // 1_000
    day = Day(player_win_minor=1_000, player_loss_minor=1_000)
    assert day.do(settled((ANN, won_minor - sign))) == []
    assert day.do(settled((ANN, -won_minor)), table="t2") == []
    assert day.do(settled((ANN, won_minor)), table="t2") == []
    assert day.do(settled((ANN, sign)), table="t2") == [kind]


def test_a_settlement_that_is_made_again_counts_once() -> None:
    day = Day(player_win_minor=1_000)
    assert day.do(settled((ANN, 900))) == []
    assert day.do(SettlementReversed(7, (), again=True, postings=()), settled((ANN, 800))) == []
    assert day.do(settled((ANN, 100)), table="t2") == []
    assert day.do(settled((ANN, 100))) == [AlarmKind.PLAYER_WIN]


def test_rulings_and_wrong_payments_are_part_of_what_a_player_wins() -> None:
    """As in the rating of the player. A reversal of the settlement takes back what was handed over beside it."""
    day = Day(player_win_minor=1_000)
    paid = Ruled(Effect.ADJUST, "", "sid", Position.SHIFT_MANAGER, (), postings=transfer(FLOAT, chips(ANN), 600))
    wrong = PaymentCorrected(
        ANN, 1, "player", 900, 1_100, 0, "sue", (), "a chip", postings=transfer(MISPAID, chips(ANN), 200)
    )
    assert day.do(settled((ANN, 100)), paid, wrong) == []
    assert day.tallies.won_minor(ANN, "t1", 1) == 900
    assert day.do(SettlementReversed(7, (), again=True, postings=()), settled((ANN, 300))) == []
    assert day.tallies.won_minor(ANN, "t1", 1) == 900
    assert day.do(paid) == [AlarmKind.PLAYER_WIN]
    assert day.do(PlayerLeft(ANN, away=False, postings=transfer(MISPAID, chips(ANN), 50)), settled((ANN, 450))) == [
        AlarmKind.PLAYER_WIN
    ]


def test_somebody_at_a_place_is_forgotten_when_they_leave_and_takes_their_day_along_when_identified() -> None:
    day = Day(player_win_minor=1_000)
    assert day.do(settled((PLACE, 900)), PlayerLeft(PLACE, away=False), settled((PLACE, 900))) == []
    assert day.do(PlayerIdentified(PLACE, ANN, postings=())) == []
    assert day.do(settled((ANN, 100)), table="t2") == [AlarmKind.PLAYER_WIN]


@given(
    st.lists(
        st.tuples(st.sampled_from((ANN, "P000007", PLACE)), st.sampled_from(("t1", "t2")), st.integers(-900, 900)),
        max_size=40,
    )
)
def test_wins_are_the_sums_by_person(rounds: list[tuple[str, str, int]]) -> None:
    day, won = Day(player_win_minor=1_000, player_loss_minor=1_000), dict[Any, int]()
    for who, table, amount_minor in rounds:
        command = TableCommand(table, 1, 7, NOW_US, "dora", (settled((who, amount_minor)),))
        due = day.tallies.take(command, day.settings)
        key = (who, table if who == PLACE else "")
        total = won[key] = won.get(key, 0) + amount_minor
        kind = AlarmKind.PLAYER_WIN if total > 0 else AlarmKind.PLAYER_LOSS
        assert [(each.kind, each.values["amount_minor"]) for each in due] == (
            [(kind, abs(total))] if abs(total) >= 1_000 else []
        )
