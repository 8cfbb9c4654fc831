"""The readings over HTTP: which are in force at this floor, since when, and who may adopt others."""

from typing import Any

import pytest

from punto import book
from punto.floor.running import adopted_readings
from punto.library import readings
from punto.table.records.positions import SHIFT_MANAGER_UP, Position
from punto.web.api import readings as api_readings
from punto.web.http.endpoint import EXPENSIVE
from punto.web.pages import rules as rules_pages
from tests.marks import BOOKS, reading
from tests.web.serving import Server
from tests.web.wire import problem

PATH = "/api/readings"
FORGOING = f"{PATH}/forgoing_insurance"
ADOPT = {"value": False, "reason": "agreed with the regulator"}
SETTINGS = {"layout": "E", "boxes": 7, "main": {"min_minor": 10_00}, "differential_minor": 1_000_00}


def _listed(served: Server, position: Position | None = None, language: str = "en") -> dict[str, dict[str, Any]]:
    client = served.by(position) if position else served.client()
    answer = client.get(PATH, headers={"punto-language": language})
    assert answer.status_code == 200
    return {each["id"]: each for each in answer.json()["readings"]}


def test_every_reading_is_listed_with_its_clauses_alternative_and_effect(served: Server) -> None:
    listed = _listed(served)
    assert list(listed) == [each.id for each in readings()]
    for each in readings():
        shown = listed[each.id]
        assert (shown["title"], shown["text"], shown["subject"]) == (each.title, each.text, each.subject)
        assert (shown["alternative"], shown["effect"]) == (each.alternative_in("en"), each.effect_in("en"))
        assert shown["clauses"] == {rules.id: [*each.clauses(rules)] for rules in BOOKS if each.clauses(rules)}
        assert (shown["setting"] is None) is (each.setting is None)
        assert shown["in_force"] == (each.setting.ours if each.setting else None)
        assert shown["since_us"] is None
    chinese = _listed(served, language="zh")
    assert chinese["established"]["alternative"] == next(
        each.alternative_in("zh") for each in readings() if each.id == "established"
    )
    assert (listed["established"]["values"], listed["established"]["not_by_the_book"]) == ([False, True], [True])
    number = listed["cut_card"]
    assert (number["values"], number["least"], number["most"], number["ours"]) == (None, 0, 51, 14)
    assert listed["pairs_by_rank"]["values"] is None


@reading("interpretation_belongs_to_the_house")
def test_what_is_adopted_is_in_force_from_then_on_and_staff_see_by_whom(served: Server) -> None:
    before_us = served.floor.clock.now_us()
    answer = served.by(Position.SHIFT_MANAGER).post(FORGOING, json=ADOPT)
    assert answer.status_code == 200, answer.text
    adopted = answer.json()
    assert (adopted["ours"], adopted["in_force"], adopted["by"]) == (True, False, "sid")
    assert (adopted["position"], adopted["reason"]) == ("shift_manager", ADOPT["reason"])
    assert before_us <= adopted["since_us"] <= served.floor.clock.now_us()
    for position in (Position.DEALER, Position.AUDITOR):
        assert _listed(served, position)["forgoing_insurance"] == adopted
    hidden = {"by": None, "position": None, "reason": None}
    outsiders: tuple[Position | None, ...] = (None, Position.PLAYER)
    for viewer in outsiders:
        assert _listed(served, viewer)["forgoing_insurance"] == {**adopted, **hidden}


def test_a_repeated_adoption_is_answered_the_same(served: Server) -> None:
    manager = served.by(Position.SHIFT_MANAGER)
    first = manager.post(FORGOING, json=ADOPT)
    again = manager.post(FORGOING, json={**ADOPT, "reason": "sent again"})
    assert (again.status_code, again.json()) == (200, first.json())


def test_an_adoption_of_a_reading_that_no_longer_exists_is_listed(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served.client().get(PATH).json()["lost"] == []
    adopted = served.by(Position.SHIFT_MANAGER).post(FORGOING, json=ADOPT).json()
    left = tuple(each for each in readings() if each.id != "forgoing_insurance")
    monkeypatch.setattr(adopted_readings, "readings", lambda: left)
    lost = {"reading": "forgoing_insurance", "setting": "forgone_for_the_round", "value": False}
    assert served.client().get(PATH).json()["lost"] == [{**lost, "since_us": adopted["since_us"]}]
    words = "adopted forgone_for_the_round false for the reading forgoing_insurance"
    assert words in served.client().get("/rules/readings").text


def test_the_list_costs_as_much_as_its_page() -> None:
    costs = {each.path: each.cost for each in (*api_readings.ENDPOINTS, *rules_pages.ENDPOINTS) if each.method == "GET"}
    assert costs[PATH] == costs["/rules/readings"] == EXPENSIVE


def test_a_table_that_is_opened_next_follows_it_and_legal_says_so(served: Server) -> None:
    supervisor = served.by(Position.PIT_SUPERVISOR)
    assert served.by(Position.SHIFT_MANAGER).post(FORGOING, json=ADOPT).status_code == 200
    body = {"name": "t9", "book": "commission-insurance", "shoes": "manual"}
    assert supervisor.post("/api/tables", json=body).status_code in (200, 201)
    (opening,) = (
        each["command"]
        for each in supervisor.get("/api/tables/t9/legal").json()["legal"]
        if each["command"]["command"] == "open_table.1"
    )
    assert opening["settings"]["forgone_for_the_round"] is False
    answer = served.command(supervisor, "t9", "open_table", settings=SETTINGS)
    assert answer.status_code == 200, answer.text
    assert answer.json()["events"][0]["event"]["settings"]["forgone_for_the_round"] is False


@pytest.mark.parametrize("position", [each for each in Position if each is not Position.HOUSE])
def test_a_shift_manager_or_above_adopts(served: Server, position: Position) -> None:
    answer = served.by(position).post(FORGOING, json=ADOPT)
    if position in SHIFT_MANAGER_UP:
        assert answer.status_code == 200
        return
    error = problem(answer, 403, "not_authorised")
    assert (error["book"], error["clauses"]) == ("commission-insurance", ["5.18"])
    assert _listed(served)["forgoing_insurance"]["since_us"] is None


def test_nobody_adopts_without_a_session(served: Server) -> None:
    problem(served.client().post(FORGOING, json=ADOPT), 401, "not_signed_in")


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        (f"{PATH}/nonesuch", ADOPT, 404, "unknown_reading"),
        (f"{PATH}/pairs_by_rank", ADOPT, 400, "bad_reading"),
        (FORGOING, {**ADOPT, "value": "no"}, 400, "bad_reading"),
        (f"{PATH}/cut_card", {**ADOPT, "value": 52}, 400, "bad_reading"),
        (FORGOING, {**ADOPT, "reason": " "}, 409, "reason_needed"),
        (FORGOING, {"value": False}, 400, "bad_request"),
        (FORGOING, {**ADOPT, "value": None}, 400, "bad_request"),
        (FORGOING, {**ADOPT, "value": 1.5}, 400, "bad_request"),
    ],
)
def test_what_cannot_be_adopted_is_refused_with_the_clause_on_interpretation(
    served: Server, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    error = problem(served.by(Position.SHIFT_MANAGER).post(path, json=body), status, code)
    if code != "bad_request":
        assert (error["book"], error["clauses"]) == ("commission-insurance", ["5.18"])
        assert "5.18" in book("commission-insurance").clauses
