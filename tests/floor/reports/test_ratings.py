"""Ratings by a player's id: over all tables, with chips that move along, and with the times they played."""

from pathlib import Path

import pytest

from punto.floor.clock import HOUR_US, SystemClock
from punto.floor.database.base import Transaction
from punto.floor.house.projections.duty import DutyLine
from punto.floor.house.writer import append_house
from punto.floor.journal.actor import THE_HOUSE, command_record
from punto.floor.journal.house_events import DutyEnded, DutyStarted, HouseEvent
from punto.floor.reports.days.shift_report import ShiftReport, make_report
from punto.floor.reports.ratings import MAX_PAUSE_US, Rating, Sitting, add_round
from punto.floor.reports.theoretical_win import exact_edges
from punto.floor.settings.gaming_day import Period
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.cli.running import punto
from tests.floor.nights import DORA, NATURAL, SUE, Night, night, opened

ANN = "P000001"
NOW_US = 2_000_000_000 * 1_000_000


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("ratings") / "floor.db")
    night(path, _play)
    return path


async def _play(floor: Night) -> None:
    """Ann buys in at one table in cash, plays at both, changes colour at the second and cashes some there."""
    for table in ("t1", "t2"):
        await floor.table(table, shoes=ShoeKind.MANUAL, burn=False, automations=[], observing=True)
        await floor.do(SUE, table, "load_shoe.1", shoe="one", decks=8)
    await floor.do(DORA, "t1", "buy_in.1", who=ANN, amount_minor=1_000_00)
    await _round(floor, "t1", 100_00)
    await floor.do(DORA, "t1", "leave.1", who=ANN)
    await floor.do(DORA, "t2", "buy_in.1", who=ANN, amount_minor=900_00, kind="chips")
    await _round(floor, "t2", 50_00)
    await _round(floor, "t2", 30_00)
    await floor.do(DORA, "t2", "buy_in.1", who=ANN, amount_minor=200_00, kind="voucher")
    await floor.do(DORA, "t2", "cash_out.1", who=ANN, amount_minor=300_00)


async def _round(floor: Night, table: str, stake_minor: int) -> None:
    """Player wins."""
    await floor.do(DORA, table, "open_betting.1")
    await floor.do(DORA, table, "place_bet.1", who=ANN, box=3, bet="banker", stake_minor=stake_minor)
    await floor.do(DORA, table, "place_bet.1", who="box 4", box=4, bet="player", stake_minor=stake_minor)
    await floor.do(DORA, table, "close_betting.1")
    for card in NATURAL:
        await floor.do(DORA, table, "deal_card.1", card=card)
    await floor.do(DORA, table, "settle.1")


def _report(url: str) -> ShiftReport:
    with opened(url) as database:
        return make_report(database, Period(), NOW_US)


def _ratings(url: str, who: str) -> list[Rating]:
    return [rating for rating in _report(url).players.values() if rating.who == who]


def test_moving_between_tables_does_not_double_the_drop(url: str) -> None:
    (ann,) = _ratings(url, ANN)
    assert ann.drop_minor == 1_000_00 - 300_00
    assert (ann.paid["voucher"], ann.paid["changed"]) == (200_00, 900_00)
    assert (ann.play.rounds, ann.play.total.turnover_minor, ann.average_bet_minor) == (3, 180_00, 60_00)
    assert ann.win_minor == -180_00
    edge = exact_edges("commission-insurance", 8).bets["banker"]
    assert ann.play.theoretical(exact_edges) == 180_00 * edge


def test_somebody_known_by_a_place_is_one_person_at_that_table(url: str) -> None:
    assert [(rating.table, rating.play.rounds) for rating in _ratings(url, "box 4")] == [("t1", 1), ("t2", 2)]


def test_times_are_those_of_the_rounds_with_a_bet(url: str) -> None:
    (ann,) = _ratings(url, ANN)
    assert [(sitting.table, sitting.rounds) for sitting in ann.sittings] == [("t1", 1), ("t2", 2)]
    assert ann.time_us == sum(sitting.to_us - sitting.from_us for sitting in ann.sittings) < MAX_PAUSE_US


def test_the_command_prints_csv_json_and_a_table(url: str) -> None:
    table = punto("report", "--db", url).stdout.decode()
    assert "all tables" in table
    assert "Not counted: opener of t1, opener of t2" in table
    players = punto("report", "--db", url, "--csv", "players").stdout.decode().splitlines()
    assert [line.split(",")[0] for line in players if not line.startswith(("ann", "ben"))] == [
        "who",
        ANN,
        "box 4",
        "box 4",
    ]
    assert b'"scope": "floor"' in punto("report", "--db", url, "--json").stdout
    assert punto("report", "--db", url, "--day", "2020-01-01").stdout == b"No table was open.\n"
    assert punto("report", "--db", url, "--day", "2020-01-01", "--shift", "9").returncode == 2


def test_a_dealers_time_on_is_the_part_of_their_duty_in_the_period(tmp_path: Path) -> None:
    path = str(tmp_path / "floor.db")
    night(path, _play)
    lines = [
        DutyLine("dora", "t1", "dealer", "", 1 * HOUR_US, 3 * HOUR_US),
        DutyLine("dora", "t2", "dealer", "", 5 * HOUR_US, 0),
        DutyLine("sue", "t1", "pit_supervisor", "", 1 * HOUR_US, 0),
        DutyLine("dan", "t2", "dealer", "", 9 * HOUR_US, 0),
    ]
    with opened(path) as database:
        database.writing(lambda transaction: _assign(transaction, lines)).result()
        for (since, until, now, table), hours in {
            (2, 8, 100, ""): {"dora": 1 + 3},
            (2, 8, 7, ""): {"dora": 1 + 2},
            (0, 10, 100, ""): {"dora": 2 + 5, "dan": 1},
            (0, 10, 100, "t1"): {"dora": 2},
        }.items():
            report = make_report(database, Period(since * HOUR_US, until * HOUR_US), now * HOUR_US, table)
            assert {name: sums.on_us // HOUR_US for name, sums in report.dealers.items()} == hours


def _assign(transaction: Transaction, lines: list[DutyLine]) -> None:
    events: list[HouseEvent] = []
    for line in lines:
        events.append(DutyStarted(line.name, line.table, line.position, line.from_us))
        if line.to_us:
            events.append(DutyEnded(line.name, line.table, line.to_us))
    append_house(transaction, command_record(THE_HOUSE, SystemClock()), *events)


def test_a_longer_pause_starts_another_sitting() -> None:
    sittings: list[Sitting] = []
    for start in (0, HOUR_US // 4, HOUR_US, HOUR_US + MAX_PAUSE_US + 60_000_001):
        add_round(sittings, "t1", start, start + 60_000_000)
    add_round(sittings, "t2", 2 * HOUR_US, 2 * HOUR_US + 1)
    assert [(each.table, each.from_us, each.rounds) for each in sittings] == [
        ("t1", 0, 2),
        ("t1", HOUR_US, 1),
        ("t1", HOUR_US + MAX_PAUSE_US + 60_000_001, 1),
        ("t2", 2 * HOUR_US, 1),
    ]
