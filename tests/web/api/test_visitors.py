"""Limits on what one visitor or one address may use."""

from pathlib import Path

import httpx2
import pytest

from punto.floor.database import open_database
from punto.floor.house import recorded_refusals
from punto.floor.house.recorded_refusals import MAX_BURST
from punto.floor.journal import streams
from punto.floor.journal.house_events import DEFAULT_BOXES, HOUSE, AuthorityRefused, read_house_event
from punto.floor.runtime.sign_in_locks import MAX_FAILURES
from punto.table.records.positions import Position
from tests.floor.playing import manual_table
from tests.web.serving import NAMES, PASSWORD, Server, server
from tests.web.wire import problem


def offered(client: httpx2.Client) -> set[int]:
    """The boxes where a visitor could sit."""
    legal = client.get("/api/tables/t1/legal").json()["legal"]
    return {one["command"]["box"] for one in legal if one["command"]["command"] == "sit.1"}


def test_a_visitor_takes_no_more_boxes_than_the_floor_allows_and_is_offered_none(served: Server) -> None:
    served.run(manual_table(served.floor))
    vera, dora = served.by(Position.PLAYER), served.by(Position.DEALER)
    served.chips("t1", "vera", 1_000_00)
    free = sorted(offered(vera))
    assert len(free) > DEFAULT_BOXES
    for box in free[:DEFAULT_BOXES]:
        assert served.command(vera, "t1", "sit", who="vera", box=box).status_code == 200
    assert offered(vera) == set()
    problem(served.command(vera, "t1", "sit", who="vera", box=free[DEFAULT_BOXES]), 403, "no_more_boxes")
    seated = served.command(dora, "t1", "sit", who="vera", box=free[DEFAULT_BOXES])
    assert seated.status_code == 200  # by a dealer, who sees whom they seat


def test_a_server_that_is_put_down_has_counted_every_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refill takes an hour, so on a slow machine too only the shutdown writes the last count."""
    monkeypatch.setattr(recorded_refusals, "REFILL_S", 3_600.0)
    db, many = str(tmp_path / "floor.db"), MAX_BURST + 20
    with server(db) as served:
        served.run(manual_table(served.floor))
        mal = served.client(served.visitor("mal"))
        for _ in range(many):
            problem(served.command(mal, "t1", "open_betting"), 403, "not_authorised")
    database = open_database(db, create=False)
    head = database.reading(streams.heads).result()[HOUSE]
    events = [read_house_event(entry.event) for entry in streams.read_all(database, head)]
    database.close()
    told = [event.times for event in events if isinstance(event, AuthorityRefused)]
    assert told == [1] * MAX_BURST + [many - MAX_BURST]


def test_the_rules_for_boxes_are_changed_over_http(served: Server) -> None:
    adam = served.by(Position.ADMINISTRATOR)
    wanted = {"visitors": True, "buy_in_minor": 500_00, "buy_ins": 1, "tables": [], "boxes": 1}
    secured = {**wanted, "totp_required": False, "four_eyes": True}
    assert adam.put("/api/floor-rules", json=secured).json() == secured
    assert served.client().get("/api/floor-rules").json() == wanted
    problem(adam.put("/api/floor-rules", json={**secured, "boxes": 0}), 400, "bad_floor_rules")


def test_wrong_passwords_from_one_address_lock_nobody_out_at_another(served: Server) -> None:
    served.by(Position.DEALER)
    name = NAMES[Position.DEALER]
    mallory, dora = (
        served.client(transport=httpx2.HTTPTransport(local_address=address)) for address in ("127.0.0.8", "127.0.0.1")
    )
    for _ in range(MAX_FAILURES):
        asked = {"name": name, "password": "a guess of twelve"}
        problem(mallory.post("/api/session", json=asked), 401, "wrong_password")
    right = {"name": name, "password": PASSWORD}
    problem(mallory.post("/api/session", json=right), 429, "locked_out")
    assert dora.post("/api/session", json=right).status_code == 200
