"""Staff see the names of registered players; everybody else sees that a place is taken."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx2
import msgspec
import pytest
from msgspec import UNSET

from punto.floor.database import open_database
from punto.floor.database.signatures import Signer
from punto.floor.house.house_log import HouseLog
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.players import Players, players_in
from punto.table.records.positions import Position
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS, person_name
from punto.web.views.player_names import PlayerNames
from punto.web.views.visibility import Sight
from tests.floor.playing import DEALER, At, betting_table, player
from tests.floor.staff_floor import SetClock, Staffed, run
from tests.keys import TEST_KEY
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

EN, ZH = TRANSLATORS["en"], TRANSLATORS["zh"]
ANN, NOBODY = "P000001", "P000009"
STAFF_SEE: tuple[Position | None, ...] = (Position.DEALER, Position.SHIFT_MANAGER, Position.AUDITOR)
OTHERS = (Position.PLAYER, Position.ADMINISTRATOR, None)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    """Ann Li, registered, sits at box 3 and an id that nobody has at box 4; somebody stands behind box 3."""
    with server(str(tmp_path / "floor.db")) as running:
        running.run(_seat(running))
        yield running


async def _seat(running: Server) -> None:
    await running.service.players.register(THE_CONSOLE, "Ann Li")
    at = await betting_table(running.floor)
    for who, box, bet in ((ANN, 3, "player"), (NOBODY, 4, "banker"), ("box 5", 5, "tie"), ("behind box 3", 3, "tie")):
        await at.do(DEALER, "buy_in", who=who, amount_minor=500_00)
        await at.do(DEALER, "stand_behind" if who.startswith("behind") else "sit", who=who, box=box)
        await at.do(player(who), "place_bet", who=who, box=box, bet=bet, stake_minor=100_00)


def client(floor: Server, position: Position | None) -> httpx2.Client:
    return floor.client() if position is None else floor.by(position)


def view(floor: Server, sight: Sight = Sight.STAFF) -> TableView:
    cache = floor.run(floor.service.table_caches.of("t1"))
    return floor.run(cache.view(sight))


def test_how_people_are_written() -> None:
    names = {ANN: "Ann Li"}
    assert [person_name(ANN, t, names) for t in (EN, ZH)] == ["Ann Li", "Ann Li"]
    assert [person_name(ANN, t, names, with_id=True) for t in (EN, ZH)] == ["Ann Li (P000001)", "Ann Li（P000001）"]
    assert person_name(NOBODY, EN, names) == person_name(NOBODY, EN, names, with_id=True) == NOBODY
    assert person_name(ANN, EN, UNSET) == person_name(ANN, EN, UNSET, with_id=True) == ""
    for shown in (names, UNSET):
        written = [
            [person_name(who, t, shown) for who in ("box 3", "behind box 3", "behind box 3/2")] for t in (EN, ZH)
        ]
        assert written == [
            ["Box 3", "Behind box 3", "Person 2 behind box 3"],
            ["3号位", "3号位后", "3号位后第2位"],
        ]
        assert [person_name(who, EN, shown) for who in ("ann", "Mei (house)", "")] == ["ann", "Mei (house)", ""]


def test_the_ids_of_a_view_are_found_wherever_they_are(floor: Server) -> None:
    whole = view(floor)
    assert players_in(whole) == {ANN, NOBODY}
    assert whole.names == {ANN: "Ann Li"}
    elsewhere = msgspec.structs.replace(whole, seats={}, round=None, behind={"P000003": (1,)})
    assert players_in(elsewhere) == {ANN, NOBODY, "P000003"}  # both have chips
    assert view(floor, Sight.PLAYER).names is view(floor, Sight.PUBLIC).names is UNSET


def test_only_staff_are_sent_names(floor: Server) -> None:
    for position in STAFF_SEE:
        assert client(floor, position).get("/api/tables/t1").json()["state"]["names"] == {ANN: "Ann Li"}
    for position in OTHERS:
        answer = client(floor, position).get("/api/tables/t1")
        assert "names" not in answer.json()["state"]
        assert "Ann Li" not in answer.text


def test_the_page_of_a_table(floor: Server) -> None:
    def labels(position: Position | None, language: str = "en") -> list[str]:
        page = read_page(client(floor, position), "/tables/t1", language)
        assert ("Ann Li" in page.words) is (position in STAFF_SEE)
        return [seat.one("title").words for seat in page.all("g", "seat")]

    for position in STAFF_SEE:
        assert labels(position)[2:5] == ["box 3: Ann Li (P000001)", "box 4: P000009", "box 5: taken"]
    assert labels(Position.DEALER, "zh")[2:5] == ["3号位：Ann Li（P000001）", "4号位：P000009", "5号位：有人"]
    for position in OTHERS:
        assert labels(position)[2:5] == ["box 3: taken", "box 4: taken", "box 5: taken"]


def test_bets_in_the_same_box(floor: Server) -> None:
    vera = floor.by(Position.PLAYER)
    at = At(floor.floor, "t1", "vera")
    floor.run(at.do(DEALER, "buy_in", who="vera", amount_minor=500_00))
    floor.run(at.do(DEALER, "stand_behind", who="vera", box=3))
    words = read_page(vera, "/tables/t1").id("box-h").words
    assert words == "Box 3 A player 100 Player, Behind box 3 100 Tie"


def test_the_history(floor: Server) -> None:
    at = At(floor.floor, "t1", "round")
    floor.run(at.do(DEALER, "close_betting"))
    for card in ("9s", "2d", "Kh", "3c"):
        floor.run(at.do(DEALER, "deal_card", card=card))
    floor.run(at.do(DEALER, "settle"))
    heads = [each.words for each in read_page(floor.by(Position.AUDITOR), "/tables/t1/history").all("h3")]
    assert [head.rpartition(" ")[0] for head in heads] == [
        "Ann Li (P000001)",
        "P000009",
        "Box 5",
        "Behind box 3",
    ]


def test_a_changed_and_an_erased_name_are_shown_at_once(floor: Server) -> None:
    sid = floor.by(Position.SHIFT_MANAGER)

    def shown() -> tuple[object, bool, str]:
        title = list(read_page(sid, "/tables/t1").all("g", "seat"))[2].one("title").words
        cache = floor.run(floor.service.table_caches.of("t1"))
        message, _ = floor.run(cache.message(Sight.STAFF, cache.end, [], with_state=True))
        seen = {"Ann Wu" in sid.get("/api/tables/t1").text, b"Ann Wu" in message}
        assert len(seen) == 1
        return view(floor).names, seen.pop(), title

    assert shown() == ({ANN: "Ann Li"}, False, "box 3: Ann Li (P000001)")
    assert sid.put(f"/api/players/{ANN}", json={"name": "Ann Wu"}).is_success
    assert shown() == ({ANN: "Ann Wu"}, True, "box 3: Ann Wu (P000001)")
    assert sid.delete(f"/api/players/{ANN}").is_success
    assert shown() == ({}, False, "box 3: P000001")


def test_names_are_read_once_and_changes_of_other_processes_within_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "floor.db")

    async def test(house: Staffed) -> None:
        clock, reads = SetClock(), 0
        plain_read = house.database.read

        async def counted(*arguments: object, **options: object) -> object:
            nonlocal reads
            reads += 1
            return await plain_read(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(house.database, "read", counted)
        ann = (await house.players.register(THE_CONSOLE, "Ann")).id
        names, ids = PlayerNames(house.database, clock), frozenset({ann, NOBODY})
        assert await names.of(frozenset()) == {}
        assert reads == 0
        found = await asyncio.gather(*(names.of(ids) for _ in range(20)))
        assert found == [{ann: "Ann"}] * 20
        assert reads == 1

        other = open_database(url)
        other.signer = Signer(TEST_KEY)
        try:
            await Players(HouseLog(other)).change(THE_CONSOLE, ann, name="Ann Wu")
        finally:
            await asyncio.to_thread(other.close)
        clock.us += 1_999_999
        assert await names.of(ids) == {ann: "Ann"}
        clock.us += 1
        assert await names.of(ids) == {ann: "Ann Wu"}
        assert reads == 2
        names.refresh()
        assert await names.of(ids) == {ann: "Ann Wu"}
        assert reads == 3

    run(url, test)
