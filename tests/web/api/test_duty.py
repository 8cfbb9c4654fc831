"""Duty and reliefs over HTTP, and the chip set of the floor."""

from datetime import timedelta
from typing import Any

import pytest

from punto.floor.errors import FloorCode
from punto.floor.settings.gaming_day import GamingDay
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.web.serving import NAMES, PASSWORD, STAFFED, Server
from tests.web.wire import problem

PIN = "274918"
BUYING = {"command": "buy_in.1", "who": "box 1", "amount_minor": 100}


def _on_duty(served: Server, **query: int | str) -> list[tuple[str, str]]:
    answer = served.by(Position.AUDITOR).get("/api/duty", params=query)
    assert answer.status_code == 200, answer.text
    return [(line["name"], line["table"]) for line in answer.json()["duty"]]


def _tables(served: Server) -> None:
    sue = served.by(Position.PIT_SUPERVISOR)
    opening: dict[str, Any] = {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7}}
    for table in ("t1", "t2"):
        made = sue.post("/api/tables", json={"name": table, "book": "commission", "shoes": "manual"})
        assert made.status_code == 201, made.text
        given = sue.post(f"/api/tables/{table}/commands", json={"id": f"open {table}", "command": opening})
        assert given.status_code == 200, given.text


def test_a_dealer_is_assigned_acts_and_hands_over(served: Server) -> None:
    _tables(served)
    dora, dan = (served.client(served.hired(name, Position.DEALER)) for name in ("Dora", "Dan"))
    max_, early_us = served.by(Position.PIT_MANAGER), served.floor.clock.now_us()
    assert max_.put("/api/duty/Dora", json={"table": "t1"}).status_code == 204
    assert _on_duty(served) == [("Dora", "t1")]
    assert dora.post("/api/tables/t1/commands", json={"id": "1", "command": BUYING}).status_code == 200
    told = problem(dora.post("/api/tables/t2/commands", json={"id": "2", "command": BUYING}), 403, "not_on_duty_here")
    assert "t1" in told["message"]
    assert told["legal"] == []
    problem(dan.post("/api/tables/t1/relief", json={"name": "Dan"}), 403, FloorCode.NOT_ON_DUTY_HERE)
    assert dora.post("/api/tables/t1/relief", json={"name": "Dan"}).status_code == 204
    assert dan.post("/api/tables/t1/commands", json={"id": "3", "command": BUYING}).status_code == 200
    assert _on_duty(served) == [("Dan", "t1")]
    problem(max_.delete("/api/duty/Dora"), 409, FloorCode.BAD_DUTY)
    assert max_.delete("/api/duty/Dan").status_code == 204
    assert _on_duty(served) == []
    assert _on_duty(served, from_us=early_us) == [("Dora", "t1"), ("Dan", "t1")]
    assert _on_duty(served, at_us=early_us - 1) == []
    part = GamingDay().part_of(early_us)
    assert _on_duty(served, day=part.day.isoformat())[:1] == [("Dora", "t1")]
    assert _on_duty(served, day=part.day.isoformat(), shift=part.shift)[:1] == [("Dora", "t1")]
    assert _on_duty(served, day=(part.day - timedelta(days=1)).isoformat()) == []
    for wrong in ("day=today", "shift=1", f"day={part.day}&at_us={early_us}"):
        problem(max_.get(f"/api/duty?{wrong}"), 400, FloorCode.BAD_PERIOD)


@pytest.mark.parametrize("position", STAFFED)
def test_pit_managers_and_above_assign(served: Server, position: Position) -> None:
    _tables(served)
    served.hired("Doris", Position.DEALER)
    answer = served.by(position).put("/api/duty/Doris", json={"table": "t1"})
    if position in (Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.CASINO_MANAGER):
        assert answer.status_code == 204
    else:
        problem(answer, 403, TableCode.NOT_AUTHORISED)


def test_the_chip_set_is_read_by_all_and_changed_by_few(served: Server) -> None:
    dora, sid = served.by(Position.DEALER), served.by(Position.SHIFT_MANAGER)
    assert len(dora.get("/api/chips").json()["chips"]) == 8
    mine = {"chips": [{"value_minor": 500, "colour": "red"}, {"value_minor": 2500, "colour": "green"}]}
    problem(dora.put("/api/chips", json=mine), 403, TableCode.NOT_AUTHORISED)
    assert sid.put("/api/chips", json=mine).json() == mine
    assert dora.get("/api/chips").json() == mine
    problem(sid.put("/api/chips", json={"chips": []}), 400, FloorCode.BAD_CHIP_SET)
    problem(sid.put("/api/chips", json={"chips": [{"value_minor": 5, "colour": "tartan"}]}), 400, "bad_request")


def test_a_pin_at_the_terminal_hands_the_table_and_the_session_over(served: Server) -> None:
    _tables(served)
    dee, dan = (served.client(served.hired(name, Position.DEALER)) for name in ("Dee", "Dan"))
    manager = served.by(Position.PIT_MANAGER)
    assert manager.put("/api/duty/Dee", json={"table": "t1"}).status_code == 204
    assert dan.put("/api/session/pin", json={"password": PASSWORD, "pin": PIN}).status_code == 204
    by_pin = {"name": "Dan", "pin": PIN}
    problem(dee.post("/api/tables/t1/relief", json=by_pin), 403, FloorCode.NOT_A_TERMINAL)
    enrolled = served.client(served.token(Position.PIT_MANAGER)).post(
        "/api/terminals", json={"table": "t1", "title": "left"}
    )
    assert enrolled.status_code == 201, enrolled.text
    dee.cookies.update(enrolled.cookies)
    served.an_hour_after_enrolling()
    problem(dee.post("/api/tables/t1/relief", json={**by_pin, "pin": "000000"}), 403, FloorCode.WRONG_PIN)
    problem(dee.post("/api/tables/t2/relief", json=by_pin), 403, FloorCode.NOT_ON_DUTY_HERE)
    assert _on_duty(served) == [("Dee", "t1")]
    assert dee.get("/api/session").json()["name"] == "Dee"  # nothing has happened so far
    relieved = dee.post("/api/tables/t1/relief", json=by_pin)
    assert relieved.status_code == 204, relieved.text
    assert _on_duty(served) == [("Dan", "t1")]
    problem(dee.get("/api/session"), 401, FloorCode.NOT_SIGNED_IN)
    here = served.client()
    here.cookies.update({**dict(enrolled.cookies), **dict(relieved.cookies)})
    session = here.get("/api/session").json()
    assert (session["name"], session["position"], session["terminal"]) == ("Dan", "dealer", enrolled.json()["id"])
    given = here.post("/api/tables/t1/commands", json={"id": "after", "command": BUYING})
    assert given.status_code == 200, given.text
    record = served.by(Position.AUDITOR).get("/api/record").json()
    words = [line["words"] for line in record["lines"]]
    assert "'Dan' relieved 'Dee' at table t1." in words
    assert "'Dan' took over from 'Dee' at the terminal, with a PIN: dealer." in words


def test_whoever_gives_a_relief_and_is_not_relieved_stays_signed_in(served: Server) -> None:
    _tables(served)
    served.hired("Dee", Position.DEALER)
    manager, dan = served.by(Position.PIT_MANAGER), served.client(served.hired("Dan", Position.DEALER))
    assert manager.put("/api/duty/Dee", json={"table": "t1"}).status_code == 204
    assert dan.put("/api/session/pin", json={"password": PASSWORD, "pin": PIN}).status_code == 204
    enrolled = served.client(served.token(Position.PIT_MANAGER)).post(
        "/api/terminals", json={"table": None, "title": "wall"}
    )
    supervisor = served.by(Position.PIT_SUPERVISOR)
    supervisor.cookies.update(enrolled.cookies)
    served.an_hour_after_enrolling()
    relieved = supervisor.post("/api/tables/t1/relief", json={"name": "Dan", "pin": PIN})
    assert (relieved.status_code, dict(relieved.cookies)) == (204, {}), relieved.text
    assert _on_duty(served) == [("Dan", "t1")]
    assert supervisor.get("/api/session").json()["name"] == NAMES[Position.PIT_SUPERVISOR]


def test_a_pin_hands_over_only_what_its_owner_may_take(served: Server) -> None:
    """A supervisor is no dealer, and a dealer of another table stays there."""
    _tables(served)
    dee, dan = (served.client(served.hired(name, Position.DEALER)) for name in ("Dee", "Dan"))
    manager = served.by(Position.PIT_MANAGER)
    for name, table in (("Dee", "t1"), ("Dan", "t2")):
        assert manager.put(f"/api/duty/{name}", json={"table": table}).status_code == 204
    for client in (dan, served.by(Position.PIT_SUPERVISOR)):
        assert client.put("/api/session/pin", json={"password": PASSWORD, "pin": PIN}).status_code == 204
    enrolled = served.client(served.token(Position.PIT_MANAGER)).post(
        "/api/terminals", json={"table": "t1", "title": "left"}
    )
    dee.cookies.update(enrolled.cookies)
    served.an_hour_after_enrolling()
    for name in ("Dan", NAMES[Position.PIT_SUPERVISOR]):
        problem(dee.post("/api/tables/t1/relief", json={"name": name, "pin": PIN}), 409, FloorCode.BAD_DUTY)
    assert dee.get("/api/session").json()["name"] == "Dee"
