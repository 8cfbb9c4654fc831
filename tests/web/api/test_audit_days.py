"""Gaming days over HTTP: what is out of the ordinary as JSON and CSV, who may read it, and signing a day off."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest

from punto.floor.errors import FloorCode
from punto.floor.journal.incidents import IncidentWait
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from punto.web.pages.audit import day_page
from tests.floor.audit_day import DAY, HOSTILE, audited
from tests.web.page_tree import read_page
from tests.web.serving import NAMES, STAFFED, Server, server
from tests.web.wire import problem

ADDRESS = f"/api/days/{DAY}/sign-off"
MAY_READ = {Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.CASINO_MANAGER, Position.AUDITOR}
MAY_SIGN = MAY_READ - {Position.PIT_MANAGER}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("audit") / "floor.db")
    audited(path)
    with server(path) as served:
        yield served


def exceptions(floor: Server, language: str = "en", **query: Any) -> dict[str, Any]:
    headers = {"accept-language": language}
    answer = floor.by(Position.AUDITOR).get(
        "/api/exceptions/day", params={"day": DAY.isoformat()} | query, headers=headers
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_exceptions_of_a_day_say_when_where_who_and_what(floor: Server) -> None:
    day = exceptions(floor)
    assert (day["day"], day["shift"], day["over"], day["changed_since"]) == (DAY.isoformat(), 0, True, False)
    assert day["total"] == len(day["exceptions"])
    assert day["counts"] == {
        **dict.fromkeys(("correction", "void", "ruling", "under_minimum", "pro_rata", "entered_later", "alone"), 1),
        **dict.fromkeys(("missed_insurance", "count_differed"), 2),
        **dict.fromkeys(("count_missing", "restart"), 1),
    }
    lines = {kind: line for line in day["exceptions"] for kind in line["kinds"]}
    assert [lines[kind]["round"] for kind in ("correction", "pro_rata", "void", "restart")] == [
        "1-1",
        "1-2",
        "1-4",
        None,
    ]
    assert (lines["void"]["by"], lines["void"]["command"]) == (NAMES[Position.PIT_SUPERVISOR], "report_interruption")
    assert lines["void"]["incident"] == 1
    assert lines["ruling"]["words"][0].endswith(HOSTILE)
    assert lines["pro_rata"]["words"] == ["ann, box 1, Banker: 500 plays.", "ben, box 2, Player: 5 plays."]
    assert lines["correction"]["reason"] == "seen on film"
    assert all(line["clauses"] for kind, line in lines.items() if kind in ("void", "pro_rata", "missed_insurance"))
    assert exceptions(floor, "zh", kind="void")["exceptions"][0]["words"][-1].startswith("第4局")


def test_kinds_shifts_and_csv_are_parts_of_the_same(floor: Server) -> None:
    day = exceptions(floor)
    for kind, count in day["counts"].items():
        found = exceptions(floor, kind=kind)
        assert (len(found["exceptions"]), found["total"]) == (count, day["total"])
    assert exceptions(floor, day="2020-02-29")["exceptions"] == []
    assert exceptions(floor, shift=2)["counts"] == {"count_missing": 2}
    client = floor.by(Position.AUDITOR)
    answer = client.get("/api/exceptions/day.csv", params={"day": DAY.isoformat()})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(StringIO(answer.text, newline="")))
    assert [row["words"] for row in rows] == [" ".join(line["words"]) for line in day["exceptions"]]
    problem(client.get("/api/exceptions/day", params={"kind": "odd"}), 400, "bad_request")
    problem(client.get("/api/exceptions/day", params={"day": "x"}), 400, FloorCode.BAD_PERIOD)


@pytest.mark.parametrize("position", STAFFED)
def test_who_may_read_and_who_may_sign(floor: Server, position: Position) -> None:
    client = floor.by(position)
    for address in ("/api/exceptions/day", "/api/exceptions/day.csv"):
        answer = client.get(address, params={"day": DAY.isoformat()})
        assert answer.status_code == (200 if position in MAY_READ else 403), answer.text
    if position not in MAY_SIGN:
        problem(client.post(ADDRESS, json={}), 403, TableCode.NOT_AUTHORISED)


def test_a_day_is_signed_off_and_the_report_says_so(floor: Server) -> None:
    client, total = floor.by(Position.AUDITOR), exceptions(floor)["total"]
    today = client.get("/api/exceptions/day").json()
    assert (today["over"], today["sign_offs"]) == (False, [])
    unsigned = client.post(f"/api/days/{today['day']}/sign-off", json={})
    problem(unsigned, 409, FloorCode.DAY_NOT_OVER)
    problem(client.post("/api/days/yesterday/sign-off", json={}), 400, FloorCode.BAD_PERIOD)
    problem(client.post(ADDRESS, json={"note": "a\nb"}), 409, TableCode.REASON_NEEDED)
    signed = client.post(ADDRESS, json={"note": HOSTILE})
    assert signed.status_code == 200, signed.text
    (line,) = signed.json()["sign_offs"]
    given = (line["name"], line["position"], line["exceptions"], line["note"])
    assert given == (NAMES[Position.AUDITOR], "auditor", total, HOSTILE)
    problem(client.post(ADDRESS, json={}), 409, FloorCode.DAY_SIGNED_OFF)
    assert exceptions(floor)["sign_offs"] == [line]
    report = client.get("/api/reports/day", params={"day": DAY.isoformat()}).json()
    assert report["sign_offs"] == [line]
    assert floor.by(Position.CASINO_MANAGER).post(ADDRESS, json={}).json()["sign_offs"][0] == line


def test_incidents_beyond_those_that_are_shown_are_counted_as_more(
    floor: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted() -> str:
        page = read_page(floor.by(Position.AUDITOR), f"/audit?day={DAY}")
        return next(each.words for each in page.all("div") if each.words.startswith("Incidents open"))

    assert counted() == "Incidents open 0 of 2"
    monkeypatch.setattr(day_page, "MAX_INCIDENTS", 1)
    assert counted() == "Incidents open 0+ of 1+"


def test_a_day_with_open_incidents_is_signed_off_only_by_somebody_who_says_so(floor: Server) -> None:
    def leave_open(waits: str) -> None:
        sql = "UPDATE incidents SET waits = ? WHERE number = 1"
        floor.floor.database.writing(lambda transaction: transaction.change(sql, (waits,))).result()

    def asked(language: str = "en") -> list[str]:
        page = read_page(manager, f"/audit?day={DAY}", language)
        (form,) = (each for each in page.all("form") if "sign-off" in each.attributes.get("data-send", ""))
        return [each.words for each in form.all("label", "ask") if "required" in each.one("input").attributes]

    manager = floor.by(Position.SHIFT_MANAGER)
    assert asked() == []
    leave_open(IncidentWait.ORDER)
    assert asked() == ["1 incident of this day is still open. Sign it off all the same."]
    assert len(asked("zh")) == 1
    for body in ({}, {"note": "seen"}, {"despite_open": False}):
        refused = manager.post(ADDRESS, json=body)
        problem(refused, 409, FloorCode.DAY_WITH_OPEN_INCIDENTS)
        assert "1 incident is still open on 2023-11-14" in refused.json()["error"]["message"]
    signed = manager.post(ADDRESS, json={"despite_open": True})
    assert signed.status_code == 200, signed.text
    assert signed.json()["sign_offs"][-1]["name"] == NAMES[Position.SHIFT_MANAGER]
    leave_open("")
