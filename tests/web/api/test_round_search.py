"""Searching rounds over HTTP and on its page: who may, what is found, and that it is on record."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.floor.audit_day import DAY, audited
from tests.floor.nights import DORA, Night, night
from tests.floor.report_floor import reported
from tests.web.page_tree import read_page
from tests.web.serving import NAMES, STAFFED, Server, server
from tests.web.wire import problem

MAY_SEARCH = set(STAFFED) - {Position.DEALER, Position.ADMINISTRATOR}
HOSTILE = "<script>alert(1)</script>\u202e" + "x" * 150


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("search") / "floor.db")
    reported(path)
    with server(path) as served:
        yield served


def search(floor: Server, **query: Any) -> dict[str, Any]:
    answer = floor.by(Position.AUDITOR).get("/api/rounds", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def names(floor: Server, **query: Any) -> list[str]:
    return [f"{each['table']} {each['round']}" for each in search(floor, most=100, **query)["rounds"]]


def test_rounds_are_found_by_what_happened_in_them(floor: Server) -> None:
    whole = search(floor, most=100)
    rounds = whole["rounds"]
    assert whole["next"] is None
    assert [each["opened_us"] for each in rounds] == sorted((each["opened_us"] for each in rounds), reverse=True)
    assert {each["table"] for each in rounds} == {"Jade", "Lotus", "Orchid", "t1"}
    assert names(floor, table="Lotus", bet="super_six_plus") == [f"Lotus 1-{number}" for number in range(8, 0, -1)]
    assert set(names(floor, table="Orchid")) >= {"Orchid 1-8", "Orchid 2-1"}
    big = search(floor, player="ben", at_least_minor=250_05, at_most_minor=250_05, box=2, table="Jade")["rounds"]
    assert len(big) == 12
    for each in big:
        assert [(bet["who"], bet["box"], bet["stake_minor"]) for bet in each["bets"]] == [("ben", 2, 250_05)]
    assert names(floor, player="ben", box=1, table="Jade") == []  # somebody else bets there
    voids = search(floor, outcome="void")["rounds"]
    assert {each["outcome"] for each in voids} == {"void"}
    assert set(names(floor, kind="ruling")) <= set(names(floor, table="t1"))
    for each in search(floor, natural=True, outcome="player")["rounds"]:
        assert (each["natural"], each["outcome"], len(each["cards"])) == (True, "player", 4)
    (incident,) = search(floor, incident=1)["rounds"]
    assert 1 in incident["incidents"]
    assert names(floor, incident=999) == names(floor, dealer="nobody") == names(floor, **{"from": "2099-01-01"}) == []
    floor.by(Position.DEALER)  # has an account from now on, so that letters may be small or capital
    assert names(floor, dealer="DORA", table="t1") == names(floor, dealer="dora", table="t1") != []


def test_pages_follow_each_other(floor: Server) -> None:
    whole, found, before = names(floor), list[str](), None
    while True:
        page = search(floor, most=7, **({"before": before} if before else {}))
        found += [f"{each['table']} {each['round']}" for each in page["rounds"]]
        if (before := page["next"]) is None:
            break
    assert found[-len(whole) :] == whole  # the server goes on dealing: newer rounds can come before these


def test_a_name_of_the_register_stands_for_ids(floor: Server) -> None:
    sue = floor.by(Position.PIT_SUPERVISOR)
    ids = [sue.post("/api/players", json={"name": name}).json()["id"] for name in ("Ann Li", "Bo <script>")]
    found = search(floor, player="ann")
    assert found["players"] == ["ann", ids[0]]
    assert not found["more_players"]
    assert found["rounds"]
    assert search(floor, player=ids[0].lower())["players"] == ids[:1]
    assert search(floor, player="BOX 3")["players"] == ["box 3"]


@pytest.mark.parametrize(
    "query",
    [
        "kind=x",
        "outcome=six",
        "box=1000",
        "table=a%00b",
        "player=%00",
        "amount=x",
        "at_least_minor=-1",
        "before=x",
        "most=101",
        "from=x",
        "incident=x",
    ],
)
def test_a_search_that_cannot_be_read_is_refused(floor: Server, query: str) -> None:
    assert floor.by(Position.AUDITOR).get(f"/api/rounds?{query}").status_code == 400


def test_supervisors_and_auditors_search_and_it_is_on_record(floor: Server) -> None:
    for position in STAFFED:
        client, may = floor.by(position), position in MAY_SEARCH
        for path in ("/api/rounds?player=P000777", "/audit/rounds"):
            assert client.get(path).status_code == (200 if may else 403), (position, path)
    problem(floor.by(Position.DEALER).get("/api/rounds?player=ann"), 403, "not_authorised")
    problem(floor.client().get("/api/rounds"), 401, "not_signed_in")
    looks = floor.by(Position.AUDITOR).get("/api/looks?of=P000777&most=100").json()["looks"]
    assert {look["by"] for look in looks} == {NAMES[position] for position in MAY_SEARCH}
    assert {look["what"] for look in looks} == {"search"}
    floor.by(Position.PIT_MANAGER).get("/api/rounds?dealer=Dora")
    assert floor.by(Position.AUDITOR).get("/api/looks?of=dora").json()["looks"][0]["by"] == NAMES[Position.PIT_MANAGER]


def test_a_box_is_searched_for_and_shown_as_it_is_printed(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await floor.table("Lily", boxes=5, box_labels=["1", "2", "3", "5", "A"])
        await floor.table("Rose", boxes=5)
        for name in ("Lily", "Rose"):
            for box, who in ((4, "cara"), (5, "dan")):
                await floor.do(DORA, name, "buy_in.1", who=who, amount_minor=100_00)
                await floor.do(DORA, name, "sit.1", who=who, box=box)
            await floor.until(name, Phase.BETTING)
            for box, who in ((4, "cara"), (5, "dan")):
                await floor.bet(name, who, box, "banker", 100_00)
            while floor.live(name).state.phase is not Phase.READY:
                await floor.step(name)

    path = str(tmp_path / "floor.db")
    night(path, play)
    with server(path) as floor:
        found = {box: names(floor, box=box) for box in ("4", "5", "a", "6")}
        assert found == {"4": ["Rose 1-1"], "5": ["Rose 1-1", "Lily 1-1"], "a": ["Lily 1-1"], "6": []}
        (lily,) = search(floor, box="5", table="Lily")["rounds"]
        assert [bet["box"] for bet in lily["bets"]] == [4]
        assert lily["box_labels"] == ["1", "2", "3", "5", "A"]
        shown = read_page(floor.by(Position.AUDITOR), "/audit/rounds?box=A").one("table", "found").words
        assert "dan, box A: Banker 100" in shown
        assert "box 5" not in shown


def test_an_hour_of_a_day_is_searched_for(tmp_path: Path) -> None:
    path = str(tmp_path / "floor.db")
    audited(path)
    with server(path) as floor:
        aude = floor.by(Position.AUDITOR)

        def rounds(**query: str) -> list[str]:
            page = read_page(aude, f"/audit/rounds?{urlencode(query)}")
            links = [each.attributes.get("href", "") for each in page.all("a")]
            return [link.rpartition("-")[2] for link in links if link.startswith("/tables/felt/rounds/")]

        day = DAY.isoformat()
        assert rounds(since=day, until=day) == ["7", "6", "5", "4", "3", "2", "1"]
        assert rounds(since=day, since_time="10:03", until_time="10:07") == ["4", "3"]
        assert rounds(since=day, since_time="10:09") == ["7", "6"]
        assert rounds(until=day, until_time="10:03") == ["2", "1"]
        for wrong in (
            {"since_time": "10:00"},
            {"since": day, "since_time": "25:00"},
            {"until_time": "x", "until": day},
        ):
            assert aude.get(f"/audit/rounds?{urlencode(wrong)}").status_code == 400
        kept = read_page(aude, f"/audit/rounds?since={day}&since_time=10:09")
        assert "10:09" in [each.attributes.get("value") for each in kept.all("input")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_keeps_what_is_filled_in_and_says_how_many_there_are(floor: Server, language: str) -> None:
    aude = floor.by(Position.AUDITOR)
    query = "table=Orchid&player=ann&bet=banker&amount=stake&least=1&since=2020-01-01&kind=&clause="
    page = read_page(aude, f"/audit/rounds?{query}", language)
    fields = {each.attributes.get("name"): each.attributes.get("value") for each in page.all("input")}
    assert (fields["player"], fields["least"], fields["since"]) == ("ann", "1", "2020-01-01")
    chosen = [each.attributes["value"] for each in page.all("option") if "selected" in each.attributes]
    assert chosen == ["Orchid", "banker", "stake"]
    links = [each.attributes["href"] for each in page.all("a") if "/rounds/" in each.attributes.get("href", "")]
    assert links
    assert all(link.startswith(("/tables/Orchid/rounds/1-", "/tables/Orchid/rounds/2-")) for link in links)
    everything = read_page(aude, "/audit/rounds", language)
    total = everything.id("found-h").words
    assert ("More than 50" in total) if language == "en" else ("超过50局" in total)
    (older,) = [each.attributes["href"] for each in everything.all("a") if each.attributes.get("rel") == "next"]
    assert "before=" in older
    assert read_page(aude, f"/audit/rounds{older}", language).id("found-h").words != total


def test_hostile_texts_are_shown_as_text(floor: Server) -> None:
    aude = floor.by(Position.AUDITOR)
    for field in ("dealer", "player", "clause", "table", "bet", "kind", "outcome"):
        answer = aude.get("/audit/rounds", params={field: HOSTILE})
        assert answer.status_code == 200, field
        assert "<script>alert" not in answer.text
    assert aude.get("/audit/rounds", params={"least": "1;DROP"}).status_code == 400
