"""The log: every line is JSON, every command id is in it, and no secrets are."""

import io
import logging
from contextlib import AbstractContextManager
from pathlib import Path

import httpx2
import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from punto.floor.database import read_database
from punto.floor.database.base import Transaction
from punto.floor.shoes.sealed import SealedShoe, unseal
from punto.rules.coup.cards import write_cards
from punto.web.server import json_logs
from tests.keys import TEST_KEY
from tests.marks import rest_at_night
from tests.waiting import DEADLINE_S
from tests.web.process import ADMINISTRATORS, Process, process

pytestmark = pytest.mark.slow

STAFFS = "a password that the staff chose"


def people(served: Process) -> dict[str, httpx2.Client]:
    """The people of a session at a table, each with their own web session, and a machine with its token."""
    admin = served.administrator()
    rules = {"visitors": True, "buy_in_minor": 500_00, "buy_ins": 1, "tables": []}
    assert admin.put("/api/floor-rules", json=rules).status_code == 200
    found = {"administrator": admin}
    for name, position in (("sue", "pit_supervisor"), ("dora", "dealer")):
        once = admin.post("/api/accounts", json={"name": name, "position": position}).json()["password"]
        found[name] = served.first_sign_in(name, once, STAFFS)
    screen = {"name": "screen", "position": "dealer", "work": "read", "table": "t1"}
    found["screen"] = served.client(admin.post("/api/tokens", json=screen).json()["token"])
    entered = served.client().post("/api/visit", json={"name": "vera", "keep": "token"})
    found["vera"] = served.client(entered.json()["token"])
    return found


class Evening:
    """Commands whose ids must be in the log."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def give(self, client: httpx2.Client, command: str, **fields: object) -> httpx2.Response:
        self.ids.append(f"evening-{len(self.ids)}")
        body = {"id": self.ids[-1], "command": {"command": f"{command}.1", **fields}}
        return client.post("/api/tables/t1/commands", json=body)


SECRETS_OF_PLAYERS = ("Zebedee Quill", "QUILL-77", "prefers the corner")


def ask_about_players(clients: dict[str, httpx2.Client]) -> None:
    """Registered, searched and changed, with mistakes. The log may only have the id."""
    name, card, note = SECRETS_OF_PLAYERS
    player = {"name": name, "card": card, "notes": note}
    assert clients["sue"].post("/api/players", json=player).status_code == 201
    assert clients["sue"].post("/api/players", json=player).status_code == 409
    assert clients["sue"].post("/api/players", json={**player, "card": f"{card}!"}).status_code == 400
    assert clients["sue"].post("/api/players", json={**player, name: note}).status_code == 400
    assert clients["vera"].get("/api/players", params={"search": name}).status_code == 403
    assert clients["dora"].get("/api/players", params={"search": name}).json()["players"]
    assert clients["dora"].put("/api/players/P000001", json=player).status_code == 403


def played(served: Process, clients: dict[str, httpx2.Client]) -> Evening:
    """Rounds at a table with a sealed shoe, dealt by hand, with refusals and mistakes of all kinds."""
    sue, dora, vera, evening = clients["sue"], clients["dora"], clients["vera"], Evening()
    assert sue.post("/api/tables", json={"name": "t1", "book": "commission"}).status_code == 201
    settings = {"layout": "C", "boxes": 7, "burn": False}
    evening.give(sue, "open_table", settings=settings, float_minor=100_000_00)
    evening.give(sue, "load_shoe", shoe="one", decks=8)
    rules = {"visitors": True, "buy_in_minor": 900_00, "buy_ins": 1, "tables": ["t1"]}
    assert clients["administrator"].put("/api/floor-rules", json=rules).status_code == 200
    assert vera.post("/api/tables/t1/play-money").status_code == 200
    evening.give(vera, "sit", who="vera", box=1)
    for _ in range(5):
        assert evening.give(dora, "open_betting").status_code == 200
        assert evening.give(vera, "place_bet", who="vera", box=1, bet="player", stake_minor=10_00).status_code == 200
        evening.give(vera, "close_betting")
        assert evening.give(dora, "close_betting").status_code == 200
        evening.give(dora, "deal_card", card="As")
        while dora.get("/api/tables/t1").json()["state"]["round"]["winner"] is None:
            legal = [one["command"]["command"] for one in dora.get("/api/tables/t1/legal").json()["legal"]]
            wanted = "settle" if "settle.1" in legal else "deal_card"
            assert evening.give(dora, wanted).status_code == 200, legal
    wrong = {"name": "administrator", "password": "wrong-password-of-an-evening"}
    assert served.client().post("/api/session", json=wrong).status_code == 401
    good = {"name": "administrator", "password": ADMINISTRATORS}
    assert served.client().post("/api/session", json=good).status_code == 200
    made = clients["administrator"].post("/api/accounts", json={"name": "nora", "position": "dealer"})
    clients["nora"] = served.client(made.json()["password"])  # only so that it is looked for as well
    ask_about_players(clients)
    for path in ("events", "rounds", "shoes", "legal"):
        assert dora.get(f"/api/tables/t1/{path}").is_success
        assert clients["screen"].get(f"/api/tables/t1/{path}").is_success
    served.client().get("/api/tables?token=secret-in-a-query")
    served.client().post(
        "/api/session", content=b'{"password": "secret-in-no-json', headers={"content-type": "text/plain"}
    )
    return evening


def watched(served: Process, client: httpx2.Client) -> AbstractContextManager[ClientConnection]:
    """WebSockets with the same session, once as a program and once as a browser."""
    authorization = client.headers["authorization"]
    headers = {"Authorization": authorization, "Cookie": f"punto={authorization.partition(' ')[2]}"}
    return connect(
        served.url.replace("http", "ws") + "/api/live", additional_headers=headers, proxy=None, open_timeout=DEADLINE_S
    )


def sealed(db: Path) -> list[SealedShoe]:
    """All sealed shoes, from the database."""

    def work(transaction: Transaction) -> list[SealedShoe]:
        names = [name for (name,) in transaction.rows("SELECT id FROM shoes")]
        found = [unseal(transaction, TEST_KEY, name)[0] for name in names]
        return [shoe for shoe in found if isinstance(shoe, SealedShoe)]

    database = read_database(str(db))
    try:
        return database.reading(work).result()
    finally:
        database.close()


@pytest.mark.parametrize("level", rest_at_night(["debug", "info"], ["debug"]))
def test_an_evenings_log(tmp_path: Path, level: str) -> None:
    with process(tmp_path, "--log", level, "--db", "floor.db") as served:
        clients = people(served)
        first = served.password
        with watched(served, clients["vera"]) as watcher:
            evening = played(served, clients)
            watcher.send('{"ask": "watch", "table": "t1", "after": "1/0"}')
            assert "moved" in str(watcher.recv(DEADLINE_S))
        assert served.stop() == 0
        assert served.errors == ""
        lines = served.log
    assert all({"at", "level", "log", "words"} <= line.keys() for line in lines)
    given = [line["command_id"] for line in lines if "command_id" in line]
    assert given == evening.ids
    commands = [line for line in lines if "command_id" in line]
    assert {line["by"] for line in commands} == {"sue", "dora", "vera"}
    assert {line["status"] for line in commands} >= {200, 403}
    assert all(line["code"] for line in commands if line["status"] != 200)
    text = (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    tokens = [client.headers["authorization"].partition(" ")[2] for client in clients.values()]
    passwords = [first, ADMINISTRATORS, STAFFS, "wrong-password-of-an-evening"]
    sent = ["secret-in-a-query", "secret-in-no-json"]
    assert "/api/players/P000001" in text
    for secret in (*tokens, *passwords, *sent, *SECRETS_OF_PLAYERS):
        assert secret not in text
    for word in ("Bearer", "punto=", "cookie", "authorization", "Traceback"):
        assert word not in text
    (shoe,) = sealed(tmp_path / "floor.db")
    assert len(shoe.cards) == 416
    assert shoe.nonce not in text
    orders = [write_cards(shoe.cards[at : at + 2]) for at in range(415)]
    for order in orders:
        assert order not in text
        assert order.replace(" ", '","') not in text
        assert order.replace(" ", '", "') not in text


# ---- how a line is written


def logged(level: int, words: str, *values: object, **more: object) -> dict[str, object]:
    """One log record, as written."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(json_logs.JsonLines())
    logger = logging.Logger("punto.test")
    logger.addHandler(handler)
    logger.log(level, words, *values, **more)  # type: ignore[arg-type] # extra and exc_info
    text = stream.getvalue()
    assert text.count("\n") == 1
    told: dict[str, object] = msgspec.json.decode(text)
    return told


def test_a_line_has_its_words_and_what_was_said_beside() -> None:
    told = logged(logging.WARNING, "sockets: %s", 5, extra={"fields": {"table": "\u5e84 1"}})
    assert (told["level"], told["log"], told["words"], told["table"]) == (
        "warning",
        "punto.test",
        "sockets: 5",
        "\u5e84 1",
    )
    assert str(told["at"]).endswith("+00:00")


@pytest.mark.parametrize("words", ["two\nlines", "\x00", "\ud800 alone", '"quoted"', "{}"])
def test_whatever_is_said_stays_one_line(words: str) -> None:
    assert "words" in logged(logging.INFO, "%s", words)


def test_what_went_wrong_stands_beside_it() -> None:
    try:
        raise ValueError("it broke")  # noqa: TRY301 - to have a traceback
    except ValueError:
        told = logged(logging.ERROR, "a request failed", exc_info=True)
    assert "ValueError: it broke" in str(told["traceback"])
