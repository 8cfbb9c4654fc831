"""Incidents over HTTP: the list with its filters, and one with people, words, money and the felt."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from punto.floor.settings.gaming_day import GamingDay
from punto.table.records.positions import Position
from tests.web.incidents import troubled_table
from tests.web.serving import NAMES, Server, server

TABLE = "felt 1"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("incidents") / "floor.db")) as served:
        troubled_table(served, TABLE)
        yield served


def listed(floor: Server, **query: Any) -> list[int]:
    answer = floor.by(Position.AUDITOR).get("/api/incidents", params=query)
    assert answer.status_code == 200, answer.text
    return [each["number"] for each in answer.json()["incidents"]]


def one(floor: Server, number: int, language: str = "en") -> dict[str, Any]:
    answer = floor.by(Position.DEALER).get(f"/api/incidents/{number}", headers={"punto-language": language})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_list_and_what_narrows_it_down(floor: Server) -> None:
    assert listed(floor) == [4, 3, 2, 1]
    assert listed(floor, table=TABLE, round=2) == [3, 2]
    assert listed(floor, table="elsewhere") == []
    assert listed(floor, to="2020-01-01") == []
    assert listed(floor, **{"from": "2020-01-01"}) == [4, 3, 2, 1]
    first = floor.by(Position.AUDITOR).get("/api/incidents", params={"most": 3}).json()
    assert (len(first["incidents"]), first["next"]) == (3, 2)
    assert listed(floor, before=first["next"]) == [1]
    newest = first["incidents"][0]
    assert {name: newest[name] for name in ("kind", "round", "state", "table", "waits_for")} == {
        "kind": "foreign_card",
        "round": 3,
        "state": "open",
        "table": TABLE,
        "waits_for": ["shoe"],
    }


def test_one_incident_from_the_proposal_to_the_last_choice(floor: Server) -> None:
    incident = one(floor, 1)
    assert (incident["kind"], incident["state"], incident["round"]) == ("wrong_side", "closed", 1)
    report, choice, _ = incident["commands"]
    dora, sue = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
    assert (report["proposed_by"], report["proposer_position"]) == (dora, "dealer")
    assert (report["by"], report["position"]) == (sue, "pit_supervisor")
    assert report["words"][0] == "On record: cards at the wrong side."
    assert choice["words"] == ["Li Na: takes all bets of the round back."]
    assert incident["moved"] == [{"who": "P000001", "amount_minor": 100_00}]
    assert [stake["who"] for stake in incident["before"]["stakes"]] == ["P000001", "box 2", "behind box 4"]
    assert [stake["who"] for stake in incident["after"]["stakes"]] == ["box 2", "behind box 4"]
    assert incident["before"]["cards"] == ["4s", "2d"]
    assert set(incident["clauses"]) == {clause for each in incident["commands"] for clause in cited(each)}
    assert one(floor, 1, "zh")["commands"][0]["words"][0].endswith("发错一方的牌。")


def cited(command: dict[str, Any]) -> set[str]:
    return {clause for each in command["events"] for clause in each["event"].get("clauses", ())}


def test_incidents_of_one_round_name_each_other(floor: Server) -> None:
    assert (one(floor, 2)["same_round"], one(floor, 3)["same_round"]) == ([3], [2])
    assert one(floor, 4)["moved"] == [
        {"who": who, "amount_minor": minor}
        for who, minor in (("P000001", 100_00), ("box 2", 50_00), ("behind box 4", 10_00))
    ]


def test_a_round_of_the_history_has_the_numbers_of_its_incidents(floor: Server) -> None:
    rounds = floor.by(Position.PIT_SUPERVISOR).get(f"/api/tables/{TABLE}/rounds").json()["rounds"]
    assert {each["round"]: each["incidents"] for each in rounds} == {1: [1], 2: [2, 3], 3: [4]}


def test_an_ordinary_command_belongs_to_none(floor: Server) -> None:
    answer = floor.command(floor.by(Position.DEALER), TABLE, "call_pit")
    assert (answer.status_code, answer.json()["incident"]) == (200, 0)


@pytest.mark.parametrize("number", ["0", "99", "x", "1" * 30, "1" * 5_000, "%C2%B2"])
def test_no_such_incident(floor: Server, number: str) -> None:
    answer = floor.by(Position.DEALER).get(f"/api/incidents/{number}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_incident")


def test_incidents_of_a_gaming_day_and_a_shift(floor: Server) -> None:
    part = GamingDay().part_of(floor.floor.clock.now_us())  # the table was just played

    def numbers(**query: str | int) -> list[int]:
        answer = floor.by(Position.AUDITOR).get("/api/incidents", params=query)
        assert answer.status_code == 200, answer.text
        return [line["number"] for line in answer.json()["incidents"]]

    days = [(part.day + timedelta(days=n)).isoformat() for n in (-1, 0, 1)]
    whole = sorted(number for day in days for number in numbers(day=day))
    assert whole == [1, 2, 3, 4]
    assert sorted(number for day in days for shift in (1, 2, 3) for number in numbers(day=day, shift=shift)) == whole
    assert numbers(day="2001-01-01") == []


@pytest.mark.parametrize("query", [{"day": "today"}, {"shift": "1"}, {"day": "2026-11-17", "from": "2026-11-17"}])
def test_a_gaming_day_that_is_none_is_refused(floor: Server, query: dict[str, str]) -> None:
    answer = floor.by(Position.DEALER).get("/api/incidents", params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_period")


def test_a_period_that_is_none_is_refused(floor: Server) -> None:
    answer = floor.by(Position.DEALER).get("/api/incidents", params={"from": "yesterday"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_period")


@pytest.mark.parametrize("path", ["/api/incidents", "/api/incidents/1"])
def test_incidents_are_for_staff_and_auditors(floor: Server, path: str) -> None:
    assert floor.client().get(path).status_code == 401
    for position in (Position.ADMINISTRATOR, Position.PLAYER):
        answer = floor.by(position).get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_authorised")
    assert floor.by(Position.AUDITOR).get(path).status_code == 200
