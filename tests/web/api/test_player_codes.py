"""Codes of registered players over HTTP: what a player sees and may do, and that nobody else gains by it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.table.records.positions import Position
from tests.browser.console import open_table
from tests.web.serving import STAFFED, Server, server
from tests.web.wire import problem

JADE, OPAL = "Jade", "Opal"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two tables with screens. At both there is Ann (P000001), at Jade also Bo (P000002) and somebody at box 5."""
    with server(str(Path(tmp_path_factory.mktemp("codes")) / "floor.db")) as running:
        for table in (JADE, OPAL):
            open_table(running, "super-six-plus", table, observing=False, faces_by_rank=False)
        sue, dora = running.by(Position.PIT_SUPERVISOR), running.by(Position.DEALER)
        for name in ("Ann", "Bo"):
            assert sue.post("/api/players", json={"name": name}).status_code == 201
        for table, who in ((JADE, "P000001"), (JADE, "P000002"), (JADE, "box 5"), (OPAL, "P000001")):
            bought = running.command(dora, table, "buy_in", who=who, amount_minor=1_000_00)
            assert bought.status_code == 200, bought.text
        assert running.command(dora, JADE, "sit", who="P000002", box=2).status_code == 200
        yield running


def issue(floor: Server, player: str = "P000001", table: str = JADE) -> str:
    answer = floor.by(Position.DEALER).post(f"/api/players/{player}/code", json={"table": table})
    assert answer.status_code == 201, answer.text
    code: str = answer.json()["code"]
    return code


def enter(floor: Server, player: str = "P000001", **fields: Any) -> httpx2.Client:
    """A client with the session of a player."""
    answer = floor.client().post(
        "/api/session/code", json={"player": player, "code": issue(floor, player), "keep": "token", **fields}
    )
    assert answer.status_code == 200, answer.text
    return floor.client(answer.json()["token"])


def test_a_player_plays_at_their_table_and_nowhere_else(floor: Server) -> None:
    ann = enter(floor)
    session = ann.get("/api/session").json()
    assert (session["name"], session["position"], session["table"]) == ("P000001", "player", JADE)
    assert floor.command(ann, JADE, "sit", who="P000001", box=1).status_code == 200
    problem(floor.command(ann, OPAL, "sit", who="P000001", box=1), 403, "visitor_elsewhere")
    problem(floor.command(ann, JADE, "leave", who="P000002"), 403, "not_your_own")
    problem(floor.command(ann, JADE, "cash_out", who="P000001", amount_minor=100), 403, "not_authorised")
    for path in ("/api/players", "/api/cash", "/api/alarms", "/api/accounts", "/api/players/P000001/rating"):
        problem(ann.get(path), 403, "not_authorised")
    for path in ("/pit", "/pit/players", "/pit/reports", f"/tables/{JADE}/deal"):
        assert ann.get(path).status_code == 403, path
    problem(ann.post("/api/players/P000001/code", json={"table": JADE}), 403, "not_authorised")
    assert ann.delete("/api/session").status_code == 204
    problem(ann.get("/api/session"), 401, "not_signed_in")


def test_a_player_sees_their_own_and_nobody_elses_name(floor: Server) -> None:
    ann = enter(floor)
    answer = ann.get(f"/api/tables/{JADE}")
    assert answer.json()["me"]["chips_minor"] == 1_000_00
    events = ann.get(f"/api/tables/{JADE}/events")
    page = ann.get(f"/tables/{JADE}")
    for each in (answer, events, page):
        assert each.status_code == 200
        assert "P000002" not in each.text
    assert "box 5" not in answer.text + events.text
    elsewhere = ann.get(f"/api/tables/{OPAL}").json()
    assert (elsewhere["me"]["chips_minor"], elsewhere["me"]["boxes"]) == (0, [])


def test_the_session_of_a_browser_is_a_cookie(floor: Server) -> None:
    client, body = floor.client(), {"player": "P000001", "code": issue(floor)}
    answer = client.post("/api/session/code", json=body)
    assert answer.json()["token"] is None
    assert "HttpOnly" in answer.headers["set-cookie"]
    problem(client.post("/api/session/code", json=body), 401, "wrong_code")
    problem(client.post("/api/session/code", json={**body, "keep": "always"}), 400, "bad_request")
    cross = client.post("/api/session/code", json=body, headers={"origin": "https://elsewhere.example"})
    problem(cross, 403, "cross_site")


@pytest.mark.parametrize("position", [*STAFFED, Position.PLAYER])
def test_who_may_give_and_void_codes_and_read_ratings(floor: Server, position: Position) -> None:
    client = enter(floor) if position is Position.PLAYER else floor.by(position)
    dealer_up = position not in (Position.AUDITOR, Position.ADMINISTRATOR, Position.PLAYER)
    supervisor_up = dealer_up and position is not Position.DEALER
    reads = supervisor_up or position is Position.AUDITOR
    given = client.post("/api/players/P000001/code", json={"table": JADE})
    assert given.status_code == (201 if dealer_up else 403)
    assert client.delete("/api/players/P000001/code").status_code == (204 if supervisor_up else 403)
    for path in ("/api/players/P000001/rating", "/api/cash"):
        assert client.get(path).status_code == (200 if reads else 403)
    shown = client.get("/pit/players?player=P000001")
    assert shown.status_code == (403 if position is Position.PLAYER else 200)
    assert ("1,000 SGD" in shown.text) is (dealer_up or reads)


def test_cash_of_a_day_is_added_up_over_tables(floor: Server) -> None:
    sue = floor.by(Position.PIT_SUPERVISOR)
    cash = sue.get("/api/cash").json()
    assert cash["large_cash_minor"] == 20_000_00
    assert cash["people"] == [
        {"who": who, "table": table, "currency": "SGD", "in_minor": paid_minor, "out_minor": 0, "large": False}
        for who, table, paid_minor in (("P000001", "", 2_000_00), ("P000002", "", 1_000_00), ("box 5", JADE, 1_000_00))
    ]
    change = {"act": "change_floor_settings.1", "changes": {"large_cash_minor": 2_000_00}}
    proposed = floor.by(Position.SHIFT_MANAGER).post("/api/proposals", json={"id": "cash", "act": change})
    assert proposed.status_code == 201, proposed.text
    changed = floor.by(Position.CASINO_MANAGER).post("/api/proposals/cash/approve", json={})
    assert changed.status_code == 200, changed.text
    assert [each["who"] for each in sue.get("/api/cash").json()["people"] if each["large"]] == ["P000001"]
    assert sue.get("/api/cash?day=2020-01-01").json()["people"] == []
    (rating,) = sue.get("/api/players/p000001/rating").json()["ratings"]
    assert (rating["cash_in_minor"], rating["cash_out_minor"], rating["sittings"]) == (2_000_00, 0, [])
    problem(sue.get("/api/cash?day=yesterday"), 400, "bad_period")
    problem(sue.get("/api/players/P000009/rating"), 404, "unknown_player")
