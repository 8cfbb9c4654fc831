"""The chip set that a floor has chosen. The house's stream has every change of it."""

import msgspec

from punto.catalogue.values import Money
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import Change, HouseLog, Judge
from punto.floor.house.projection import Stored
from punto.floor.house.projections.settings import CHIP_SET_KEY, find_setting
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import NO_CONTEXT, write
from punto.floor.journal.house_events import ChipSetChanged
from punto.table.procedure.chip_set import MAX_CHIP_MINOR, MAX_CHIPS, MAX_STEPS, USUAL_CHIPS, ChipSet
from punto.table.records.positions import ADMINISTRATOR_ONLY, SHIFT_MANAGER_UP

MAY_CHANGE_CHIPS = SHIFT_MANAGER_UP | ADMINISTRATOR_ONLY


async def read_chip_set(database: Database) -> ChipSet:
    return await database.read(find_chip_set)


async def change_chip_set(log: HouseLog, by: Actor, chip_set: ChipSet, judge: Judge = lambda _: NO_CONTEXT) -> None:
    """Replace the chip set. The amounts of rounds depend on the settings of a table alone, so they stay as they are."""
    await log.require(by, MAY_CHANGE_CHIPS, "change_chip_set")
    await log.change(by, chips_change(chip_set), judge)


def chips_change(chip_set: ChipSet) -> Change[None]:
    """The change as a job of the database."""
    check_chip_set(chip_set)

    def change(transaction: Transaction) -> tuple[None, list[Stored]]:
        if find_chip_set(transaction) == chip_set:
            return None, []
        return None, [Stored(chips_on_record(chip_set), {"value": write(chip_set)})]

    return change


def chips_on_record(chip_set: ChipSet) -> ChipSetChanged:
    """The chip set as the house's stream has it."""
    return ChipSetChanged(tuple((chip.value_minor, chip.colour) for chip in chip_set.chips))


def check_chip_set(chip_set: ChipSet) -> None:
    """Refuse a set that no house has, and one that makes the fewest chips for an amount too slow to find."""
    values = [chip.value_minor for chip in chip_set.chips]
    if not 1 <= len(values) <= MAX_CHIPS:
        raise FloorRefused(FloorCode.BAD_CHIP_SET, variant="number", most=MAX_CHIPS, chips=len(values))
    for at, value_minor in enumerate(values):
        if not 1 <= value_minor <= MAX_CHIP_MINOR:
            raise FloorRefused(FloorCode.BAD_CHIP_SET, variant="value", most=Money(MAX_CHIP_MINOR))
        if value_minor in values[:at]:
            raise FloorRefused(FloorCode.BAD_CHIP_SET, variant="twice", value=Money(value_minor))
    if chip_set.steps > MAX_STEPS:
        raise FloorRefused(FloorCode.BAD_CHIP_SET, variant="unusual")


def find_chip_set(transaction: Transaction) -> ChipSet:
    stored = find_setting(transaction, CHIP_SET_KEY)
    return msgspec.json.decode(stored, type=ChipSet) if stored else USUAL_CHIPS
