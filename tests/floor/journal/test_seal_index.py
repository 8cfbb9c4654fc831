"""The index finds a table's sealed shoes, however many other events the house has written."""

from pathlib import Path

import pytest

from punto.floor.clock import SystemClock
from punto.floor.database import open_database, schema
from punto.floor.database.base import Database, Transaction
from punto.floor.house.projections.seals import Seal, last_seals
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, command_record
from punto.floor.journal.house_events import AuthorityRefused, HouseEvent, ShoeRevealed, ShoeSealed
from punto.floor.journal.streams import Head
from punto.floor.upkeep.backup import backup
from punto.floor.upkeep.migration import migrate
from tests.floor.earlier_schemas import make_older
from tests.floor.restoring import restored

OTHER = AuthorityRefused("t1", "mal", "player", "open_table.1", "not_authorised")


def sealed(number: int, table: str = "t1") -> ShoeSealed:
    return ShoeSealed(f"{table} {number}", table, 8, "virtual", f"{number:064}", f"{table}/1", number)


def revealed(number: int, table: str = "t1") -> ShoeRevealed:
    return ShoeRevealed(f"{table} {number}", "nonce", "cards")


def tell(database: Database, *events: HouseEvent) -> None:
    said = command_record(THE_HOUSE, SystemClock())
    database.writing(lambda transaction: append_house(transaction, said, *events)).result()


def last(database: Database, most: int = 10, table: str = "t1") -> list[Seal]:
    return database.reading(lambda transaction: last_seals(transaction, table, most)).result()


SHOES = [(sealed(3), None), (sealed(2), revealed(2)), (sealed(1), revealed(1))]


def evening(database: Database) -> None:
    """Three shoes of a table, the last one in play, and one of another table."""
    tell(database, sealed(1), OTHER, sealed(9, "t2"))
    tell(database, sealed(2), OTHER, revealed(1))
    tell(database, OTHER, revealed(2), revealed(9, "t2"), sealed(3))


def test_the_newest_first_and_of_this_table_alone(database_url: str) -> None:
    database = open_database(database_url)
    assert last(database) == []
    evening(database)
    assert last(database) == SHOES
    assert last(database, 2) == SHOES[:2]
    assert last(database, table="t2") == [(sealed(9, "t2"), revealed(9, "t2"))]
    assert last(database, table="t3") == []
    database.close()


def test_as_much_is_read_as_is_told_whatever_else_there_is(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(database_url)
    evening(database)
    tell(database, *[OTHER] * 5_000)

    def never(*_: object) -> list[object]:
        raise AssertionError("the house's stream was read through")

    asked: list[int] = []

    class Counting:
        def __init__(self, transaction: Transaction) -> None:
            self.transaction = transaction

        def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
            found = self.transaction.rows(sql, values)
            asked.append(len(found))
            return found

    monkeypatch.setattr(streams, "read", never)
    told = database.reading(lambda transaction: last_seals(Counting(transaction), "t1", 10)).result()  # type: ignore[arg-type]
    assert (told, asked) == (SHOES, [3])
    database.close()


def test_an_older_database_finds_its_shoes_when_it_is_migrated(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_database(database_url)
    evening(database)
    database.close()
    make_older(database_url, 2)
    monkeypatch.setattr(streams, "ENTRIES_A_PAGE", 2)
    assert migrate(database_url) == (2, schema.VERSION)
    database = open_database(database_url, create=False)
    assert last(database) == SHOES
    tell(database, revealed(3))
    assert last(database)[0] == (sealed(3), revealed(3))
    database.close()


def test_a_restored_floor_knows_its_shoes(database_url: str, tmp_path: Path) -> None:
    database = open_database(database_url)
    evening(database)
    backup(database, tmp_path / "kept.db")
    database.close()
    restored(tmp_path / "kept.db", str(tmp_path / "again.db"))
    again = open_database(str(tmp_path / "again.db"), create=False)
    assert last(again) == SHOES
    again.close()


def test_a_place_that_is_no_seal_tells_nothing(database_url: str) -> None:
    """A forged index entry cannot make up an event."""
    database = open_database(database_url)
    evening(database)
    head: Head = database.reading(lambda transaction: streams.heads(transaction)["house"]).result()
    for shoe, version in (("forged", 2), ("t9 1", 1), ("beyond", head.version + 9)):
        row = (shoe, "t1", version)
        sql = "INSERT INTO seals (shoe, at_table, sealed, revealed) VALUES (?, ?, ?, 5)"
        database.writing(lambda transaction, sql=sql, row=row: transaction.change(sql, row)).result()  # type: ignore[misc]
    told = last(database)
    assert {shoe.shoe for shoe, _ in told} == {"t1 1", "t1 2", "t1 3"}
    assert all(one in told for one in SHOES)
    database.close()
