"""Cards of a physical shoe over HTTP: only from machines, and never shown before they are turned."""

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.errors import FloorCode
from punto.floor.journal.house_events import AuthorityRefused, read_house_event
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.shoes.scan_store import ScanResult
from punto.table.records.positions import Position
from punto.web.api.cards import CardResult
from tests.floor.reading import NATURAL
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import BRIDGE
from tests.web.serving import STAFFED, Server
from tests.web.shoe import AtTable


@pytest.fixture
def table(served: Server) -> AtTable:
    """A table with a physical shoe and betting closed."""
    at = AtTable(served)
    at.open()
    at.close_betting()
    return at


def _error(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    assert (error["code"], sorted(error)) == (code, ["book", "clauses", "code", "legal", "message"])
    assert error["message"]
    return error


def test_a_machine_posts_the_cards_of_a_round(table: AtTable) -> None:
    for draw, card in enumerate(NATURAL, 1):
        told = table.card(draw, card).json()
        assert (told["shoe"], told["draw"], told["outcome"], told["next"]) == ("t1 1", draw, "taken", draw + 1)
        assert [event["event"]["event"] for event in told["events"]] == ["card_dealt.1", "card_turned.1"]
        assert told["events"][-1]["cursor"] == told["cursor"]
        assert {event["by"] for event in told["events"]} == {None}  # a bridge sees what anybody sees
    state = table.state()
    assert [state["round"][side]["cards"] for side in ("player", "banker")] == [["9s", "Kh"], ["2d", "3c"]]
    table.command("settle")
    assert table.state()["round"]["winner"] == "player"


def test_a_draw_may_be_beyond_the_cards_of_a_shoe(table: AtTable) -> None:
    """A continuous shuffler goes on counting. Here the card before it is missing."""
    _error(table.card(4_000, "9s"), 409, "card_gap")


def test_posted_again(table: AtTable) -> None:
    first = table.card(1, "9s").json()
    again = table.card(1, "9s").json()
    assert again == {**first, "outcome": "known"}
    error = _error(table.card(1, "9h"), 409, "card_differs")
    assert "9s" not in error["message"]
    assert table.state()["shoe"]["drawn"] == 1


def test_what_a_bridge_is_told_when_something_is_wrong(served: Server, table: AtTable) -> None:
    table.card(1, "9s")
    assert "is 2, not 4" in _error(table.card(4, "Kh"), 409, "card_gap")["message"]
    _error(table.card(2, "Kh", shoe="t1 2"), 409, "wrong_shoe")
    elsewhere = served.client(served.machine("lost", bounds=TokenBounds(TokenWork.CARDS, "t9")))
    _error(table.card(2, "Kh", table="t9", by=elsewhere), 404, "unknown_table")
    for draw, card in enumerate(NATURAL[1:], 2):
        assert table.card(draw, card).status_code == 200
    table.command("settle")
    waiting = _error(table.card(5, "Kh"), 409, "not_dealing")
    assert waiting["clauses"]
    assert "open_betting.1" in [option["command"]["command"] for option in waiting["legal"]]
    _error(table.card(5, "Kh", by=served.client()), 401, "not_signed_in")


@pytest.mark.parametrize(
    "body",
    [
        {"shoe": "t1 1", "draw": 1, "card": "Xs"},
        {"shoe": "t1 1", "draw": 1, "card": "as"},
        {"shoe": "t1 1", "draw": 1, "card": None},
        {"shoe": "t1 1", "draw": 0, "card": "9s"},
        {"shoe": "t1 1", "draw": -1, "card": "9s"},
        {"shoe": "t1 1", "draw": 2**70, "card": "9s"},
        {"shoe": "t1 1", "draw": 1.5, "card": "9s"},
        {"shoe": "t1 1", "draw": True, "card": "9s"},
        {"shoe": 1, "draw": 1, "card": "9s"},
        {"shoe": "t1 1", "draw": 1},
        {"shoe": "t1 1", "draw": 1, "card": "9s", "by": "sue"},
        [],
    ],
)
def test_what_is_no_card_of_a_shoe(table: AtTable, body: Any) -> None:
    _error(table.bridge.post("/api/tables/t1/cards", json=body), 400, "bad_request")
    assert table.state()["shoe"]["drawn"] == 0


def test_a_sealed_shoe_says_itself_what_its_cards_are(served: Server, table: AtTable) -> None:
    made = table.pit.post("/api/tables", json={"name": "t2", "book": "commission"})
    assert made.status_code == 201
    second = served.client(served.machine("second", bounds=TokenBounds(TokenWork.CARDS, "t2")))
    _error(table.card(1, "9s", table="t2", by=second), 409, "not_the_sealed_card")


# ---- who may


def test_people_give_commands_and_post_no_cards(served: Server, table: AtTable) -> None:
    """A person could find out a face-down card by trying all cards."""
    for position in (*STAFFED, Position.PLAYER):
        _error(table.card(1, "9s", by=served.by(position)), 403, "not_authorised")
    auditor = served.client(served.machine("reader", Position.AUDITOR))
    _error(table.card(1, "9s", by=auditor), 403, "not_authorised")
    house = [read_house_event(entry.event) for entry in served.run(all_entries(served.floor, "house"))]
    told = [event for event in house if isinstance(event, AuthorityRefused)]
    assert len(told) == len(STAFFED) + 2
    assert {event.command for event in told} == {"scan_card", "POST /api/tables/{table}/cards"}
    above = served.client(served.machine("shoe 2", Position.PIT_SUPERVISOR, BRIDGE))
    assert table.card(1, "9s", by=above).status_code == 200


def test_two_bridges_post_the_same_cards_at_once(served: Server, table: AtTable) -> None:
    bridges = [table.bridge, served.client(served.machine("scanner 2", bounds=BRIDGE))] * 3
    with ThreadPoolExecutor(len(bridges)) as pool:
        for draw, card in enumerate(NATURAL, 1):
            answers = list(pool.map(lambda by, draw=draw, card=card: table.card(draw, card, by=by), bridges))
            assert [answer.status_code for answer in answers] == [200] * 6
            assert sorted(answer.json()["outcome"] for answer in answers) == ["known"] * 5 + ["taken"]
            assert len({answer.json()["cursor"] for answer in answers}) == 1
    assert table.state()["shoe"]["drawn"] == 4


# ---- face down


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """All log lines of the server, as text."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.getMessage()} {json.dumps(getattr(record, 'fields', {}))}")

    log, handler = logging.getLogger("punto.web"), Keep()
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    yield lines
    log.removeHandler(handler)
    log.setLevel(before)


def test_a_card_face_down_is_told_to_nobody_before_it_is_turned(served: Server, logged: list[str]) -> None:
    at = AtTable(served)
    at.open(face_down=True)
    at.close_betting()
    told = []
    for draw, card in enumerate(NATURAL, 1):
        told += [at.card(draw, card).text, at.card(draw, card).text]
    for client in (served.client(), *(served.by(position) for position in STAFFED)):
        for path in ("", "/events", "/rounds", "/legal", "/shoes"):
            told.append(client.get(f"/api/tables/t1{path}").text)
    whole = "\n".join([*told, *logged])
    assert '"draw": 4' in "".join(logged)
    assert [card for card in NATURAL if f'"{card}"' in whole] == []
    guesses = [_error(at.ask(at.dealer, "turn_card", place=1, card=card), 409, "card_scanned") for card in ("9s", "9h")]
    assert guesses[0] == guesses[1]
    for place in range(1, 5):
        at.command("turn_card", place=place)
    assert at.state()["round"]["player"]["cards"] == ["9s", "Kh"]


def test_a_card_face_down_that_is_out_too_early_is_told_to_nobody_either(served: Server, logged: list[str]) -> None:
    at = AtTable(served)
    at.open(face_down=True)
    told = [at.card(1, "9s").text]
    assert '"not_dealing"' in told[0]
    at.command("open_betting")
    told += [at.card(1, "9s").text, at.card(1, "9s").text]
    assert '"raised"' in told[-1]
    for client in (served.client(), *(served.by(position) for position in STAFFED)):
        told += [client.get(f"/api/tables/t1{path}").text for path in ("", "/events", "/rounds", "/legal")]
    assert '"outcome": "raised"' in "".join(logged)
    assert '"9s"' not in "\n".join([*told, *logged])


def test_the_document_tells_how_to_post_a_card(served: Server) -> None:
    document = served.client().get("/api/openapi.json").json()
    operation = document["paths"]["/api/tables/{table}/cards"]["post"]
    assert operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith("/CardRequest")
    asked = document["components"]["schemas"]["CardRequest"]
    assert sorted(asked["required"]) == ["card", "draw", "shoe"]
    assert len(document["components"]["schemas"]["Card"]["enum"]) == 52


def test_the_page_for_engineers_knows_every_outcome_and_every_code() -> None:
    page = (Path(__file__).parents[3] / "docs" / "scanner.md").read_text()
    codes = (FloorCode.CARD_GAP, FloorCode.CARD_DIFFERS, FloorCode.WRONG_SHOE, FloorCode.CARD_SCANNED)
    assert [word for word in (*ScanResult, *codes, *CardResult.__struct_fields__) if f"`{word}`" not in page] == []
