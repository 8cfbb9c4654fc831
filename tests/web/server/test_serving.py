"""A running server, and how it identifies its clients."""

import httpx2

from punto.table.records.positions import Position
from tests.web.serving import NAMES, Server


def test_everybody_is_who_his_session_says(served: Server) -> None:
    for position, name in NAMES.items():
        seen = served.by(position).get("/api/session").json()
        assert (seen["name"], seen["position"]) == (name, position)
    assert served.client(served.machine()).get("/api/session").json()["name"] == "scanner"
    assert served.client().get("/api/session").status_code == 401


def test_a_table_is_created_opened_and_seen(
    served: Server, pit_supervisor: httpx2.Client, anonymous: httpx2.Client
) -> None:
    made = pit_supervisor.post("/api/tables", json={"name": "t1", "book": "commission", "shoes": "manual"})
    assert made.status_code == 201, made.text
    settings = {"layout": "C", "boxes": 7}
    opened = served.command(pit_supervisor, "t1", "open_table", settings=settings, float_minor=1_000_00)
    assert opened.status_code == 200, opened.text
    assert anonymous.get("/api/tables/t1").json()["state"]["phase"] == "ready"
    assert served.command(served.by(Position.DEALER), "t1", "close_table").status_code == 403
