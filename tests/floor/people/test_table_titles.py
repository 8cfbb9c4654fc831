"""What pages call a table: who may change it, what is refused, and what is on record."""

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.pit_events import TableTitled
from punto.floor.people.table_titles import change_title, require_unlike_titles
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.nights import opened
from tests.floor.staff_floor import SUPERVISOR, Staffed, refused, run

MANAGER = Actor("max", Position.PIT_MANAGER)


def test_a_table_has_its_name_as_title_until_it_gets_another(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.table("t1")
        live = house.floor.table("t1")
        assert live.title == "t1"
        changed = live.changed
        for _ in range(2):  # the second time nothing changes
            await change_title(house.floor, MANAGER, "t1", "Orchid 蘭")
        assert (live.title, live.setup.name) == ("Orchid 蘭", "t1")
        assert changed.is_set()
        assert (house.floor.title_of("t1"), house.floor.title_of("t9")) == ("Orchid 蘭", "t9")
        await change_title(house.floor, MANAGER, "t1", "")
        assert live.title == "t1"
        await change_title(house.floor, MANAGER, "t1", "Lotus")
        titled = [event for _, _, event in await house.told(TableTitled)]
        assert titled == [TableTitled("t1", "Orchid 蘭"), TableTitled("t1", ""), TableTitled("t1", "Lotus")]

    async def later(house: Staffed) -> None:
        assert house.floor.title_of("t1") == "Lotus"
        sql = "UPDATE tables SET title = 'Rose'"  # as another process does
        await house.database.write(lambda transaction: transaction.change(sql))
        await house.floor.load_tables()
        assert house.floor.title_of("t1") == "Rose"

    run(database_url, test)
    with opened(database_url) as database:
        assert verify(database).faults == []
    run(database_url, later)


def test_a_title_that_could_be_mistaken_is_refused(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for name in ("t1", "t2", "Lotus"):
            await house.table(name)
        await change_title(house.floor, MANAGER, "t1", "Orchid")
        await change_title(house.floor, MANAGER, "t1", "t1")  # its own name is no title
        await change_title(house.floor, MANAGER, "t1", "Orchid")
        for like in ("Orchid", "ORCHID", "0rchid", "Lotus", "lotus"):
            await refused(change_title(house.floor, MANAGER, "t2", like), FloorCode.NAME_TAKEN)
        cyrillic = "\N{CYRILLIC CAPITAL LETTER O}rchid"
        for wrong in ("x" * 41, " Orchid", "a/b", "two\nlines", "P000123", "box 3", cyrillic):
            await refused(change_title(house.floor, MANAGER, "t2", wrong), TableCode.BAD_NAME)
        await refused(change_title(house.floor, MANAGER, "t2", "house"), FloorCode.NAME_TAKEN)
        await refused(change_title(house.floor, MANAGER, "t9", "Rose"), FloorCode.UNKNOWN_TABLE)
        await refused(change_title(house.floor, SUPERVISOR, "t2", "Rose"), TableCode.NOT_AUTHORISED)
        with pytest.raises(FloorRefused) as found:
            require_unlike_titles(house.floor, "orchid")
        assert found.value.code is FloorCode.NAME_TAKEN
        require_unlike_titles(house.floor, "Rose")
        assert house.floor.title_of("t2") == "t2"

    run(database_url, test)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tables SET title = 'Rose' WHERE name = 't1'",
        "UPDATE tables SET title = '' WHERE name = 't1'",
        "UPDATE tables SET title = 'Rose' WHERE name = 't2'",
    ],
)
def test_verify_finds_another_title(database_url: str, change: str) -> None:
    async def test(house: Staffed) -> None:
        await house.table("t1")
        await house.table("t2")
        await change_title(house.floor, MANAGER, "t1", "Orchid")

    run(database_url, test)
    tamper(database_url, (change, ()))
    with opened(database_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.TABLE_DIFFERS]
