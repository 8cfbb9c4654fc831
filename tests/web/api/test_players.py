"""The register of players over HTTP: registered, found, changed and erased, by those who may."""

from typing import Any

import httpx2
import pytest

from punto.floor.errors import FloorCode
from punto.table.records.positions import Position
from tests.web.api.test_http_sequence import EXCHANGE, PAGE, Reader, parse
from tests.web.serving import STAFFED, Server
from tests.web.wire import problem

READERS = frozenset(STAFFED)
CHANGERS = READERS - {Position.DEALER, Position.AUDITOR}
ERASERS = CHANGERS - {Position.PIT_SUPERVISOR, Position.PIT_MANAGER}


def register(client: httpx2.Client, name: str, **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/players", json={"name": name, **fields})
    assert answer.status_code == 201, answer.text
    registered: dict[str, Any] = answer.json()
    return registered


def test_a_player_is_registered_found_changed_and_erased(served: Server) -> None:
    sue, dora, sid = (served.by(each) for each in (Position.PIT_SUPERVISOR, Position.DEALER, Position.SHIFT_MANAGER))
    ann = register(sue, "Ann Li", card="gold-7", notes="tall")
    assert ann == {
        "id": "P000001",
        "name": "Ann Li",
        "card": "GOLD-7",
        "notes": "tall",
        "registered_us": ann["registered_us"],
    }
    bo = register(sue, "Bo Li")
    assert (bo["id"], bo["card"], bo["notes"]) == ("P000002", None, "")
    assert sue.get("/api/players/P000001").json() == ann
    assert dora.get("/api/players/P000001").json() == {**ann, "notes": None}
    assert dora.get("/api/players").json() == {"players": [{**ann, "notes": None}, {**bo, "notes": None}]}
    for search, found in (("li", [ann, bo]), ("gold-7", [ann]), ("P000002", [bo]), ("nobody", []), ("", [ann, bo])):
        assert sue.get("/api/players", params={"search": search}).json() == {"players": found}
    assert sue.get("/api/players?most=1").json() == {"players": [ann]}
    assert sue.get("/api/players?most=1&after=P000001").json() == {"players": [bo]}

    changed = sue.put("/api/players/P000001", json={"name": "Ann Wu"})
    assert changed.json() == {**ann, "name": "Ann Wu", "card": None, "notes": ""}
    assert sid.delete("/api/players/P000001").status_code == 204
    assert sue.get("/api/players").json() == {"players": [bo]}
    for answer in (dora.get("/api/players/P000001"), sid.delete("/api/players/P000001")):
        problem(answer, 404, "unknown_player")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/api/players", {"name": " Ann"}, 400, "bad_name"),
        ("POST", "/api/players", {"name": "P000001"}, 400, "bad_name"),
        ("POST", "/api/players", {"name": "Ann", "card": "a b"}, 400, "bad_card_number"),
        ("POST", "/api/players", {"name": "Ann", "card": "7"}, 409, "card_taken"),
        ("POST", "/api/players", {"name": "Ann", "notes": "\u0001"}, 400, "bad_notes"),
        ("POST", "/api/players", {"name": "Ann", "age": 3}, 400, "bad_request"),
        ("POST", "/api/players", {}, 400, "bad_request"),
        ("GET", "/api/players?most=501", None, 400, "bad_request"),
        ("GET", "/api/players?after=ann", None, 400, "not_a_player_id"),
        ("GET", "/api/players/P000009", None, 404, "unknown_player"),
        ("GET", "/api/players/ann", None, 404, "unknown_player"),
        ("PUT", "/api/players/P000009", {"name": "Ann"}, 404, "unknown_player"),
        ("DELETE", "/api/players/%00", None, 400, "bad_request"),
    ],
)
def test_what_is_refused(standing: Server, method: str, path: str, body: Any, status: int, code: str) -> None:
    client = standing.by(Position.SHIFT_MANAGER)
    if not client.get("/api/players?search=7").json()["players"]:
        register(client, "Bo", card="7")
    problem(client.request(method, path, json=body), status, code)


@pytest.mark.parametrize("position", [*STAFFED, Position.PLAYER])
def test_what_each_position_may_do(standing: Server, position: Position) -> None:
    player = register(standing.by(Position.SHIFT_MANAGER), "Ann")["id"]
    acts: list[tuple[frozenset[Position], str, str, Any]] = [
        (READERS, "GET", "/api/players", None),
        (READERS, "GET", f"/api/players/{player}", None),
        (CHANGERS, "POST", "/api/players", {"name": "Bo"}),
        (CHANGERS, "PUT", f"/api/players/{player}", {"name": "Ann Li"}),
        (ERASERS, "DELETE", f"/api/players/{player}", None),
    ]
    for may, method, path, body in acts:
        answer = standing.by(position).request(method, path, json=body)
        if position in may:
            assert answer.is_success, answer.text
        else:
            problem(answer, 403, "not_authorised")
        problem(standing.client().request(method, path, json=body), 401, FloorCode.NOT_SIGNED_IN)


def test_the_examples_of_the_page_are_what_happens(served: Server) -> None:
    section = PAGE[PAGE.index("## Players\n") :].partition("\n### ")[0]
    tokens = {
        "SUE": served.token(Position.PIT_SUPERVISOR),
        "DEALER": served.token(Position.DEALER),
        "ADMIN": served.token(Position.ADMINISTRATOR),
    }
    reader, examples = Reader(**tokens), list(EXCHANGE.finditer(section))
    assert len(examples) == section.count("```http") == 4
    for example in examples:
        head, _, body = reader.fill_in(example["request"]).partition("\n\n")
        line, authorization = head.splitlines()
        method, address = line.split(" ")
        headers = {"Authorization": authorization.partition(": ")[2], "Content-Type": "application/json"}
        answer = served.client().request(method, address, content=body.encode(), headers=headers)
        assert answer.status_code == int(example["status"]), (line, answer.text)
        if answer.content:
            reader.compare(parse(example["answer"]), answer.json(), line)
