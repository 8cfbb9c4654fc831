"""Somebody with the disk gives a sealed shoe another order. The floor deals none of it, and stops the table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.house_events import HOUSE, ShoeNotAsSealed, read_house_event
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.sealed import SELECT_SHOES, StoredShoe
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from tests.floor.nights import opened as database_at
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, betting_table
from tests.keys import TEST_KEY
from tests.web.serving import Server, server
from tests.web.wire import problem

SHOE = "sealed"
Alter = Callable[[Transaction], object]


def set_up(url: str) -> None:
    """A table with a sealed shoe and two cards of a round on the felt, and a table that nobody touches."""
    with server(url) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("t1", "commission", ShoeKind.VIRTUAL)))
        at = At(served.floor, "t1")
        served.run(at.open())
        served.run(at.do(SUPERVISOR, "load_shoe", shoe=SHOE, decks=8))
        served.run(at.seat("ann", "ben"))
        served.run(at.do(DEALER, "open_betting"))
        assert served.run(at.bet("ann", 100_00)).refusal is None
        served.run(at.do(DEALER, "close_betting"))
        for _ in range(2):
            served.run(at.do(DEALER, "deal_card"))
        served.run(betting_table(served.floor, "good"))


def stored(transaction: Transaction) -> tuple[str, str]:
    """Nonce and cards, for somebody who has the key too."""
    (row,) = transaction.rows(f"{SELECT_SHOES} WHERE id = ?", (SHOE,))
    opened = StoredShoe.of(row).opened(TEST_KEY)
    assert opened is not None
    return opened


def store(transaction: Transaction, nonce: str, cards: str, about: str = SHOE) -> object:
    sealed = TEST_KEY.seal(f"{nonce}\n{cards}".encode(), f"shoe {about}".encode())
    return transaction.change("UPDATE shoes SET sealed = ? WHERE id = ?", (sealed, SHOE))


def reordered(cards: str) -> str:
    """The last cards first: the same decks in another order."""
    parts = cards.split()
    return " ".join([*parts[:2], *reversed(parts[2:])])


def swap(transaction: Transaction) -> object:
    nonce, cards = stored(transaction)
    return store(transaction, nonce, reordered(cards))


def swap_in_clear(transaction: Transaction) -> object:
    """As an earlier release would have stored it."""
    nonce, cards = stored(transaction)
    values = (nonce, reordered(cards), SHOE)
    return transaction.change("UPDATE shoes SET sealed = NULL, nonce = ?, cards = ? WHERE id = ?", values)


def changing(sql: str) -> Alter:
    return lambda transaction: transaction.change(sql, (SHOE,))


ALTERED: dict[str, Alter] = {
    "another order": swap,
    "another order in clear": swap_in_clear,
    "another nonce": lambda transaction: store(transaction, "ff", stored(transaction)[1]),
    "sealed for another shoe": lambda transaction: store(transaction, *stored(transaction), about="other"),
    "sealed with another key": changing("UPDATE shoes SET sealed = substr(sealed, 2) WHERE id = ?"),
    "another kind": changing("UPDATE shoes SET kind = 'seeded' WHERE id = ?"),
    "no cards": changing("UPDATE shoes SET cards = 'nonsense' WHERE id = ?"),
    "no order": changing("DELETE FROM shoes WHERE id = ?"),
    "no seal": changing("DELETE FROM seals WHERE shoe = ?"),
}


def altered(url: str, alter: Alter) -> None:
    with database_at(url) as database:
        assert database.writing(alter).result()


def on_record(served: Server) -> list[str]:
    async def read() -> list[str]:
        database = served.floor.database
        head = await database.read(lambda transaction: streams.head(transaction, HOUSE))
        entries = await database.read(lambda transaction: streams.read(transaction, head, 0))
        events = [read_house_event(entry.event) for entry in entries]
        return [event.shoe for event in events if isinstance(event, ShoeNotAsSealed)]

    return served.run(read())


@pytest.mark.parametrize("alter", ALTERED.values(), ids=ALTERED)
def test_no_card_of_an_altered_shoe_is_dealt(tmp_path: Path, alter: Alter) -> None:
    url = str(tmp_path / "floor.db")
    set_up(url)
    altered(url, alter)
    with server(url) as served:
        assert on_record(served) == [SHOE]  # at the start, before anybody asks for a card
        served.taken_over()
        head = served.floor.table("t1").head
        dora, sue = served.by(Position.DEALER), served.by(Position.PIT_SUPERVISOR)
        for client in (dora, sue):
            for command in ("deal_card", "burn_cards"):
                problem(served.command(client, "t1", command), 409, "shoe_not_as_sealed")
        problem(served.command(dora, "t1", "open_betting"), 409, "shoe_not_as_sealed")
        assert served.floor.table("t1").head == head
        assert served.client().get("/api/tables/t1").json()["state"]["stopped"]
        assert "is stopped" in served.client().get("/").text
        assert "已停止" in served.client().get("/tables/t1", headers={"accept-language": "zh"}).text
        ready = served.client().get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"status": "degraded", "faulty": ["t1"]})
        assert served.command(served.by(Position.DEALER), "good", "close_betting").status_code == 200


def test_the_pit_leads_the_table_out_of_it(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    set_up(url)
    altered(url, swap)
    with server(url) as served:
        served.taken_over()
        dora, sue, sid = map(served.by, (Position.DEALER, Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER))
        chips = served.floor.table("t1").state.balances["chips:ann"]
        ruled = served.command(sid, "t1", "rule", reason="the shoe was changed", effect="void")
        assert ruled.status_code == 200, ruled.text
        assert served.floor.table("t1").state.balances["chips:ann"] == chips + 100_00
        problem(served.command(sue, "t1", "open_betting"), 409, "shoe_not_as_sealed")
        assert served.command(sue, "t1", "load_shoe", shoe="fresh", decks=8).status_code == 200
        assert not served.client().get("/api/tables/t1").json()["state"]["stopped"]
        assert served.client().get("/readyz").json()["status"] == "ready"
        for command in ("open_betting", "close_betting", "deal_card"):
            assert served.command(dora, "t1", command).status_code == 200
        shoes = served.client().get("/api/tables/t1/shoes").json()["shoes"]
        assert [(shoe["shoe"], shoe["cards"]) for shoe in shoes] == [("fresh", None), (SHOE, None)]
    with database_at(url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.code) == ("house", FaultCode.COMMITMENT_DIFFERS)


def test_a_shoe_that_is_altered_before_its_first_card_is_found_by_the_running_floor(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("t1", "commission", ShoeKind.VIRTUAL)))
        at = At(served.floor, "t1")
        served.run(at.open())
        served.run(at.do(SUPERVISOR, "load_shoe", shoe=SHOE, decks=8))
        served.run(at.do(DEALER, "open_betting"))
        served.run(at.do(DEALER, "close_betting"))

        async def change() -> object:
            return await served.floor.database.write(swap)

        assert served.run(change())
        problem(served.command(served.by(Position.DEALER), "t1", "deal_card"), 409, "shoe_not_as_sealed")
        assert on_record(served) == [SHOE]
        assert served.floor.is_stopped(served.floor.table("t1"))
        state = served.client().get("/api/tables/t1").json()["state"]
        assert (state["stopped"], state["due"]) == (True, None)
