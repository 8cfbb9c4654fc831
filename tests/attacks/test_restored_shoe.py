"""Somebody has a backup made, notes the cards until the shoe is revealed, and has the backup restored.

The restored floor deals none of the cards that they know.
"""

import asyncio
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import (
    HOUSE,
    FloorRestored,
    HouseEvent,
    ShoeRevealed,
    ShoeUnreadable,
    TableRecovered,
    read_house_event,
)
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.ownership import Ownership
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.known_orders import RESTORED_KEY
from punto.floor.upkeep.backup import backup
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from tests.floor.audit.forging import tamper
from tests.floor.nights import Night, night, opened
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, manual_table, sealed_table
from tests.floor.restoring import restored
from tests.marks import rest_at_night
from tests.web.serving import Server, server

pytestmark = pytest.mark.slow

KNOWN = "known"
"""The shoe that is revealed after the backup."""
STEPS = (
    *("open_betting", "close_betting", "burn_cards", "open_insurance", "close_insurance"),
    *("turn_card", "settle", "deal_card"),
)


def dealer(served: Server) -> httpx2.Client:
    """Somebody new: the people of the backup have no session any more."""
    return served.client(served.token(Position.DEALER, f"dealer {token_hex(4)}"))


def give(client: httpx2.Client, table: str, command: str, **fields: Any) -> httpx2.Response:
    """Give a command under an id that the backup does not have."""
    body = {"id": token_hex(8), "command": {"command": f"{command}.1", **fields}}
    return client.post(f"/api/tables/{table}/commands", json=body)


def step(served: Server, client: httpx2.Client, table: str) -> str:
    """Give the next command of a round; return which it was."""
    now = served.floor.table(table).state.round
    down = [place for place, card in enumerate(now.cards, 1) if card is None] if now else []
    for command in STEPS:
        fields = {"place": down[0]} if command == "turn_card" and down else {}
        if give(client, table, command, **fields).status_code == 200:
            return command
    raise AssertionError(f"nothing goes on at {table}")


def play_rounds(served: Server, table: str, rounds: int) -> None:
    client = dealer(served)
    while rounds:
        rounds -= step(served, client, table) == "settle"


def entries(url: str, stream: str) -> list[Entry]:
    with opened(url) as database:
        head = database.reading(lambda tx: streams.head(tx, stream)).result()
        return list(streams.read_all(database, head))


def house(url: str) -> list[HouseEvent]:
    return [read_house_event(entry.event) for entry in entries(url, HOUSE)]


def cards_shown(url: str, table: str, after: int) -> list[str]:
    """The cards turned face up after a version of the table's stream, in that order."""
    events = [msgspec.json.decode(entry.event) for entry in entries(url, f"{table}/1") if entry.version > after]
    return [event["card"] for event in events if event["event"] == "card_turned.1"]


def faults(url: str, key_file: str = "") -> list[FaultCode]:
    with opened(url) as database:
        return [fault.code for fault in verify(database, key_file=key_file).faults]


class Attack:
    """A floor with one table, the backup of a moment, and what became of its shoe afterwards."""

    def __init__(self, folder: Path, book: str, rounds: int, dealt: int, turned: int, **settings: Any) -> None:
        first, self.file = str(folder / "first.db"), folder / "backup.db"
        with server(first) as served:
            served.run(served.floor.create_table(MANAGER, TableSetup("t1", book)))
            at = At(served.floor, "t1")
            served.run(at.open(book, **settings))
            served.run(at.do(SUPERVISOR, "load_shoe", shoe=KNOWN, decks=8))
            if settings.get("burn"):
                served.run(at.do(DEALER, "burn_cards"))
            served.run(at.seat("ann", "ben"))
            dora = dealer(served)
            play_rounds(served, "t1", rounds)
            if dealt:
                served.run(at.do(DEALER, "open_betting"))
                assert served.run(at.bet("ann", 100_00)).refusal is None
                served.run(at.do(DEALER, "close_betting"))
            for _ in range(dealt):
                assert give(dora, "t1", "deal_card").status_code == 200
            for place in range(1, turned + 1):
                assert give(dora, "t1", "turn_card", place=place).status_code == 200
            self.state = served.floor.table("t1").state
            head = served.floor.table("t1").head
            assert head is not None
            self.version = head.version
            backup(served.floor.database, self.file)
            play_rounds(served, "t1", 3)
            served.run(at.do(SUPERVISOR, "load_shoe", shoe="other", decks=8))
            shoes = served.client().get("/api/tables/t1/shoes").json()["shoes"]
            (order,) = [str(shoe["cards"]).split() for shoe in shoes if shoe["shoe"] == KNOWN]
        hidden = 0 if self.state.round is None else self.state.round.cards.count(None)
        drawn = 0 if self.state.shoe is None else self.state.shoe.drawn
        self.next = order[drawn - hidden :]
        """The cards that nobody had seen at the moment of the backup."""
        assert self.foreseen(first) == 1.0

    def foreseen(self, url: str) -> float:
        """Which part of the cards that came after the backup somebody foresees who knows the revealed order."""
        shown = cards_shown(url, "t1", self.version)
        assert len(shown) >= 6
        return sum(card == known for card, known in zip(shown, self.next, strict=False)) / len(shown)


SCENES: dict[str, tuple[str, int, int, int, dict[str, Any]]] = {
    # book, rounds before, cards dealt, cards turned, settings
    "before the first round": ("commission", 0, 0, 0, {}),
    "between rounds": ("commission", 2, 0, 0, {}),
    "between rounds, insured": ("commission-insurance", 1, 0, 0, {}),
    "one card": ("commission", 1, 1, 0, {}),
    "three cards": ("commission", 0, 3, 0, {}),
    "a shoe that has to be burned": ("commission", 0, 1, 0, {"burn": True}),
    "face down": ("commission", 0, 4, 0, {"face_down": True}),
    "two turned": ("commission", 1, 4, 2, {"face_down": True}),
}
IN_TEST = ("between rounds, insured", "one card", "a shoe that has to be burned", "two turned")
"""One scene of each kind; the others run at night."""


@pytest.fixture(scope="module", params=rest_at_night(SCENES, IN_TEST))
def attack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Attack:
    book, rounds, dealt, turned, settings = SCENES[request.param]
    return Attack(tmp_path_factory.mktemp("scene"), book, rounds, dealt, turned, **settings)


def seen(state: Table) -> list[str]:
    return [str(card) for card in state.round.cards if card is not None] if state.round else []


def test_none_of_the_known_cards_comes_again(attack: Attack, database_url: str) -> None:
    restored(attack.file, database_url)
    with server(database_url) as served:
        table = served.floor.table("t1").state
        assert table.shoe is not None
        assert table.shoe.id != KNOWN
        assert seen(table) == seen(attack.state)  # what was seen stays
        assert table.balances == attack.state.balances
        served.taken_over()
        play_rounds(served, "t1", 3)
    assert attack.foreseen(database_url) < 0.5  # by chance one in 52
    assert faults(database_url) == []


@pytest.mark.parametrize("attack", ["between rounds", "two turned"], indirect=True)
def test_the_restore_is_on_record_and_the_old_shoe_is_revealed(attack: Attack, database_url: str) -> None:
    restored(attack.file, database_url)
    with server(database_url) as served:
        served.taken_over()
        play_rounds(served, "t1", 1)
        auditor = served.client(served.token(Position.AUDITOR, "the auditor"))
        assert "floor_restored.1" in auditor.get("/api/exceptions").text
    told = house(database_url)
    (record,) = [event for event in told if isinstance(event, FloorRestored)]
    assert (record.by, record.alone) == ((), "the disk failed")
    assert record.heads["t1/1"][0] == attack.version
    assert [event.shoe for event in told if isinstance(event, ShoeRevealed)][:1] == [KNOWN]


@pytest.mark.parametrize("dealt", [2, 4], ids=["nothing established", "an outcome established"])
def test_the_book_is_asked_first_whether_the_round_is_void(tmp_path: Path, database_url: str, dealt: int) -> None:
    voided = dealt == 2
    attack = Attack(tmp_path, "super-six-plus", 0, dealt, 0)
    restored(attack.file, database_url)
    with server(database_url) as served:
        state = served.floor.table("t1").state
        assert (state.phase is Phase.READY) == voided
        assert state.shoe is not None
        assert state.shoe.id != KNOWN
        served.taken_over()
        play_rounds(served, "t1", 1)
    (recovered,) = [event for event in house(database_url) if isinstance(event, TableRecovered)]
    assert recovered.voided == voided
    assert recovered.returned_minor == ({"ann": 100_00} if voided else {})
    assert faults(database_url) == []


def test_a_real_shoe_comes_back_as_after_a_restart(tmp_path: Path, database_url: str) -> None:
    first = str(tmp_path / "first.db")
    with server(first) as served:
        at = served.run(manual_table(served.floor))
        served.run(at.do(DEALER, "open_betting"))
        served.run(at.do(DEALER, "close_betting"))
        served.run(at.do(DEALER, "deal_card", card="9s"))
        before = served.floor.table("t1").state
        backup(served.floor.database, tmp_path / "backup.db")
    restored(tmp_path / "backup.db", database_url)
    with server(database_url) as served:
        served.taken_over()
        state = served.floor.table("t1").state
        assert state.shoe == before.shoe
        assert state.round == before.round
    assert faults(database_url) == []


def two_tables(folder: Path, url: str) -> None:
    """Restore a floor with two sealed shoes in play."""
    first = str(folder / "first.db")

    async def play(night: Night) -> None:
        for name in ("t1", "t2"):
            await sealed_table(night.floor, name=name)
        await asyncio.to_thread(backup, night.floor.database, folder / "backup.db")

    night(first, play)
    restored(folder / "backup.db", url)


def shoes_on(floor: Floor) -> list[str]:
    return [live.state.shoe.id for live in floor.tables.values() if live.state.shoe]


def test_a_floor_that_is_stopped_while_it_ends_the_shoes_ends_the_rest_at_the_next_start(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_tables(tmp_path, database_url)
    end = Ownership.end_known_shoes

    async def end_first(ownership: Ownership, live: LiveTable) -> None:
        if live.setup.name == "t2":
            raise KeyboardInterrupt
        await end(ownership, live)

    async def start(night: Night) -> list[str]:
        return shoes_on(night.floor)

    monkeypatch.setattr(Ownership, "end_known_shoes", end_first)
    with pytest.raises(KeyboardInterrupt):
        night(database_url, start)
    monkeypatch.undo()
    shoes = night(database_url, start)
    assert all(shoe.startswith("restored ") for shoe in shoes)
    assert night(database_url, start) == shoes  # a shoe of its own stays
    assert faults(database_url) == []


def test_two_processes_that_start_at_once_end_each_shoe_once(tmp_path: Path, postgres_url: str) -> None:
    two_tables(tmp_path, postgres_url)

    async def whole() -> None:
        databases = [open_database(postgres_url) for _ in range(2)]
        try:
            floors = await asyncio.gather(*(Floor.start(database) for database in databases))
            for floor in floors:
                for live in floor.tables.values():
                    async with live.lock:
                        await live.catch_up()
            assert shoes_on(floors[0]) == shoes_on(floors[1])
            assert all(shoe.startswith("restored ") for shoe in shoes_on(floors[0]))
        finally:
            for database in databases:
                await asyncio.to_thread(database.close)

    asyncio.run(whole())
    revealed = [event.shoe for event in house(postgres_url) if isinstance(event, ShoeRevealed)]
    assert sorted(revealed) == ["t1 1", "t2 1"]
    assert faults(postgres_url) == []


def test_a_floor_that_deals_on_from_a_known_shoe_is_found(tmp_path: Path) -> None:
    """Somebody who holds the disk can take the mark away that makes the floor end the shoes, not the record."""
    attack, url = Attack(tmp_path, "commission", 1, 3, 0), str(tmp_path / "again.db")
    restored(attack.file, url)
    tamper(url, ("DELETE FROM meta WHERE name = ?", (RESTORED_KEY,)))
    with server(url) as served:
        served.taken_over()
        play_rounds(served, "t1", 1)
    assert faults(url) == [FaultCode.SHOE_NOT_ENDED]


# ---- without the key


@pytest.fixture
def other_key(tmp_path: Path) -> str:
    path = tmp_path / "other.key"
    path.touch(0o600)
    path.write_text("ab" * 32)
    return str(path)


@pytest.mark.parametrize("attack", ["between rounds", "three cards", "two turned"], indirect=True)
def test_without_the_key_the_shoes_are_ended_and_never_revealed(
    attack: Attack, database_url: str, other_key: str
) -> None:
    restored(attack.file, database_url)
    for rounds in (0, 2):  # a restart in between changes nothing
        with server(database_url, key_file=other_key) as served:
            assert served.client().get("/readyz").json()["status"] == "ready"
            state = served.floor.table("t1").state
            assert state.shoe is not None
            assert state.shoe.id != KNOWN
            served.taken_over()
            play_rounds(served, "t1", rounds)
    told = house(database_url)
    assert [event for event in told if isinstance(event, ShoeUnreadable)] == [ShoeUnreadable(KNOWN, "t1")]
    assert KNOWN not in [event.shoe for event in told if isinstance(event, ShoeRevealed)]
    with opened(database_url) as database:
        result = verify(database, key_file=other_key)
    assert (result.faults, result.unchecked_shoes) == ([], 1)
