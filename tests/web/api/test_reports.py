"""Reports over HTTP: what a day came to as JSON and CSV, and who may read it."""

import csv
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from punto.catalogue.values import write_cents
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.reports.days.report_lines import write_report
from punto.floor.reports.days.report_tables import Part
from punto.floor.reports.days.shift_report import ShiftReport, TableKey, TableSums
from punto.floor.reports.days.tray_sums import TraySums
from punto.floor.settings.gaming_day import DayPart, Period
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from punto.web.api.pit.reports import is_blind
from tests.floor.report_floor import reported
from tests.web.serving import NAMES, STAFFED, Server, server
from tests.web.wire import problem

MAY_READ = {
    Position.PIT_SUPERVISOR,
    Position.PIT_MANAGER,
    Position.SHIFT_MANAGER,
    Position.CASINO_MANAGER,
    Position.AUDITOR,
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("reports") / "floor.db")
    reported(path)
    with server(path) as served:
        yield served


def report(floor: Server, **query: Any) -> dict[str, Any]:
    answer = floor.by(Position.AUDITOR).get("/api/reports/day", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def lines(floor: Server, part: str, position: Position = Position.AUDITOR, **query: Any) -> list[dict[str, str]]:
    answer = floor.by(position).get("/api/reports/day.csv", params=query | {"part": part})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(StringIO(answer.text, newline="")))


def test_the_current_day_is_reported_by_table_game_and_floor(floor: Server) -> None:
    today = report(floor)
    figures = today["report"]["figures"]
    assert (today["shift"], today["zone"], today["table"]) == (0, "Asia/Singapore", "")
    assert [line["scope"] for line in figures].count("floor") == 1
    assert {line["table"] for line in figures if line["scope"] == "table"} == {"Jade", "Lotus", "Orchid", "t1"}
    total = figures[0]
    for scope in ("table", "game"):
        for name in ("turnover_minor", "win_minor", "drop_minor", "win_by_count_minor", "rounds", "commission_minor"):
            assert sum(line[name] for line in figures if line["scope"] == scope) == total[name], (scope, name)
    for line in figures:
        causes = ("rulings", "mispaid", "unexplained", "settled_again", "unaccounted")
        assert line["difference_minor"] == sum(line[f"{cause}_minor"] for cause in causes)
        assert line["unaccounted_minor"] == line["settled_again_minor"] == 0
    assert total["unexplained_minor"] == -100_00 - 5_00 + 2_50


def test_one_table_and_other_days(floor: Server) -> None:
    orchid = report(floor, table="Orchid")["report"]
    assert {line["table"] for line in orchid["figures"]} == {"", "Orchid"}
    assert [each["state"] for each in orchid["slips"]] == ["received", "received", "void"]
    assert [each["purpose"] for each in orchid["counts"]] == ["closer", "opener", "check"]
    assert {each["number"] for each in orchid["slips"]} == {"Orchid-000001", "Orchid-000002", "Orchid-000003"}
    assert report(floor, day="2020-02-29", shift=3)["report"]["figures"] == []


def test_csv_says_the_same_as_json(floor: Server) -> None:
    today = report(floor)
    found = today["report"]
    for part in Part:
        rows = lines(floor, part, day=today["day"])
        names = floor.by(Position.AUDITOR).get("/api/reports/day.csv", params={"part": part}).text.partition("\r\n")[0]
        assert len(set(names.split(","))) == len(names.split(",")), "columns need different names"
        if part is not Part.BETS:
            assert len(rows) == len(found[part])
    for row, line in zip(lines(floor, "figures"), found["figures"], strict=True):
        assert (row["table"], row["game"]) == (line["table"], line["game"])
        assert Decimal(row["win_by_count"]) * 100 == line["win_by_count_minor"]
    bets = lines(floor, "bets")
    for line in found["figures"]:
        own = [row for row in bets if (row["scope"], row["table"]) == (line["scope"], line["table"])]
        own = [row for row in own if line["scope"] == "floor" or row["game"] == line["game"]]
        assert sum(Decimal(row["turnover"]) for row in own) * 100 == line["turnover_minor"]


OF_CLOSER = (
    *("closer", "win_by_count", "difference", "rulings", "mispaid", "unexplained", "settled_again", "unaccounted"),
    "hold",
)
OF_OPENER = ("opener", "opener_difference")


@pytest.mark.parametrize("position", sorted(MAY_READ - {Position.AUDITOR}))
def test_in_the_running_day_those_who_may_count_see_no_tray_that_nobody_counted(
    floor: Server, position: Position
) -> None:
    """Of Lotus the closer is counted. Of Orchid only a check is, before the last rounds; of Jade nothing is."""
    rows = lines(floor, "figures", position)
    seen = {row["table"] or row["game"] or "all": row for row in rows}
    shown = {
        name: ({each for each in OF_OPENER if row[each]}, {each for each in OF_CLOSER if row[each]})
        for name, row in seen.items()
    }
    assert shown["Lotus"] == (set(), {*OF_CLOSER})
    assert shown["Orchid"] == shown["Jade"] == shown["all"] == (set(), set())
    assert all(row["drop"] and row["fills"] and row["win"] for row in rows)
    in_full = lines(floor, "figures")
    assert all(row[each] for row in in_full for each in (*OF_OPENER, *OF_CLOSER[:-1]))


def test_an_opener_that_was_counted_is_seen_and_in_sums_with_one_that_was_not_it_is_not() -> None:
    jade, lotus = (TableKey(name, "commission", "SGD") for name in ("Jade", "Lotus"))
    counted = TableSums(tray=TraySums(opener=500, opener_difference=5, closer=700, uncounted_closers=1))
    guessed = TableSums(tray=TraySums(opener=500, closer=700, uncounted_openers=1))
    for tables, openers, closers in (
        ({jade: counted}, [500, 500, 500], [None, None, None]),
        ({jade: guessed}, [None, None, None], [700, 700, 700]),
        ({jade: counted, lotus: guessed}, [None, None, 500, None], [None, None, None, 700]),
    ):
        written = write_report(ShiftReport(Period(None, None), 0, tables), blind=True).figures
        assert [line.opener_minor for line in written] == openers
        assert (
            [line.closer_minor for line in written] == [line.win_by_count_minor and 700 for line in written] == closers
        )


@pytest.mark.parametrize("position", [Position.CASINO_MANAGER, Position.AUDITOR])
def test_pages_of_the_running_day_tell_them_neither(floor: Server, position: Position) -> None:
    by, figures = floor.by(position), report(floor)["report"]["figures"]
    closers = {line["table"]: write_cents(line["closer_minor"]) for line in figures if line["scope"] == "table"}
    text, auditor = by.get("/pit/reports").text, position is Position.AUDITOR
    assert closers["Lotus"] in text
    assert (closers["Orchid"] in text, closers["Jade"] in text) == (auditor, auditor)
    assert ("does it blind" in text) is not auditor
    total = write_cents(figures[0]["win_by_count_minor"])
    assert (total in by.get("/audit").text) is auditor


def test_only_the_running_day_is_read_blind(floor: Server) -> None:
    gaming_day = floor.run(floor.service.floor_view.gaming_day())
    made_us = report(floor)["report"]["made_us"]
    today, of_report = gaming_day.day_of(made_us), ShiftReport(Period(None, None), made_us)
    for position, days, blind in (
        (Position.PIT_SUPERVISOR, 0, True),
        (Position.CASINO_MANAGER, 0, True),
        (Position.CASINO_MANAGER, 1, False),
        (Position.AUDITOR, 0, False),
    ):
        part = DayPart(today - timedelta(days), shift=1)
        assert is_blind(Actor("cass", position), part, gaming_day, of_report) is blind, (position, days)


@pytest.mark.parametrize("position", STAFFED)
def test_who_may_read_reports(floor: Server, position: Position) -> None:
    for path in ("/api/reports/day", "/api/reports/day.csv"):
        answer = floor.by(position).get(path)
        if position in MAY_READ:
            assert answer.status_code == 200
        else:
            problem(answer, 403, TableCode.NOT_AUTHORISED)


def test_players_read_no_reports(served: Server) -> None:
    problem(served.by(Position.PLAYER).get("/api/reports/day"), 403, TableCode.NOT_AUTHORISED)


def test_what_is_no_day_or_shift_is_refused(floor: Server) -> None:
    auditor = floor.by(Position.AUDITOR)
    for query in ("day=today", "day=2026-11-31", "day=2026-11-17&shift=4"):
        problem(auditor.get(f"/api/reports/day?{query}"), 400, FloorCode.BAD_PERIOD)
    for query in ("shift=-1", "part=bets"):
        problem(auditor.get(f"/api/reports/day?{query}"), 400, "bad_request")


def test_the_page_has_the_figures_in_both_languages(floor: Server) -> None:
    supervisor = floor.by(Position.PIT_SUPERVISOR)
    for language, words in (("en", "Win by count"), ("zh", "按清点的盈利")):
        page = supervisor.get("/pit/reports", params={"lang": language}).text
        assert words in page
        assert "Orchid-000003" in page
    assert NAMES[Position.DEALER] in page
    assert supervisor.get("/pit/reports", params={"day": "2020-02-29", "table": "Orchid"}).status_code == 200
    assert floor.by(Position.DEALER).get("/pit/reports").status_code == 403
