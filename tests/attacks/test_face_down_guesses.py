"""Somebody with the token of a bridge sends every card to find out one that lies face down. One wrong card stops it."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from websockets.sync.client import connect

from punto.floor.audit.verify import verify
from punto.floor.house.projections.sessions import key_of
from punto.floor.journal.house_events import AuthorityRefused, BridgeReleased, BridgeStopped, HouseEvent
from punto.floor.journal.house_events import read_house_event as read
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.rules.coup.cards import Card
from punto.table.records.positions import Position
from tests.floor.nights import opened
from tests.floor.reading import NATURAL
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import BRIDGE
from tests.web.serving import Server, server
from tests.web.shoe import AtTable
from tests.web.wire import problem

CARDS = [card.value for card in Card]


@pytest.fixture
def url(database_url: str) -> str:
    return database_url


@pytest.fixture
def table(url: str) -> Iterator[AtTable]:
    """Four cards of a round lie face down, and a scanner has read them."""
    with server(url) as served:
        at = AtTable(served)
        at.open(face_down=True)
        at.close_betting()
        for draw, card in enumerate(NATURAL, 1):
            assert at.card(draw, card).status_code == 200
        yield at


def on_record(table: AtTable, kind: type[HouseEvent]) -> list[HouseEvent]:
    entries = table.served.run(all_entries(table.served.floor, "house"))
    return [event for event in map(read, (entry.event for entry in entries)) if isinstance(event, kind)]


def guesses(draw: int) -> list[str]:
    """Every card but the right one, which a guesser does not know, last."""
    right = NATURAL[draw - 1]
    return [*(card for card in CARDS if card != right), right]


def test_142_questions_are_one(table: AtTable) -> None:
    answers = [table.card(draw, card) for draw in (1, 2, 3) for card in guesses(draw)][:142]
    assert len(answers) == 142
    problem(answers[0], 409, "card_differs")
    for answer in answers[1:]:
        problem(answer, 409, "bridge_stopped")
    assert len({answer.text for answer in answers[1:]}) == 1  # the right card gets no other answer
    (stopped,) = on_record(table, BridgeStopped)
    assert stopped == BridgeStopped("scanner", key_of(table.token), "t1", "t1/1", "t1 1", 1)
    problem(table.card(5, "9s"), 409, "bridge_stopped")  # nor is any other card taken


def test_52_questions_at_once_get_one_answer(table: AtTable) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda card: table.card(4, card), guesses(4)))
    codes = [answer.json().get("error", {}).get("code", "known") for answer in answers]
    # the first that was judged counts; by luck it can be the right card
    assert codes.count("card_differs") == 1
    assert codes.count("known") <= 1
    assert codes.count("bridge_stopped") >= 50
    assert len(on_record(table, BridgeStopped)) == 1


def test_only_a_person_of_the_pit_lets_it_go_on(url: str, table: AtTable) -> None:
    served = table.served
    problem(table.card(1, "8s"), 409, "card_differs")
    here = "/api/tables/t1/bridges"
    (line,) = table.dealer.get(here).json()["bridges"]
    assert (line["bridge"], line["shoe"], line["draw"]) == ("scanner", "t1 1", 1)
    problem(table.dealer.post(f"{here}/scanner/release"), 403, "not_authorised")
    desk = served.client(served.machine("desk", Position.SHIFT_MANAGER, TokenBounds(TokenWork.COMMANDS, "t1")))
    for machine in (table.bridge, desk):
        problem(machine.post(f"{here}/scanner/release"), 403, "not_authorised")
    problem(table.pit.post(f"{here}/nobody/release"), 409, "bridge_not_stopped")
    problem(table.card(5, "9s"), 409, "bridge_stopped")
    assert table.pit.post(f"{here}/scanner/release").status_code == 204
    assert on_record(table, BridgeReleased) == [BridgeReleased("scanner", key_of(table.token), "t1")]
    assert table.dealer.get(here).json() == {"bridges": []}
    assert table.card(1, NATURAL[0]).json()["outcome"] == "known"
    problem(table.card(2, "8s"), 409, "card_differs")  # and again
    assert len(on_record(table, BridgeStopped)) == 2
    exceptions = served.by(Position.AUDITOR).get("/api/exceptions").json()["exceptions"]
    names = [each["event"]["event"] for each in exceptions]
    assert names[:3] == ["bridge_stopped.1", "bridge_released.1", "bridge_stopped.1"]
    with opened(url) as database:
        assert verify(database).faults == []


def test_other_bridges_go_on(table: AtTable) -> None:
    problem(table.card(1, "8s"), 409, "card_differs")
    second = table.served.client(table.served.machine("second", bounds=BRIDGE))
    assert table.card(1, NATURAL[0], by=second).json()["outcome"] == "known"


def test_an_unbound_token_is_stopped_too_and_cannot_release_itself(table: AtTable) -> None:
    """Tokens of earlier releases may do what their position may, until they expire."""
    served = table.served
    token = served.machine("old", Position.PIT_SUPERVISOR, BRIDGE)

    async def unbind() -> None:
        sql = "UPDATE sessions SET work = '', at_table = '' WHERE token = ?"
        await served.floor.database.write(lambda transaction: transaction.change(sql, (key_of(token),)))

    served.run(unbind())
    old = served.client(token)
    lines = served.by(Position.ADMINISTRATOR).get("/api/accounts").json()["accounts"]
    (bounds,) = next(line["tokens"] for line in lines if line["name"] == "old")
    assert (bounds["work"], bounds["table"], bounds["stopped"]) == ("", "", False)
    problem(table.card(1, "8s", by=old), 409, "card_differs")
    problem(table.card(1, NATURAL[0], by=old), 409, "bridge_stopped")
    problem(old.post("/api/tables/t1/bridges/old/release"), 403, "not_authorised")
    assert old.get("/api/tables/t1/legal").status_code == 200


# ---- bounds


def test_a_token_for_cards_is_for_nothing_else(table: AtTable) -> None:
    served, bridge = table.served, table.bridge
    made = table.pit.post("/api/tables", json={"name": "t2", "book": "commission", "shoes": "manual"})
    assert made.status_code == 201
    before = len(on_record(table, AuthorityRefused))
    requests: list[tuple[str, str, object]] = [
        ("POST", "/api/tables/t2/cards", {"shoe": "t1 1", "draw": 1, "card": "9s"}),
        ("POST", "/api/tables/t1/commands", {"id": "x1", "command": {"command": "deal_card.1"}}),
        ("POST", "/api/tables", {"name": "t1", "book": "commission"}),
        ("GET", "/api/tables/t1/legal", None),
        ("GET", "/api/tables/t1/bridges", None),
        ("GET", "/api/players", None),
    ]
    for method, path, body in requests:
        problem(bridge.request(method, path, json=body), 403, "not_authorised")
    refused = on_record(table, AuthorityRefused)[before:]
    assert len(refused) == len(requests)
    assert {event.by for event in refused if isinstance(event, AuthorityRefused)} == {"scanner"}
    public = served.client().get("/api/tables/t1").json()["state"]
    assert bridge.get("/api/tables/t1").json()["state"] == public  # what anybody sees
    assert bridge.get("/api/session").json()["name"] == "scanner"


def test_a_token_for_commands_is_for_its_table(table: AtTable) -> None:
    served = table.served
    tablet = served.client(served.machine("tablet", Position.PIT_SUPERVISOR, TokenBounds(TokenWork.COMMANDS, "t1")))
    assert served.command(tablet, "t1", "turn_card", place=1).status_code == 200
    assert tablet.get("/api/tables/t1").json()["state"]["balances"]
    assert table.pit.post("/api/tables", json={"name": "t2", "book": "commission"}).status_code == 201
    problem(served.command(tablet, "t2", "close_table"), 403, "not_authorised")
    problem(tablet.post("/api/tables", json={"name": "t3", "book": "commission"}), 403, "not_authorised")
    problem(table.card(5, "9s", by=tablet), 403, "not_authorised")
    problem(tablet.get("/api/players"), 403, "not_authorised")
    problem(tablet.post("/api/players", json={"name": "Ann"}), 403, "not_authorised")
    public = served.client().get("/api/tables/t2").json()["state"]
    assert tablet.get("/api/tables/t2").json()["state"] == public


def test_a_token_for_reading_changes_nothing(table: AtTable) -> None:
    served = table.served
    bounds = TokenBounds(TokenWork.READ, "t1")
    here = served.client(served.machine("here", Position.SHIFT_MANAGER, bounds))
    everywhere = served.client(served.machine("everywhere", Position.SHIFT_MANAGER, TokenBounds(TokenWork.READ)))
    for reader in (here, everywhere):
        assert reader.get("/api/tables/t1/legal").status_code == 200
        problem(served.command(reader, "t1", "turn_card", place=1), 403, "not_authorised")
        problem(table.card(1, NATURAL[0], by=reader), 403, "not_authorised")
        problem(reader.post("/api/players", json={"name": "Ann"}), 403, "not_authorised")
    problem(here.get("/api/players"), 403, "not_authorised")
    assert everywhere.get("/api/players").status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_token"),
        ({"work": "cards"}, "bad_token"),
        ({"work": "commands"}, "bad_token"),
        ({"work": "cards", "table": "t1", "position": "auditor"}, "bad_token"),
        ({"work": "commands", "table": "t1", "position": "auditor"}, "bad_token"),
        ({"work": "cards", "table": "t1/2"}, "bad_name"),
        ({"work": "everything"}, "bad_request"),
    ],
)
def test_no_new_token_is_unbound(tmp_path: Path, body: dict[str, str], code: str) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        admin = served.by(Position.ADMINISTRATOR)
        problem(admin.post("/api/tokens", json={"name": "shoe 1", "position": "dealer", **body}), 400, code)


def test_a_live_feed_shows_no_more_than_the_token_is_for(table: AtTable) -> None:
    served = table.served
    assert table.pit.post("/api/tables", json={"name": "t2", "book": "commission"}).status_code == 201
    here = served.client(served.machine("here", Position.SHIFT_MANAGER, TokenBounds(TokenWork.READ, "t1")))
    assert "balances" in state_of(served, here, "t1")
    assert state_of(served, here, "t2") == state_of(served, served.client(), "t2")
    assert state_of(served, table.bridge, "t1") == state_of(served, served.client(), "t1")


def state_of(served: Server, client: httpx2.Client, table: str) -> dict[str, object]:
    """The state of a table as its live feed sends it."""
    headers = {name: value for name, value in client.headers.items() if name == "authorization"}
    with connect(f"ws{served.url.removeprefix('http')}/api/live", additional_headers=headers) as socket:
        socket.send(json.dumps({"ask": "watch", "table": table}))
        state: dict[str, object] = json.loads(socket.recv())["state"]
    return state
