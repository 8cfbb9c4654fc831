"""When each kind of alarm ends by itself, or why it never does. No kind is left out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from punto.floor.alarms.alarm_facts import AlarmFacts, TableTimes, once_text
from punto.floor.alarms.clock_watch import agreeing_again, clock_alarms
from punto.floor.alarms.endings import ENDINGS, KnownNow, ended_alarms
from punto.floor.alarms.house_rules import Relief
from punto.floor.alarms.rules import counted_off, table_alarms
from punto.floor.alarms.tallies import TableCommand, Tallies
from punto.floor.clock import DAY_US, HOUR_US, SECOND_US
from punto.floor.house.alarm import SEVERITIES, Alarm, AlarmKind, DueAlarm, Fact
from punto.floor.house.projections.duty import DutyLine
from punto.floor.runtime.clocks import ComparedClocks, ProcessClock
from punto.floor.settings.floor_settings import FloorSettings
from punto.library import book
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.coup.space import Winner
from punto.table.records import commands, reports
from punto.table.records.chips import ChipPile, CountPurpose, CountTray
from punto.table.records.correction_events import BettingReopened
from punto.table.records.events import RoundSettled, SettledBet
from punto.table.records.findings import LateBetRefused
from punto.table.records.kinds import Irregularity, Late
from punto.table.records.ledger import FLOAT
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits
from punto.table.records.state import Phase
from tests.floor.alarms.facts import NOW_US, facts_of, only
from tests.table.tables import BANKER_ON_FIVE, DEALER, NATURAL, SUPERVISOR, Evening, betting, dealing, opened, ready

INSURING, COMMISSION = book("commission-insurance"), book("commission")
DOCS = Path(__file__).parents[3] / "docs" / "floor.md"
ONLY_PEOPLE = {
    AlarmKind.BIG_PAYOUT: "it was paid",
    AlarmKind.BIG_BUY_IN: "it was sold",
    AlarmKind.LARGE_CASH: "the house has to report it",
    AlarmKind.TRAY_OFF: "the next count starts from this one, and the chips are still not explained",
    AlarmKind.WRONG_PINS: "somebody tried the PIN of another, whether or not it can be used again",
    AlarmKind.PLAYED_WHILE_STOPPED: "it was played",
    AlarmKind.RULING: "money was moved",
    AlarmKind.RETURN_OFF: "it is about a gaming day that is over",
}
"""Why it never ends by itself."""
BY_CLOCK_WATCH = {AlarmKind.CLOCK_DIFFERS}


def known(*facts: AlarmFacts, **changes: Any) -> KnownNow:
    values: dict[str, Any] = {
        "now_us": NOW_US,
        "settings": only(),
        "tables": {each.table: each for each in facts},
        "tallies": Tallies(),
        "complete": True,
        "duty": [],
        "relieved_us": {},
        "started_us": {"here": 1},
    }
    return KnownNow(**{**values, **changes})


def alarm_of(due: DueAlarm, at_us: int = NOW_US) -> Alarm:
    severity = SEVERITIES[due.kind]
    return Alarm(7, due.once, due.kind, severity, due.table, due.opening, due.round, due.subject, at_us, due.values)


def alarm(kind: AlarmKind, subject: str = "", round_: int = 0, table: str = "t1", **values: Fact) -> Alarm:
    return alarm_of(DueAlarm(kind, once_text(kind, "x"), table, 1 if table else 0, round_, subject, values))


def rung_at(evening: Evening, settings: FloorSettings, kind: AlarmKind, **changes: Any) -> Alarm:
    (due,) = [each for each in table_alarms(facts_of(evening, settings, **changes)) if each.kind is kind]
    return alarm_of(due)


Case = tuple[Alarm, KnownNow, KnownNow]
"""An alarm, what is known while its cause lasts, and what is known once it has ended."""


def excess() -> Evening:
    evening = dealing(INSURING).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Face("4d")))
    return evening


def irregularity() -> Case:
    evening = excess()
    rung, before = rung_at(evening, only(), AlarmKind.IRREGULARITY), facts_of(evening)
    evening.do(reports.DismissIrregularity(*SUPERVISOR, "a misread"))
    return rung, known(before), known(facts_of(evening))


def too_many_copies() -> Case:
    evening = ready(COMMISSION)
    for _ in range(2):
        evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting()
    evening.do(commands.DealCard(*DEALER, Face("9s")))
    rung, before = rung_at(evening, only(), AlarmKind.TOO_MANY_COPIES), facts_of(evening)
    evening.do(reports.DismissIrregularity(*SUPERVISOR, "a misread"))
    return rung, known(before), known(facts_of(evening))


def insurance_due() -> Case:
    evening, settings = dealing(INSURING).deal(BANKER_ON_FIVE), only(insurance_due_s=20)
    times = TableTimes().after(INSURING, evening.table, evening.table, NOW_US - 30 * SECOND_US)
    rung = rung_at(evening, settings, AlarmKind.INSURANCE_DUE, times=times)
    before, table = facts_of(evening, settings, times=times), evening.table
    evening.do(commands.OpenInsurance(*DEALER))
    later = times.after(INSURING, table, evening.table, NOW_US)
    return rung, known(before), known(facts_of(evening, settings, times=later))


def insurance_missed() -> Case:
    evening = dealing(INSURING).deal(BANKER_ON_FIVE)
    evening.do(commands.DealCard(*DEALER, Face("4d"), not_offered=True))
    rung, before = rung_at(evening, only(), AlarmKind.INSURANCE_MISSED), facts_of(evening)
    now = evening.table.round
    assert now is not None
    table = replace(evening.table, round=replace(now, insurance=replace(now.insurance, missed=())))
    return rung, known(before), known(replace(before, state=table))


def first_card_known() -> Case:
    evening = excess()
    evening.do(reports.ReportExcessCard(*SUPERVISOR, cards=(Face("4d"),)))
    evening.settle()
    rung, before = rung_at(evening, only(), AlarmKind.FIRST_CARD_KNOWN), facts_of(evening)
    evening.open_betting().close_betting()
    return rung, known(before), known(facts_of(evening))


def staked(**limits: Any) -> Evening:
    evening = betting(COMMISSION, **limits)
    evening.bet("ann", "banker", 1_000_00)
    return evening


def over(evening: Evening, settings: FloorSettings, **changes: Any) -> AlarmFacts:
    evening.deal(NATURAL)
    evening.settle()
    return facts_of(evening, settings, **changes)


def long_round() -> Case:
    evening, settings, times = staked(), only(round_s=180), TableTimes(in_play_us=NOW_US - 200 * SECOND_US)
    evening.close_betting()
    rung = rung_at(evening, settings, AlarmKind.LONG_ROUND, times=times)
    before = facts_of(evening, settings, times=times)
    return rung, known(before), known(over(evening, settings, times=times))


def scanner_silent() -> Case:
    evening, settings = dealing(COMMISSION), only(scanner_silent_s=20)
    times = TableTimes(wants_card_us=NOW_US - 40 * SECOND_US, read_us=NOW_US - 30 * SECOND_US)
    rung = rung_at(evening, settings, AlarmKind.SCANNER_SILENT, times=times)
    before = facts_of(evening, settings, times=times)
    return rung, known(before), known(facts_of(evening, settings, times=times.read(NOW_US)))


def scanner_gap() -> Case:
    here, rung = facts_of(ready(COMMISSION)), alarm(AlarmKind.SCANNER_GAP, "s1", draw=3)
    return rung, known(here), known(here, relieved_us={(Relief.FIT_READ, "t1"): NOW_US + 1})


def scanner_misread() -> Case:
    here, rung = facts_of(ready(COMMISSION)), alarm(AlarmKind.SCANNER_MISREAD, "s1", draw=3)
    fits = known(here, relieved_us={(Relief.FIT_READ, "t1"): NOW_US + 1})
    return rung, fits, known(here, relieved_us={(Relief.BRIDGE_RELEASED, "t1"): NOW_US + 1})


def restart() -> Case:
    evening, rung = dealing(COMMISSION).deal("2s"), alarm(AlarmKind.RESTART, tables=("t1",), voided=0)
    times = TableTimes(in_play_us=NOW_US - SECOND_US)
    waiting = facts_of(evening, times=times)
    return rung, known(waiting), known(replace(waiting, times=TableTimes(in_play_us=NOW_US + 1)))


def over_limit() -> Case:
    evening = staked(main=BetLimits(None, 500_00), observing=True).close_betting()
    rung, before = rung_at(evening, only(), AlarmKind.OVER_LIMIT), facts_of(evening)
    return rung, known(before), known(over(evening, only()))


def opposite_bets() -> Case:
    evening, settings = staked(), only(opposite_minor=500_00)
    evening.bet("ann", "player", 1_000_00)
    evening.close_betting()
    rung, before = rung_at(evening, settings, AlarmKind.OPPOSITE_BETS), facts_of(evening, settings)
    return rung, known(before), known(over(evening, settings))


def edge_money() -> Case:
    evening = staked().close_betting()
    rung, before = alarm(AlarmKind.EDGE_MONEY, "banker", 1), facts_of(evening)
    return rung, known(before), known(over(evening, only()))


def big_bet() -> Case:
    evening, settings = staked().close_betting(), only(big_bet_minor=1_000_00)
    rung, before = rung_at(evening, settings, AlarmKind.BIG_BET), facts_of(evening, settings)
    return rung, known(before), known(over(evening, settings))


def tallied(*won_minor: int) -> Tallies:
    """Ann, at t1, has won and lost this."""
    tallies = Tallies()
    for each in won_minor:
        results = (SettledBet("ann", 1, "player", 1_000_00, Result.WIN, 1_000_00 + each, ()),)
        event = RoundSettled(Winner.PLAYER, 9, 5, results, (), postings=())
        tallies.take(TableCommand("t1", 1, 1, NOW_US, "dora", (event,)), only())
    return tallies


def player_win() -> Case:
    settings, rung = only(player_win_minor=500_00), alarm(AlarmKind.PLAYER_WIN, "ann")
    still, lost = (known(tallies=tallied(*won), settings=settings) for won in ([600_00], [600_00, -200_00]))
    return rung, still, lost


def player_loss() -> Case:
    settings, rung = only(player_loss_minor=500_00), alarm(AlarmKind.PLAYER_LOSS, "ann")
    still, won = (known(tallies=tallied(*lost), settings=settings) for lost in ([-600_00], [-600_00, 200_00]))
    return rung, still, won


def big_buy_in_day() -> Case:
    return alarm(AlarmKind.BIG_BUY_IN_DAY, "ann"), known(), known(now_us=NOW_US + DAY_US)


def tray_low() -> Case:
    settings, evening = only(tray_low_percent=40), opened(COMMISSION, tray_par_minor=1_000)
    full = evening.table
    evening.table = replace(full, balances={**full.balances, FLOAT: 400})
    rung, before = rung_at(evening, settings, AlarmKind.TRAY_LOW), facts_of(evening, settings)
    hour_later = replace(before, now_us=NOW_US + 2 * HOUR_US)
    assert ended_alarms([rung], known(hour_later)) == []
    return rung, known(before), known(replace(before, state=full))


def tray_negative() -> Case:
    evening = opened(COMMISSION)
    full = evening.table
    evening.table = replace(full, balances={**full.balances, FLOAT: -1})
    rung, before = rung_at(evening, only(), AlarmKind.TRAY_NEGATIVE), facts_of(evening)
    return rung, known(before), known(replace(before, state=full))


def counts_differ() -> Case:
    rung, here = alarm(AlarmKind.COUNTS_DIFFER, "dora"), facts_of(opened(COMMISSION))
    return rung, known(here), known(here, relieved_us={(Relief.COUNTED, "t1"): NOW_US + 1})


def late_bets() -> Case:
    settings, tallies, rung = only(late_bets=2), Tallies(), alarm(AlarmKind.LATE_BETS, "ann")
    for at_us in (NOW_US - 3_500 * SECOND_US, NOW_US):
        refused = LateBetRefused("ann", 3, "banker", Late.PLACED, 1_00, ())
        tallies.take(TableCommand("t1", 1, 1, at_us, "dora", (refused,)), settings)
    at = {"tallies": tallies, "settings": settings}
    return rung, known(**at), known(**at, now_us=NOW_US + 200 * SECOND_US)


def corrections() -> Case:
    settings, tallies, rung = only(corrections_an_hour=1), Tallies(), alarm(AlarmKind.CORRECTIONS, "dora")
    for at_us in (NOW_US - 3_500 * SECOND_US, NOW_US):
        tallies.take(TableCommand("t1", 1, 1, at_us, "dora", (BettingReopened("dora", ()),)), settings)
    at = {"tallies": tallies, "settings": settings}
    return rung, known(**at), known(**at, now_us=NOW_US + 200 * SECOND_US)


def dealer_on() -> Case:
    here, rung = facts_of(opened(COMMISSION)), alarm(AlarmKind.DEALER_ON, "Dora")
    lines = [DutyLine("dora", "t1", Position.DEALER, "", 1, to_us) for to_us in (0, NOW_US)]
    return rung, known(here, duty=lines[:1]), known(here, duty=lines[1:])


def unfit_shoe() -> Case:
    evening = ready(COMMISSION)
    assert evening.table.shoe is not None
    rung, before = alarm(AlarmKind.UNFIT_SHOE, evening.table.shoe.id), facts_of(evening)
    return rung, known(before), known(replace(before, state=replace(evening.table, shoe=None)))


def not_sound() -> Case:
    rung = alarm(AlarmKind.NOT_SOUND, table="")
    before = known(relieved_us={(Relief.SOUND, ""): NOW_US - 1})
    return rung, before, known(relieved_us={(Relief.SOUND, ""): NOW_US + 1})


def program_changed() -> Case:
    rung = alarm(AlarmKind.PROGRAM_CHANGED, "here", table="")
    assert ended_alarms([rung], known(relieved_us={(Relief.SAME_PROGRAM, "here"): NOW_US + 1})) == [7]
    return rung, known(), known(started_us={"there": NOW_US})


def generator_failed() -> Case:
    rung = alarm(AlarmKind.GENERATOR_FAILED, table="")
    one = known(started_us={"here": NOW_US + 1, "there": NOW_US - 1})
    return rung, one, known(started_us={"here": NOW_US + 1})


CASES: dict[AlarmKind, Callable[[], Case]] = {
    AlarmKind.IRREGULARITY: irregularity,
    AlarmKind.TOO_MANY_COPIES: too_many_copies,
    AlarmKind.INSURANCE_DUE: insurance_due,
    AlarmKind.INSURANCE_MISSED: insurance_missed,
    AlarmKind.FIRST_CARD_KNOWN: first_card_known,
    AlarmKind.LONG_ROUND: long_round,
    AlarmKind.SCANNER_SILENT: scanner_silent,
    AlarmKind.SCANNER_GAP: scanner_gap,
    AlarmKind.SCANNER_MISREAD: scanner_misread,
    AlarmKind.RESTART: restart,
    AlarmKind.OVER_LIMIT: over_limit,
    AlarmKind.OPPOSITE_BETS: opposite_bets,
    AlarmKind.EDGE_MONEY: edge_money,
    AlarmKind.BIG_BET: big_bet,
    AlarmKind.BIG_BUY_IN_DAY: big_buy_in_day,
    AlarmKind.PLAYER_WIN: player_win,
    AlarmKind.PLAYER_LOSS: player_loss,
    AlarmKind.TRAY_LOW: tray_low,
    AlarmKind.TRAY_NEGATIVE: tray_negative,
    AlarmKind.COUNTS_DIFFER: counts_differ,
    AlarmKind.LATE_BETS: late_bets,
    AlarmKind.CORRECTIONS: corrections,
    AlarmKind.DEALER_ON: dealer_on,
    AlarmKind.UNFIT_SHOE: unfit_shoe,
    AlarmKind.NOT_SOUND: not_sound,
    AlarmKind.PROGRAM_CHANGED: program_changed,
    AlarmKind.GENERATOR_FAILED: generator_failed,
}


def test_every_kind_ends_by_itself_or_only_by_people() -> None:
    assert {*ENDINGS} == {*AlarmKind}
    assert {kind for kind, ends in ENDINGS.items() if ends is None} == {*ONLY_PEOPLE} | BY_CLOCK_WATCH
    assert {*CASES} == {*AlarmKind} - {*ONLY_PEOPLE} - BY_CLOCK_WATCH


@pytest.mark.parametrize("kind", CASES)
def test_an_alarm_ends_when_its_cause_does_and_not_before(kind: AlarmKind) -> None:
    rung, still, over_now = CASES[kind]()
    assert ended_alarms([rung], still) == []
    assert ended_alarms([rung], over_now) == [rung.number]


@pytest.mark.parametrize("kind", ONLY_PEOPLE)
def test_what_was_done_stays_until_somebody_acknowledges_it(kind: AlarmKind) -> None:
    later = known(facts_of(ready(COMMISSION)), now_us=NOW_US + 2 * DAY_US)
    assert ended_alarms([alarm(kind, "ann", 1)], later) == []


def test_an_error_of_an_earlier_round_waits_for_its_ruling() -> None:
    rung = alarm(AlarmKind.IRREGULARITY, Irregularity.LATER_ERROR, 1)
    assert ended_alarms([rung], known(facts_of(ready(COMMISSION)))) == []


def test_missed_insurance_stays_once_its_round_is_over() -> None:
    rung, still, _ = insurance_missed()
    (facts,) = still.tables.values()
    assert facts.state.round is not None
    later = replace(facts.state, round=replace(facts.state.round, number=2))
    assert ended_alarms([rung], known(replace(facts, state=later))) == []


def test_nothing_of_a_table_ends_while_it_cannot_be_looked_at() -> None:
    at_tables = (kind for kind in CASES if kind not in {AlarmKind.DEALER_ON, AlarmKind.BIG_BUY_IN_DAY})
    for kind in at_tables:
        rung, _, over_now = CASES[kind]()
        if rung.table:
            assert ended_alarms([rung], replace(over_now, tables={}, complete=False, relieved_us={})) == [], kind


def test_a_dealer_is_on_while_nothing_says_otherwise() -> None:
    rung, on, _ = dealer_on()
    (facts,) = on.tables.values()
    closed = replace(facts, state=replace(facts.state, phase=Phase.CLOSED))
    assert ended_alarms([rung], replace(on, tables={})) == []  # the table could not be looked at
    assert ended_alarms([rung], replace(on, duty=None)) == []  # the house could not be read
    assert ended_alarms([rung], replace(on, tables={"t1": closed})) == [7]


def test_late_bets_end_also_where_they_no_longer_ring() -> None:
    rung, still, over_now = late_bets()
    assert ended_alarms([rung], replace(still, settings=only(late_bets=0))) == []
    assert ended_alarms([rung], replace(over_now, now_us=NOW_US + DAY_US, settings=only(late_bets=0))) == [7]


def test_a_round_of_an_earlier_opening_is_over() -> None:
    rung, still, _ = big_bet()
    (facts,) = still.tables.values()
    assert ended_alarms([rung], known(replace(facts, opening=2))) == [7]


# ---- clocks


def clock(process: str, ahead_s: int = 0) -> ProcessClock:
    return ProcessClock(process, "host", "1", 0, 1, ahead_s * SECOND_US)


def test_clocks_that_agree_again_end_their_alarm_and_so_does_a_process_that_stops() -> None:
    off = ComparedClocks(NOW_US, clock("one", 9), (clock("two"),))
    (due,) = clock_alarms(off, 2)
    rung = alarm_of(due)
    worse = [*clock_alarms(replace(off, own=clock("one", 40)), 2)]
    assert agreeing_again(off, [due], [rung]) == []
    assert agreeing_again(off, worse, [rung]) == []
    assert agreeing_again(replace(off, own=clock("one")), [], [rung]) == [7]
    assert agreeing_again(ComparedClocks(NOW_US, clock("two"), (clock("one", 9),)), [], [rung]) == []
    assert agreeing_again(ComparedClocks(NOW_US, clock("two")), [], [rung]) == [7]


# ---- counts


def test_a_count_that_is_off_the_record_rings_with_its_figures_and_one_that_agrees_does_not() -> None:
    evening = opened(COMMISSION)
    expected = sum(minor for account, minor in evening.table.balances.items() if account == FLOAT)
    for counted, rings in ((expected, False), (expected - 100, True)):
        events = evening.do(CountTray(*SUPERVISOR, CountPurpose.CHECK, (ChipPile(counted, 1),)))
        due = [*counted_off(facts_of(evening), events, NOW_US)]
        assert [each.kind for each in due] == [AlarmKind.TRAY_OFF] * rings
    assert due[0].values == {
        "purpose": "check",
        "counted_minor": expected - 100,
        "expected_minor": expected,
        "difference_minor": -100,
    }


# ---- the docs


def test_the_docs_say_of_every_kind_when_it_ends() -> None:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    ends = {name.strip("`"): row[-1] for row in rows if len(row) == 6 for name in row[0].split()}
    assert {*AlarmKind} <= {*ends}
    people = {kind for kind in AlarmKind if ends[kind].startswith("never")}
    assert people == {*ONLY_PEOPLE}
