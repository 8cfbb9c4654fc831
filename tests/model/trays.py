"""Random slips and counts of the tray, fitting the table or not."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from punto.table.records import chips
from punto.table.records.chips import ChipPile, CountPurpose, SlipKind
from punto.table.records.commands import Command
from punto.table.records.ledger import tray_minor
from punto.table.records.positions import Position
from punto.table.records.state import Table
from tests.model.troubles import reason

if TYPE_CHECKING:
    from tests.model.choices import Choices

By = tuple[str, Position]


def _piles(some: "Choices") -> tuple[ChipPile, ...]:
    if some.chance(12):
        return some.pick(((), (ChipPile(10**11, 100_000),), (ChipPile(5, 1), ChipPile(5, 2))))
    values = [value for value in (10_000, 2_500, 500, 25, 1) if some.chance(2)]
    return tuple(ChipPile(value, some.number(1, 40)) for value in values)


def _counted(some: "Choices", table: Table) -> tuple[ChipPile, ...]:
    """Often what lies in the tray by the record, or one chip more."""
    minor = tray_minor(table.balances) + some.pick((0, 0, 1))
    return (ChipPile(minor, 1),) if 0 < minor <= chips.MAX_PILE_MINOR and some.chance(2) else _piles(some)


def _slip(some: "Choices", table: Table) -> int:
    """Mostly an open one."""
    return some.pick(tuple(table.slips)) if table.slips and not some.chance(8) else some.number(-1, 5)


MAKE: dict[type[Command], Callable[["Choices", By, Table], Command]] = {
    chips.RequestSlip: lambda some, by, _: chips.RequestSlip(*by, some.pick(tuple(SlipKind)), _piles(some)),
    chips.SendSlip: lambda some, by, table: chips.SendSlip(*by, _slip(some, table)),
    chips.ReceiveSlip: lambda some, by, table: chips.ReceiveSlip(*by, _slip(some, table)),
    chips.VoidSlip: lambda some, by, table: chips.VoidSlip(*by, _slip(some, table), reason(some)),
    chips.CountTray: lambda some, by, table: chips.CountTray(
        *by, some.pick(tuple(CountPurpose)), _counted(some, table)
    ),
}
