"""The pit: who sees it, which table comes first, what its tiles say, and what is sent when a table changes."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own, and a dash stands for nothing

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpx2
import pytest
from websockets.sync.client import ClientConnection, connect

from punto.floor.people import floor_facts
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import MANAGER_UP, SUPERVISOR_UP, Position
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, betting_table, manual_table
from tests.waiting import DEADLINE_S
from tests.web.page_tree import Element, read_html, read_page
from tests.web.serving import NAMES, STAFFED, Server, server

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
MAY_SEE = SUPERVISOR_UP | {Position.AUDITOR}
AT_ONCE_S = 0.05


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floor_facts, "REFRESH_S", AT_ONCE_S)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Three tables: amber and coral are open, with betting at coral, and beryl was never opened."""
    with server(str(tmp_path_factory.mktemp("pit") / "floor.db")) as running:
        for name, make in (("amber", manual_table), ("coral", betting_table)):
            running.run(make(running.floor, name, "commission-insurance", observing=True))
        setup = TableSetup("beryl", "commission", ShoeKind.MANUAL)
        running.run(running.floor.create_table(MANAGER, setup))
        yield running


@cache
def supervisor(floor: Server) -> httpx2.Client:
    """One client for all that a test asks again and again."""
    return floor.by(Position.PIT_SUPERVISOR)


def order(floor: Server) -> list[str]:
    page = read_page(supervisor(floor), "/pit", "en")
    tiles = page.id("tiles")
    numbers = [each.attributes["id"].removeprefix("tile-") for each in tiles.all("li", "p-tile")]
    assert " ".join(numbers) == page.id("order").words
    return [link.attributes["data-tile"] for link in tiles.all("a") if "data-tile" in link.attributes]


def tile(floor: Server, name: str, language: str = "en") -> Element:
    page = read_page(supervisor(floor), f"/pit/tables/{name}", language)
    return page.id("tile")


def facts(part: Element) -> dict[str, str]:
    """Label to value of the lists in a tile."""
    return {each.one("dt").words: each.one("dd").words for each in part.all("div") if list(each.all("dt"))}


@pytest.mark.parametrize("position", STAFFED)
def test_those_who_run_the_floor_and_auditors_see_the_pit(floor: Server, position: Position) -> None:
    client = floor.by(position)
    for path in ("/pit", "/pit/tables/coral"):
        assert client.get(path).status_code == (200 if position in MAY_SEE else 403)
    if position not in MAY_SEE:
        return
    page = read_page(client, "/pit/tables/coral", "en")
    acts = {each.attributes["data-open"] for each in page.all("button") if "data-open" in each.attributes}
    tray = {"request_fill", "request_credit", "count_tray"}
    assert acts == ({"change_settings", "shoe", "close_table", *tray} if position in SUPERVISOR_UP else set())
    assert bool(list(page.all("datalist"))) == (position in MANAGER_UP)
    sent = " ".join(each.attributes.get("data-send", "") for each in (*page.all("form"), *page.all("button")))
    assert ("/relief" in sent, "PUT /api/duty" in sent) == (position in SUPERVISOR_UP, position in MANAGER_UP)
    keys = {each.attributes.get("data-go") for each in read_page(client, "/pit", "en").all("button")}
    assert ({"deal", "guide", "call", "approvals"} & keys != set()) == (position in SUPERVISOR_UP)


def test_nobody_else_gets_its_pieces(floor: Server) -> None:
    assert floor.client().get("/pit").status_code == 401
    for position in (Position.DEALER, Position.ADMINISTRATOR):
        with live(floor, "/live/pit?lang=en", position) as socket:
            assert json.loads(socket.recv(DEADLINE_S))["pieces"] == {"stops": ""}


def test_the_table_that_needs_somebody_comes_first_and_the_closed_ones_last(floor: Server) -> None:
    assert order(floor) == ["amber", "coral", "beryl"]
    at = At(floor.floor, "coral", "calls")
    floor.run(at.do(DEALER, "call_pit"))
    assert order(floor) == ["coral", "amber", "beryl"]
    assert f"{DEALER.name} calls the pit" in tile(floor, "coral").words
    assert f"{DEALER.name}呼叫监台" in tile(floor, "coral", "zh").words
    floor.run(at.do(SUPERVISOR, "answer_call"))
    assert order(floor) == ["amber", "coral", "beryl"]
    floor.run(at.do(DEALER, "close_betting"))
    proposal = {"id": "fell", "command": {"command": "report_dealing_error.1", "reason": "a card fell"}}
    made = floor.by(Position.DEALER).post("/api/tables/coral/proposals", json=proposal)
    assert made.status_code == 201, made.text
    floor.until(lambda: order(floor) == ["coral", "amber", "beryl"])
    page = read_page(supervisor(floor), "/pit", "en")
    assert page.id("queue").one("article").attributes["data-id"] == "fell"
    assert list(read_page(supervisor(floor), "/pit/tables/amber", "en").id("queue").all("article")) == []
    assert page.id("sum").words.startswith("2 of 3 tables open 1 table needs somebody")
    declined = supervisor(floor).post("/api/tables/coral/proposals/fell/decline", json={"reason": "it did not"})
    assert declined.status_code == 200, declined.text
    floor.until(lambda: order(floor) == ["amber", "coral", "beryl"])


def test_a_tile_has_the_figures_of_the_day(served: Server) -> None:
    at = served.run(manual_table(served.floor, "jade", "commission-insurance", observing=True))
    served.run(at.do(DEALER, "buy_in", who="box 3", amount_minor=2_000_00))
    served.run(at.do(DEALER, "open_betting"))
    served.run(at.do(DEALER, "place_bet", who="box 3", box=3, bet="banker", stake_minor=500_00))
    served.run(at.do(DEALER, "place_bet", who="ann", box=1, bet="tie", stake_minor=100_00))
    manager = served.by(Position.PIT_MANAGER)
    for name in (DORA, SUE):
        served.token({DORA: Position.DEALER, SUE: Position.PIT_SUPERVISOR}[name])
        assert manager.put(f"/api/duty/{name}", json={"table": "jade"}).status_code == 204
    served.until(lambda: facts(tile(served, "jade"))["Supervisor"] == SUE)
    shown = facts(tile(served, "jade"))
    assert shown["Dealer"] == DORA
    assert (shown["Player"], shown["Tie"], shown["Banker"], shown["Others"]) == ("–", "100", "500", "–")
    assert (shown["Missed ins."], shown["Incidents"], shown["Rounds/h"]) == ("0", "0", "–")
    served.run(at.do(DEALER, "close_betting"))
    for card in ("9s", "2d", "Kh", "3c"):
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "settle"))
    shown = facts(tile(served, "jade"))
    assert (shown["Win"], shown["Banker"]) == ("600", "–")
    assert int(shown["Shoe left"]) < 8 * 52
    assert "Player wins 9 to 5" in tile(served, "jade").words
    assert "闲赢，9比5" in tile(served, "jade", "zh").words


@contextmanager
def live(floor: Server, path: str, position: Position) -> Iterator[ClientConnection]:
    headers = {"authorization": f"Bearer {floor.token(position)}"}
    address = floor.url.replace("http", "ws", 1) + path
    with connect(address, additional_headers=headers, compression=None, proxy=None, open_timeout=DEADLINE_S) as socket:
        yield socket


def told(socket: ClientConnection) -> dict[str, Any]:
    while set(message := json.loads(socket.recv(DEADLINE_S))) == {"now"}:
        pass
    pieces: dict[str, Any] = message["pieces"]
    return pieces


def test_a_table_that_opens_first_pays_in_the_houses_chips(floor: Server) -> None:
    """Cents that no chip can pay would be missing at every count."""
    form = read_page(floor.by(Position.PIT_SUPERVISOR), "/tables/beryl/deal/open_table", "en")
    (field,) = (
        each for each in form.all("label") if each.attributes.get("data-field") == "settings.smallest_chip_minor"
    )
    assert field.one("input").attributes["value"] == "1"


def test_only_the_tile_that_has_changed_is_sent(served: Server) -> None:
    tables = [served.run(betting_table(served.floor, name, "commission", observing=True)) for name in ("a", "b", "c")]
    page = read_page(supervisor(served), "/pit", "en")
    with live(served, page.one("body").attributes["data-live"], Position.PIT_SUPERVISOR) as socket:
        assert set(told(socket)) == {"tile-1", "tile-2", "tile-3", "order", "sum", "alarms", "queue", "stops"}
        served.run(tables[1].do(DEALER, "close_betting"))
        pieces = told(socket)
        assert set(pieces) == {"tile-2"}
        assert "Dealing" in read_html(pieces["tile-2"]).words
        served.run(tables[2].do(DEALER, "call_pit"))
        pieces = told(socket)
        assert set(pieces) == {"tile-3", "order", "sum", "queue"}
        assert pieces["order"] == "3 1 2"
        served.run(served.floor.create_table(MANAGER, TableSetup("d", "commission", ShoeKind.MANUAL)))
        assert {"tiles", "order"} <= set(told(socket))


def test_a_tile_says_why_its_table_rings_and_marks_a_low_tray(served: Server) -> None:
    limits = {"min_minor": 100_00, "max_minor": 50_000_00}
    at = served.run(
        manual_table(served.floor, "jade", "commission", observing=True, main=limits, tray_par_minor=5_000_000_00)
    )
    seen = {
        position: next(
            each
            for each in read_page(served.by(position), "/pit").id("tiles").all("div", "bad")
            if each.one("dt").words.startswith("Tray")
        ).words
        for position in (Position.AUDITOR, Position.PIT_SUPERVISOR)
    }
    assert "Tray / par" not in facts(tile(served, "jade"))  # those who count do not see what should lie there
    assert "980,000 / 5,000,000" in seen[Position.AUDITOR]
    assert "low" in seen[Position.PIT_SUPERVISOR]
    assert "980,000" not in seen[Position.PIT_SUPERVISOR]
    served.until(lambda: "The tray is low: a fill is due." in tile(served, "jade").words)
    served.run(at.do(DEALER, "open_betting"))
    served.run(at.do(DEALER, "place_bet", who="box 3", box=3, bet="banker", stake_minor=60_000_00))
    served.run(at.do(DEALER, "close_betting"))
    newest = "60,000 on Banker in box 3 at the close: over the limit. (+1)"
    served.until(lambda: newest in tile(served, "jade").words)
    assert order(served) == ["jade"]

    def is_quiet() -> bool:
        for alarm in supervisor(served).get("/api/alarms", params={"open": "true"}).json()["alarms"]:
            path = f"/api/alarms/{alarm['number']}/acknowledge"
            assert supervisor(served).post(path, json={}).status_code == 200
        return list(tile(served, "jade").all("ul", "p-needs")) == []

    served.until(is_quiet)
