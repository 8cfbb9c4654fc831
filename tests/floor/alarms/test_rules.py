"""What rings at a table, each threshold on both sides."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from punto.floor.alarms.alarm_facts import TableTimes, doublings
from punto.floor.alarms.bet_rules import edge_money
from punto.floor.alarms.rules import reported_later, table_alarms, time_alarms
from punto.floor.clock import SECOND_US
from punto.floor.house.alarm import SEVERITIES, AlarmKind
from punto.library import book
from punto.rules.coup.cards import Face
from punto.table.records import commands, reports
from punto.table.records.ledger import FLOAT
from punto.table.records.pit_calls import CallPit
from punto.table.records.settings import BetLimits
from punto.table.records.state import Phase
from tests.floor.alarms.facts import NOW_US, edges_of, facts_of, kinds, only, rung
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    NATURAL,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    in_phase,
    opened,
    ready,
)

INSURING = book("commission-insurance")
COMMISSION = book("commission")
SECONDS = 20


def test_every_kind_has_a_severity() -> None:
    assert set(SEVERITIES) == set(AlarmKind)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("rules", [INSURING, COMMISSION], ids=lambda rules: rules.id)
def test_nothing_rings_at_an_ordinary_table(rules: object, phase: Phase) -> None:
    evening = in_phase(rules, phase)  # type: ignore[arg-type]
    assert table_alarms(facts_of(evening, settings=None)) == []


# ---- the game


def test_a_raised_irregularity_rings_once_also_when_it_is_reported() -> None:
    evening = dealing(INSURING).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Face("4d")))
    (raised,) = rung(evening)
    assert (raised.kind, raised.subject, raised.round) == (AlarmKind.IRREGULARITY, "excess_card", 1)
    events = evening.do(reports.ReportExcessCard(*SUPERVISOR, cards=(Face("4d"),)))
    assert {each.once for each in rung(evening)} == {raised.once}
    assert [each.once for each in reported_later(facts_of(evening), events)] == [raised.once]


def test_an_interruption_has_the_alarm_of_the_restart() -> None:
    evening = dealing(INSURING).deal("2s")
    events = evening.do(reports.ReportInterruption(*SUPERVISOR, "a power failure"))
    assert rung(evening) == []
    assert list(reported_later(facts_of(evening), events)) == []


@pytest.mark.parametrize("rules", [INSURING, COMMISSION], ids=lambda rules: rules.id)
def test_one_copy_too_many_rings_as_that(rules: object) -> None:
    evening = ready(rules)  # type: ignore[arg-type]
    for _ in range(2):
        evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting()
    evening.do(commands.DealCard(*DEALER, Face("9s")))
    assert kinds(rung(evening)) == [AlarmKind.TOO_MANY_COPIES]


@pytest.mark.parametrize(("waited_s", "rings"), [(SECONDS - 1, False), (SECONDS, True), (SECONDS + 1, True)])
def test_insurance_that_is_due_and_not_offered(waited_s: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = dealing(INSURING).deal(BANKER_ON_FIVE)
    times = TableTimes().after(INSURING, evening.table, evening.table, NOW_US - waited_s * SECOND_US)
    assert times.insurance_due_us
    settings = only(insurance_due_s=SECONDS)
    due = time_alarms(facts_of(evening, settings, times=times))
    assert kinds(due) == [AlarmKind.INSURANCE_DUE] * rings
    assert all((each.subject, each.values["stage"]) == ("banker", "four") for each in due)
    assert time_alarms(facts_of(evening, only(), times=times)) == []
    before = evening.table
    evening.do(commands.OpenInsurance(*DEALER))
    later = times.after(INSURING, before, evening.table, NOW_US)
    assert time_alarms(facts_of(evening, settings, times=later)) == []


def test_insurance_that_was_missed_rings_until_it_is_offered_late() -> None:
    evening = dealing(INSURING).deal(BANKER_ON_FIVE)
    evening.do(commands.DealCard(*DEALER, Face("4d"), not_offered=True))
    (missed,) = rung(evening)
    assert (missed.kind, missed.subject) == (AlarmKind.INSURANCE_MISSED, "banker")


def test_a_first_card_that_is_known_rings_before_betting_opens_and_once() -> None:
    evening = dealing(INSURING).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Face("4d")))
    evening.do(reports.ReportExcessCard(*SUPERVISOR, cards=(Face("4d"),)))
    evening.settle()
    (known,) = rung(evening)
    assert (known.kind, known.round, known.values["card"]) == (AlarmKind.FIRST_CARD_KNOWN, 2, "4d")
    evening.open_betting()
    assert [each.once for each in rung(evening)] == [known.once]
    evening.close_betting()
    assert rung(evening) == []


@pytest.mark.parametrize(("lasts_s", "rings"), [(179, False), (180, True), (181, True)])
def test_a_long_round_counts_from_the_first_bet(lasts_s: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = betting(COMMISSION)
    start_us = NOW_US - lasts_s * SECOND_US
    empty = TableTimes().after(COMMISSION, evening.table, evening.table, start_us - 3_600 * SECOND_US)
    assert not empty.in_play_us
    before = evening.table
    evening.bet("ann", "banker", 100_00)
    times = empty.after(COMMISSION, before, evening.table, start_us)
    before = evening.table
    evening.close_betting()
    times = times.after(COMMISSION, before, evening.table, start_us + SECOND_US)
    facts = facts_of(evening, only(round_s=180), times=times)
    assert kinds(time_alarms(facts)) == kinds(table_alarms(facts)) == [AlarmKind.LONG_ROUND] * rings
    assert time_alarms(replace(facts, play_money=True)) == []
    evening.deal(NATURAL)
    evening.settle()
    over = times.after(COMMISSION, before, evening.table, NOW_US)
    assert time_alarms(facts_of(evening, only(round_s=180), times=over)) == []


def test_a_round_in_trouble_is_not_called_long() -> None:
    evening = dealing(INSURING).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Face("4d")))
    facts = facts_of(evening, only(round_s=1), times=TableTimes(in_play_us=1))
    assert kinds(table_alarms(facts)) == [AlarmKind.IRREGULARITY]


# ---- scanners


@pytest.mark.parametrize(("silent_s", "rings"), [(59, False), (60, True), (61, True)])
@pytest.mark.parametrize("name", ["wants_card_us", "by_hand_us"])
def test_a_scanner_that_reads_nothing(name: str, silent_s: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening, since_us = dealing(COMMISSION), NOW_US - silent_s * SECOND_US
    times = replace(TableTimes(read_us=since_us - 1), **{name: since_us})
    settings = only(scanner_silent_s=60)
    assert kinds(time_alarms(facts_of(evening, settings, times=times))) == [AlarmKind.SCANNER_SILENT] * rings
    read = times.read(NOW_US - SECOND_US)
    assert time_alarms(facts_of(evening, settings, times=read)) == []
    without = replace(times, read_us=0)
    assert time_alarms(facts_of(evening, settings, times=without)) == []


def test_cards_by_hand_count_from_the_first_one_that_was_not_read() -> None:
    evening = dealing(COMMISSION)
    first = evening.do(commands.DealCard(*DEALER, Face("2s")))
    times = TableTimes(read_us=1).entered(first, 5).entered(first, 9)
    assert times.by_hand_us == 5
    assert times.read(10).by_hand_us == 0
    assert TableTimes(read_us=1).entered(evening.do(CallPit(*DEALER)), 5).by_hand_us == 0


# ---- bets


def felt(**limits: int) -> Evening:
    main = BetLimits(1, limits.get("most"))
    return betting(INSURING, observing=True, main=main, differential_minor=limits.get("differential", 10**9))


def lay(evening: Evening, box: int, bet: str, stake_minor: int, who: str = "") -> None:
    evening.do(commands.PlaceBet(*DEALER, who or f"box {box}", box, bet, stake_minor))


@pytest.mark.parametrize(("stake_minor", "rings"), [(999_99, False), (1_000_00, False), (1_000_01, True)])
def test_a_bet_above_its_maximum_at_the_close(stake_minor: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = felt(most=1_000_00)
    lay(evening, 5, "player", stake_minor)
    assert rung(evening) == []
    evening.close_betting()
    due = rung(evening)
    assert kinds(due) == [AlarmKind.OVER_LIMIT] * rings
    assert all(each.values == {"box": 5, "bet": "player", "amount_minor": stake_minor} for each in due)


@pytest.mark.parametrize(("stake_minor", "rings"), [(1_000_00, False), (1_000_01, True)])
def test_a_box_beyond_the_differential_at_the_close(stake_minor: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = felt(differential=500_00)
    lay(evening, 5, "player", 500_00)
    lay(evening, 5, "banker", stake_minor, "behind box 5")
    evening.close_betting()
    assert kinds(rung(evening)) == [AlarmKind.OVER_LIMIT] * rings


@pytest.mark.parametrize(("amount", "times"), [(0, 0), (99, 0), (100, 1), (199, 1), (200, 2), (399, 2), (400, 3)])
def test_how_often_an_amount_rings(amount: int, times: int) -> None:
    assert doublings(amount, 100) == times
    assert doublings(amount, 0) == 0


@pytest.mark.parametrize(("stake_minor", "rings"), [(49_999, False), (50_000, True), (50_001, True)])
def test_a_big_bet(stake_minor: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = betting(COMMISSION)
    evening.bet("ann", "banker", stake_minor)
    due = rung(evening, big_bet_minor=50_000)
    assert kinds(due) == [AlarmKind.BIG_BET] * rings
    assert all(each.values == {"box": 1, "bet": "banker", "amount_minor": stake_minor} for each in due)
    assert table_alarms(facts_of(evening, only(big_bet_minor=50_000), play_money=True)) == []


def test_somebody_who_always_bets_high_rings_once_until_they_double() -> None:
    evening, found = betting(COMMISSION), list[str]()
    for stake_minor in (500_00, 600_00, 999_99, 1_000_00, 1_500_00, 2_000_00):
        evening.bet("ann", "banker", stake_minor)
        found += [each.once for each in rung(evening, big_bet_minor=500_00)]
        evening.play(NATURAL).open_betting()
    assert len(set(found)) == 3


@pytest.mark.parametrize(("stake_minor", "rings"), [(1_000_00 - 1, False), (1_000_00, True)])
def test_a_big_payout_counts_what_is_paid_beside_the_stake(stake_minor: int, rings: bool) -> None:  # noqa: FBT001
    evening = betting(COMMISSION)
    evening.bet("ann", "player", stake_minor)
    evening.play(NATURAL)
    assert kinds(rung(evening, big_payout_minor=1_000_00)) == [AlarmKind.BIG_PAYOUT] * rings


@pytest.mark.parametrize(("smaller_minor", "rings"), [(19_999, False), (20_000, True), (20_001, True)])
def test_opposite_bets_by_one_party_or_in_one_box(smaller_minor: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = felt()
    lay(evening, 5, "player", 90_000)
    lay(evening, 5, "banker", smaller_minor, "behind box 5")
    (*in_box,) = rung(evening, opposite_minor=20_000)
    assert [(each.kind, each.subject) for each in in_box] == [(AlarmKind.OPPOSITE_BETS, "box 5")] * rings
    party = felt()
    lay(party, 5, "player", 90_000, "P000007")
    lay(party, 6, "banker", smaller_minor, "P000007")
    (*by_one,) = rung(party, opposite_minor=20_000)
    assert [(each.kind, each.subject) for each in by_one] == [(AlarmKind.OPPOSITE_BETS, "P000007")] * rings


@pytest.mark.parametrize(("stake_minor", "rings"), [(9_999_99, False), (10_000_00, True), (10_000_01, True)])
def test_money_on_a_bet_that_favours_the_bettor(stake_minor: int, rings: bool) -> None:  # noqa: FBT001 - a case
    evening = felt()
    lay(evening, 5, "tie", stake_minor - 1_00)
    lay(evening, 6, "tie", 1_00)
    lay(evening, 6, "banker", 10**9)
    edges = edges_of(evening, tie=Fraction(-1, 20), banker=Fraction(1, 100), player=Fraction(-1, 2))
    due = list(edge_money(facts_of(evening, only(edge_money_minor=500_00), edges=edges)))
    assert [(each.kind, each.subject) for each in due] == [(AlarmKind.EDGE_MONEY, "tie")] * rings
    assert all(Fraction(str(each.values["edge"])) == Fraction(1, 20) for each in due)
    other = replace(edges, round_next=edges.round_next + 1)
    assert list(edge_money(facts_of(evening, only(edge_money_minor=500_00), edges=other))) == []


LOW, NEGATIVE = AlarmKind.TRAY_LOW, AlarmKind.TRAY_NEGATIVE


@pytest.mark.parametrize(
    ("left_minor", "rings"), [(401, None), (400, LOW), (399, LOW), (1, LOW), (0, LOW), (-1, NEGATIVE), (-500, NEGATIVE)]
)
def test_a_tray_that_is_low_or_below_zero(left_minor: int, rings: AlarmKind | None) -> None:
    evening = opened(COMMISSION, tray_par_minor=1_000)
    evening.table = replace(evening.table, balances={**evening.table.balances, FLOAT: left_minor})
    due = rung(evening, tray_low_percent=40)
    assert kinds(due) == ([rings] if rings else [])
    assert kinds(rung(evening)) == ([NEGATIVE] if rings is NEGATIVE else [])
    evening.table = replace(evening.table, balances={FLOAT: left_minor})
    assert rung(evening, tray_low_percent=40) == []


def test_a_tray_without_a_par_is_never_low() -> None:
    evening = opened(COMMISSION)
    evening.table = replace(evening.table, balances={**evening.table.balances, FLOAT: 1})
    assert rung(evening, tray_low_percent=100) == []
