"""The same server on PostgreSQL, which accepts less text than SQLite and can become unreachable."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from punto.table.records.positions import Position
from tests.floor.conftest import _databases, own_postgres, postgres_server, postgres_url
from tests.floor.playing import betting_table
from tests.floor.servers import PostgresServer, new_database
from tests.web.serving import Server, server
from tests.web.wire import problem

pytestmark = pytest.mark.slow

__all__ = ["_databases", "own_postgres", "postgres_server", "postgres_url"]  # fixtures, for pytest to find

ODD = ["\x00", "a\x00b", "\u202e", "\ufffe", "\U0010ffff", "'; DROP TABLE accounts; --", "%", "\\", "\u00df" * 40]

DESK = {
    "/api/rounds": ("table", "dealer", "player", "box", "bet", "clause"),
    "/audit/rounds": ("table", "dealer", "player", "box", "bet", "clause", "kind", "outcome"),
    "/audit/record": ("person", "table"),
    "/audit/looks": ("by", "of"),
    "/incidents": ("table", "kind"),
    "/api/exceptions/day": ("day",),
}
"""Pages of the desk, with parameters that take any text."""


@pytest.fixture
def on_postgres(postgres_url: str) -> Iterator[Server]:
    """A server on PostgreSQL, with betting open at a table."""
    with server(postgres_url) as running:
        running.run(betting_table(running.floor))
        yield running


def test_odd_texts_are_refused_or_kept_as_they_are(on_postgres: Server) -> None:
    admin, dora = on_postgres.by(Position.ADMINISTRATOR), on_postgres.by(Position.DEALER)
    aude = on_postgres.by(Position.AUDITOR)
    on_postgres.by(Position.PLAYER)  # visitors are let in

    def asked(text: str) -> Iterator[httpx2.Response]:
        body: dict[str, Any] = {"name": text}
        yield on_postgres.client().post("/api/session", json={"name": text, "password": text})
        yield on_postgres.client().post("/api/visit", json=body)
        yield admin.post("/api/accounts", json={**body, "position": "dealer"})
        yield admin.post("/api/tokens", json={**body, "position": "dealer", "days": 1, "work": "cards", "table": text})
        yield admin.post("/api/tables", json={**body, "book": "commission"})
        yield admin.put("/api/floor-rules", json={"visitors": True, "tables": [text]})
        yield admin.post("/api/players", json={**body, "notes": text})
        yield admin.post("/api/players", json={"name": "Ann", "card": text})
        yield admin.get("/api/players", params={"search": text})
        yield admin.put(f"/api/players/{quote(text, safe='')}", json=body)
        command = {"command": "buy_in.1", "who": text, "amount_minor": 1_00}
        yield dora.post("/api/tables/t1/commands", json={"id": text, "command": command})
        yield dora.post("/api/tables/t1/commands", json={"id": text, "command": {"command": text}})
        yield dora.post("/api/tables/t1/commands", json={"id": text, "command": {"command": text, "by": text}})
        for path, names in DESK.items():
            for name in names:
                yield aude.get(path, params={name: text})
        yield aude.get(f"/tables/{quote(text, safe='')}/rounds/1-1")
        yield on_postgres.client(cookies={"punto": "x"}).get("/api/session")

    for text in ODD:
        for answer in asked(text):
            assert answer.status_code < 500, (text, answer.request.url, answer.text)
    assert on_postgres.client().get("/readyz").status_code == 200


def test_a_round_is_played(on_postgres: Server) -> None:
    dora = on_postgres.by(Position.DEALER)
    assert on_postgres.command(dora, "t1", "close_betting").status_code == 200
    for card in ("9s", "2d", "Kh", "3c"):
        assert on_postgres.command(dora, "t1", "deal_card", card=card).status_code == 200
    assert on_postgres.command(dora, "t1", "settle").status_code == 200
    assert dora.get("/api/tables/t1").json()["state"]["marks"] == ["P"]
    (last,) = dora.get("/api/tables/t1/rounds").json()["rounds"]
    assert (last["winner"], last["cards"]) == ("player", ["9s", "2d", "Kh", "3c"])


def test_a_database_that_goes_away_and_comes_back(own_postgres: PostgresServer) -> None:
    with server(new_database(own_postgres.url)) as served:
        served.run(betting_table(served.floor))
        dora = served.by(Position.DEALER)
        command = {"command": "buy_in.1", "who": "ann", "amount_minor": 1_00}
        body = {"id": "through it all", "command": command}
        own_postgres.kill()
        try:
            problem(served.client().get("/readyz"), 503, "database_lost")
            problem(dora.post("/api/tables/t1/commands", json=body), 503, "database_lost")
            assert served.client().get("/healthz").status_code == 200
        finally:
            own_postgres.start()
        served.until(lambda: served.client().get("/readyz").status_code == 200)
        served.until(lambda: dora.post("/api/tables/t1/commands", json=body).status_code == 200)
        events = dora.get("/api/tables/t1/events?most=500").json()["events"]
        assert [one["command_id"] for one in events].count("through it all") == 1
