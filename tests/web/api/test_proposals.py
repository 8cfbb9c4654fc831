"""Proposals over HTTP: one person proposes a command, another sees what would follow and approves it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.journal.entry import context_of
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from tests.floor.playing import MANAGER, SUPERVISOR, At
from tests.table.tables import settings
from tests.web.serving import Server, server

GAME = "commission-insurance"
REPORT = {"command": "report_dealing_error.1", "reason": "a card fell", "reconstructable": True}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("proposals") / "floor.db")) as served:
        yield served


def real_table(served: Server, name: str) -> At:
    """A felt table with a real shoe, in which three cards of a round are out."""
    served.run(served.floor.create_table(MANAGER, TableSetup(name, GAME, ShoeKind.MANUAL)))
    at = At(served.floor, name)
    wanted = msgspec.to_builtins(settings(book(GAME), least=10_00, most=500_00, observing=True))
    for command, fields in (
        ("open_table", {"settings": wanted, "float_minor": 1_000_00}),
        ("load_shoe", {"shoe": f"{name} 1", "decks": 8}),
        ("burn_cards", {"card": "2h"}),
        ("open_betting", {}),
        ("place_bet", {"who": "box 1", "box": 1, "bet": "banker", "stake_minor": 50_00}),
        ("close_betting", {}),
        *(("deal_card", {"card": card}) for card in ("5h", "9c", "2d")),
    ):
        served.run(at.do(SUPERVISOR, command, **fields))
    return at


def propose(client: httpx2.Client, table: str, proposal: str, command: dict[str, Any], **more: Any) -> httpx2.Response:
    return client.post(f"/api/tables/{table}/proposals", json={"id": proposal, "command": command, **more})


def decide(client: httpx2.Client, table: str, proposal: str, verb: str = "approve", **body: Any) -> httpx2.Response:
    return client.post(f"/api/tables/{table}/proposals/{proposal}/{verb}", json=body)


def test_a_supervisor_approves_what_a_dealer_proposes(floor: Server) -> None:
    real_table(floor, "one")
    dealer, supervisor = floor.by(Position.DEALER), floor.by(Position.PIT_SUPERVISOR)
    made = propose(dealer, "one", "p1", REPORT)
    assert made.status_code == 201, made.text
    view = made.json()
    assert view["state"] == "open"
    assert view["needs"] == ["pit_supervisor", "pit_manager", "shift_manager", "casino_manager"]
    assert not view["may_approve"]
    assert view["round"] == 1
    (listed,) = supervisor.get("/api/proposals").json()["proposals"]
    assert listed["id"] == "p1"
    assert listed["may_approve"]
    approved = decide(supervisor, "one", "p1")
    assert approved.status_code == 200, approved.text
    answer = approved.json()
    assert [event["by"] for event in answer["events"]] == ["sue"] * len(answer["events"])
    assert decide(supervisor, "one", "p1").json() == answer
