"""Somebody reads the database, its files or a backup to learn the cards to come. They find no order, and no key."""

from pathlib import Path

import pytest

from punto.floor.audit.verify import verify
from punto.floor.database.base import Database
from punto.floor.database.copying import tables_of
from punto.floor.database.schema import VERSION
from punto.floor.secret_key import VARIABLE
from punto.floor.shoes.sealed import SELECT_SHOES, StoredShoe
from punto.floor.upkeep.backup import backup
from punto.floor.upkeep.migration import migrate
from tests.floor.earlier_schemas import make_older
from tests.floor.nights import Night, night, opened
from tests.floor.playing import DEALER, SUPERVISOR, At, sealed_table
from tests.keys import SECRET, TEST_KEY

RUN = 6
"""Cards in a row that nobody finds by chance."""
LAST_IN_CLEAR = 5
"""The last schema that stored orders in clear."""


async def play(house: Night) -> None:
    """Shoes that were revealed, one with cards face up and face down, and one without a card."""
    other = await sealed_table(house.floor, name="t2")
    await other.do(SUPERVISOR, "load_shoe", shoe="first", decks=8)
    at = await sealed_table(house.floor, name="t1", face_down=True)
    for shoe in ("second", "third"):
        await at.do(SUPERVISOR, "load_shoe", shoe=shoe, decks=8)
    await at.do(DEALER, "open_betting")
    await at.do(DEALER, "close_betting")
    for _ in range(4):
        await at.do(DEALER, "deal_card")
    await at.do(DEALER, "turn_card", place=1)


def orders_in_play(database: Database) -> list[tuple[str, list[str]]]:
    """Nonce and cards, for somebody who has the key."""
    sql = f"{SELECT_SHOES} WHERE id IN (SELECT shoe FROM seals WHERE revealed = 0)"  # noqa: S608
    shoes = [StoredShoe.of(row) for row in database.reading(lambda transaction: transaction.rows(sql)).result()]
    orders = [shoe.opened(TEST_KEY) for shoe in shoes]
    return [(nonce, cards.split()) for nonce, cards in filter(None, orders)]


def found_in(content: bytes, orders: list[tuple[str, list[str]]]) -> list[str]:
    """What of the orders can be read there: their nonces, and their cards in a row, however they are written."""
    found = [nonce for nonce, _ in orders if nonce.encode() in content or bytes.fromhex(nonce) in content]
    for _, cards in orders:
        for first in range(0, len(cards) - RUN, RUN):
            row = cards[first : first + RUN]
            signs = (" ", "", ",", ", ", '","', '", "', "\n")
            found += [sign.join(row) for sign in signs if sign.join(row).encode() in content]
    return found


def rows_of(database: Database, folder: Path) -> bytes:
    """All rows of all tables, as somebody with access to the server would select them."""
    backup(database, folder / "tables.db")
    with opened(str(folder / "tables.db")) as copy:
        tables = [table for table, _ in copy.reading(tables_of).result()]

    def select(table: str) -> bytes:
        rows = database.reading(lambda transaction: transaction.rows(f"SELECT * FROM {table}")).result()  # noqa: S608
        return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row)

    return b"\n".join(map(select, tables))


def test_no_order_can_be_read_from_the_database_its_files_or_a_backup(database_url: str, tmp_path: Path) -> None:
    contents: dict[str, bytes] = {}

    async def read(house: Night) -> None:
        await play(house)
        database = house.floor.database
        contents["tables"] = rows_of(database, tmp_path)
        backup(database, tmp_path / "backup.db")
        for file in tmp_path.glob("floor.db*"):
            contents[f"{file.name} of a running floor"] = file.read_bytes()

    night(database_url, read)
    for file in (*tmp_path.glob("floor.db*"), tmp_path / "backup.db"):
        contents[file.name] = file.read_bytes()
    with opened(database_url) as database:
        orders = orders_in_play(database)
    assert len(orders) == 2
    assert {name: found_in(content, orders) for name, content in contents.items()} == {name: [] for name in contents}
    for content in contents.values():
        assert SECRET not in content
        assert SECRET.hex().encode() not in content
    with opened(database_url) as database:
        sql = f"{SELECT_SHOES} WHERE id = 'second'"
        (row,) = database.reading(lambda transaction: transaction.rows(sql)).result()
    nonce, cards = StoredShoe.of(row).opened(TEST_KEY) or ("", "")
    assert found_in(contents["tables"], [(nonce, cards.split())])  # it was revealed: the search finds what is there


def test_orders_that_an_earlier_release_stored_in_clear_are_encrypted_at_the_first_start(
    database_url: str, tmp_path: Path
) -> None:
    night(database_url, play)
    with opened(database_url) as database:
        orders = orders_in_play(database)
    make_older(database_url, LAST_IN_CLEAR)
    assert migrate(database_url) == (LAST_IN_CLEAR, VERSION)
    with opened(database_url) as database:
        assert found_in(rows_of(database, tmp_path), orders)  # as before
        assert verify(database).faults == []
    (tmp_path / "tables.db").unlink()

    async def start(house: Night) -> None:
        at = At(house.floor, "t1", "later")
        await at.do(DEALER, "turn_card", place=2)

    night(database_url, start)
    with opened(database_url) as database:
        assert found_in(rows_of(database, tmp_path), orders) == []
        assert verify(database).faults == []
    for file in tmp_path.glob("floor.db*"):
        assert found_in(file.read_bytes(), orders) == []


@pytest.fixture
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)


@pytest.mark.usefixtures("_no_key")
def test_an_auditor_without_the_key_verifies_all_but_the_shoes_in_play(database_url: str, tmp_path: Path) -> None:
    key = tmp_path / "floor.key"
    key.touch(0o600)
    key.write_text(SECRET.hex())
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(VARIABLE, str(key))
        night(database_url, play)
    with opened(database_url) as database:
        backup(database, tmp_path / "backup.db")
        assert (verify(database).faults, verify(database).unchecked_shoes) == ([], 2)
        with_key = verify(database, key_file=str(key))
        assert (with_key.faults, with_key.unchecked_shoes) == ([], 0)
    with opened(str(tmp_path / "backup.db")) as database:
        assert (verify(database).faults, verify(database).unchecked_shoes) == ([], 2)
