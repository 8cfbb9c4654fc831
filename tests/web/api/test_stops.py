"""Stops over HTTP: who makes them, what pages and figures say meanwhile, and how two people release one."""

import pytest

from punto.floor.errors import FloorCode
from punto.floor.people.players import Players
from punto.rules.refusals import Code
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.playing import DEALER, SUPERVISOR, At, betting_table
from tests.web.page_tree import read_page
from tests.web.serving import STAFFED, Server
from tests.web.wire import problem

SMOKE = {"scope": "all", "reason": "smoke <script>alert(1)</script>"}
READ = {*STAFFED}
STOP = {Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.CASINO_MANAGER}


@pytest.mark.parametrize("position", STAFFED)
def test_who_lists_stops_and_releases(served: Server, position: Position) -> None:
    client = served.by(position)
    assert client.get("/api/stops").status_code == (200 if position in READ else 403)
    if position in STOP:
        made = client.post("/api/stops", json=SMOKE)
        assert (made.status_code, made.json()["number"]) == (201, 1)
        listed = client.get("/api/stops").json()["stops"]
        assert [(each["scope"], each["reason"], each["released_us"]) for each in listed] == [
            ("all", SMOKE["reason"], 0)
        ]
        assert client.post("/api/stops/1/release", json={"reason": "no fire"}).json()["released_because"] == "no fire"
        assert client.get("/api/stops").json()["stops"] == []
        assert len(client.get("/api/stops?released=true").json()["stops"]) == 1
    else:
        problem(client.post("/api/stops", json=SMOKE), 403, TableCode.NOT_AUTHORISED)
        problem(client.post("/api/stops/1/release", json={"reason": "no fire"}), 403, TableCode.NOT_AUTHORISED)


def test_what_cannot_be_stopped_or_released_is_refused_in_words(served: Server) -> None:
    assert served.client().post("/api/stops", json=SMOKE).status_code == 401
    max_ = served.by(Position.PIT_MANAGER)
    problem(max_.post("/api/stops", json={"scope": "all", "reason": " "}), 409, TableCode.REASON_NEEDED)
    problem(max_.post("/api/stops", json={"scope": "world", "reason": "smoke"}), 400, "bad_request")
    problem(max_.post("/api/stops", json={"scope": "game", "of": "poker", "reason": "x"}), 404, Code.UNKNOWN_BOOK)
    problem(max_.post("/api/stops", json={"scope": "staff", "of": "max", "reason": "x"}), 409, FloorCode.BAD_STOP)
    for number in ("1", "x", "9" * 40):
        release = max_.post(f"/api/stops/{number}/release", json={"reason": "x"})
        problem(release, 404, FloorCode.UNKNOWN_STOP)


def test_tables_pages_and_figures_say_it(served: Server) -> None:
    at: At = served.run(betting_table(served.floor))
    max_, dora, anybody = served.by(Position.PIT_MANAGER), served.by(Position.DEALER), served.client()
    assert max_.post("/api/stops", json=SMOKE).status_code == 201
    assert anybody.get("/readyz").json()["status"] == "ready"
    assert 'punto_gaming_stops{scope="all"} 1.0' in max_.get("/metrics").text
    assert dora.get("/api/tables/t1").json()["state"]["gaming_stopped"] is True
    for path in ("/tables/t1", "/tables/t1/board", "/"):
        assert "Gaming is stopped." in read_page(anybody, path).words, path
        assert "游戏已暂停" in read_page(anybody, path, "zh").words, path
        assert "smoke" not in read_page(anybody, path).words, path
    banner = read_page(dora, "/tables/t1").id("stops").words
    assert banner == f"All gaming is stopped. Reason: {SMOKE['reason']} (max)"
    served.run(at.do(DEALER, "close_betting"))
    for card in ("9s", "2d", "Kh", "3c"):
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "settle"))
    console = read_page(dora, "/tables/t1/deal").id("now").words
    assert "Gaming is stopped" in console
    assert "Place your bets" not in console
    told = problem(served.command(dora, "t1", "open_betting"), 409, FloorCode.GAMING_STOPPED)
    assert str(SMOKE["reason"]) in told["message"]
    assert max_.post("/api/stops/1/release", json={"reason": "no fire"}).status_code == 200
    assert served.command(dora, "t1", "open_betting").status_code == 200
    assert "Gaming is stopped" not in read_page(anybody, "/tables/t1/board").words
    dora_stop = {"scope": "staff", "of": "dora", "reason": "palmed a chip"}
    assert max_.post("/api/stops", json=dora_stop).status_code == 201
    assert "palmed a chip" in read_page(max_, "/tables/t1").id("stops").words
    for path in ("/tables/t1", "/pit/stops"):
        page = read_page(served.by(Position.PIT_SUPERVISOR), path)
        assert "The account 'dora' is stopped." in page.words
        assert "palmed" not in page.words


def test_many_people_who_are_stopped_are_counted_above_a_page_and_listed_on_one(served: Server) -> None:
    max_, players = served.by(Position.PIT_MANAGER), Players(served.floor.house_log)
    people = ("P000001", "P000002", "P000003")
    for at, player in enumerate(people, 1):
        served.run(players.register(SUPERVISOR, f"Guest {at}"))
        request = {"scope": "player", "of": player, "reason": "asked for it"}
        assert max_.post("/api/stops", json=request).status_code == 201
        banner = read_page(max_, "/pit").id("stops").words
        assert ("Player P000001 is stopped." in banner) is (at <= 2), banner
    assert banner.startswith("3 people are stopped.")
    assert max_.post("/api/stops", json=SMOKE).status_code == 201
    assert read_page(max_, "/pit").id("stops").words.startswith("All gaming is stopped.")
    listed = read_page(max_, "/pit/stops").words
    assert all(f"Player {player} is stopped." in listed for player in people)


def test_a_stop_in_force_stays_on_the_page_however_many_came_after_it(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("punto.floor.people.stops.MAX_STOPS", 2)
    max_ = served.by(Position.PIT_MANAGER)
    assert max_.post("/api/stops", json={"scope": "game", "of": "commission", "reason": "cards"}).status_code == 201
    for number in (2, 3):
        assert max_.post("/api/stops", json=SMOKE).status_code == 201
        assert max_.post(f"/api/stops/{number}/release", json={"reason": "no fire"}).status_code == 200
    assert len(max_.get("/api/stops?released=true").json()["stops"]) == 2
    assert 'id="stop-1"' in max_.get("/pit/stops").text
