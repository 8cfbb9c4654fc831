"""Reports over HTTP: what a day came to as JSON and CSV, and who may read it."""

import csv
from collections.abc import Iterator
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from punto.floor.errors import FloorCode
from punto.floor.reports.days.report_tables import Part
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.reported import reported
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


def lines(floor: Server, part: str, **query: Any) -> list[dict[str, str]]:
    answer = floor.by(Position.PIT_SUPERVISOR).get("/api/reports/day.csv", params=query | {"part": part})
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
