"""The chip set that a floor has chosen."""

from pathlib import Path

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.chips.floor_chips import change_chip_set, read_chip_set
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import ChipSetChanged
from punto.table.procedure.chip_set import USUAL_CHIPS, Chip, ChipColour, ChipSet
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.nights import opened
from tests.floor.staff_floor import ADMINISTRATOR, SUPERVISOR, Staffed, refused, run

SHIFT_MANAGER = Actor("sid", Position.SHIFT_MANAGER)
TWO = ChipSet((Chip(500, ChipColour.RED), Chip(2_500, ChipColour.GREEN)))


def test_a_floor_has_the_usual_chips_until_the_house_sets_its_own(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        assert await read_chip_set(house.database) == USUAL_CHIPS
        for by in (SHIFT_MANAGER, ADMINISTRATOR):  # the second time nothing changes
            await change_chip_set(house.floor.house_log, by, TWO)
        assert await read_chip_set(house.database) == TWO
        changes = await house.told(ChipSetChanged)
        assert changes == [("sid", "shift_manager", ChipSetChanged(((500, "red"), (2_500, "green"))))]
        await refused(change_chip_set(house.floor.house_log, SUPERVISOR, TWO), TableCode.NOT_AUTHORISED)

    run(database_url, test)


@pytest.mark.parametrize(
    ("values", "variant"),
    [
        ((), "number"),
        (tuple(range(100, 121)), "number"),
        ((100, 0), "value"),
        ((10**12,), "value"),
        ((100, 500, 100), "twice"),
        (tuple(range(83, 103)), "unusual"),
    ],
)
def test_chips_that_no_house_has_are_refused(tmp_path: Path, values: tuple[int, ...], variant: str) -> None:
    async def test(house: Staffed) -> None:
        chips = ChipSet(tuple(Chip(value, ChipColour.RED) for value in values))
        waiting = change_chip_set(house.floor.house_log, SHIFT_MANAGER, chips)
        assert (await refused(waiting, FloorCode.BAD_CHIP_SET)).refusal.variant == variant

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE meta SET value = replace(value, '2500', '25000') WHERE name = 'chip_set'",
        "UPDATE meta SET value = 'none' WHERE name = 'chip_set'",
        "DELETE FROM meta WHERE name = 'chip_set'",
    ],
)
def test_verify_finds_another_chip_set(database_url: str, change: str) -> None:
    async def test(house: Staffed) -> None:
        await change_chip_set(house.floor.house_log, SHIFT_MANAGER, TWO)

    run(database_url, test)
    with opened(database_url) as database:
        assert verify(database).faults == []
    tamper(database_url, (change, ()))
    with opened(database_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.CHIP_SET_DIFFERS]
