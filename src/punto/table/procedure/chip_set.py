"""The chip set of a floor: its denominations and colours, and how an amount is paid with the fewest chips."""

from enum import StrEnum
from functools import cache, cached_property, lru_cache
from math import gcd, lcm

from msgspec import Struct

MAX_CHIPS = 20
MAX_CHIP_MINOR = 10**11
MAX_STEPS = 10_000
"""Combinations that one amount may need tried. The sets of real houses need a few dozen."""


class ChipColour(StrEnum):
    WHITE = "white"
    GREY = "grey"
    BLACK = "black"
    RED = "red"
    PINK = "pink"
    ORANGE = "orange"
    YELLOW = "yellow"
    GREEN = "green"
    TURQUOISE = "turquoise"
    BLUE = "blue"
    PURPLE = "purple"
    BROWN = "brown"


class Chip(Struct, frozen=True, forbid_unknown_fields=True):
    value_minor: int
    colour: ChipColour


class ChipCount(Struct, frozen=True):
    chip: Chip
    count: int


class PaidInChips(Struct, frozen=True):
    """An amount in chips, the most valuable first."""

    chips: tuple[ChipCount, ...]
    left_minor: int
    """What no chips of the set can pay: always less than the smallest chip."""


class ChipSet(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The chips of a floor, each value once."""

    chips: tuple[Chip, ...]

    @cached_property
    def _by_value(self) -> dict[int, Chip]:
        return {chip.value_minor: chip for chip in sorted(self.chips, key=lambda chip: -chip.value_minor)}

    @property
    def steps(self) -> int:
        """How many combinations are tried for one amount at most."""
        values = tuple(self._by_value)
        steps, lefts = 0, 1
        for at, room in enumerate(_rooms(values)):
            tried = lefts * (room // values[at] + 1)
            lefts = min(tried, room // gcd(*values[: at + 1]) + 1)  # what is left differs by sums of the larger values
            steps += tried
        return steps

    def fewest(self, amount_minor: int) -> PaidInChips:
        """Pay as much of the amount as the chips can, and that with as few of them as possible."""
        if not self.chips or amount_minor <= 0:
            return PaidInChips((), max(amount_minor, 0))
        values = tuple(self._by_value)
        counts = _fewest(values, amount_minor)
        paid = tuple(ChipCount(self._by_value[value], n) for value, n in zip(values, counts, strict=True) if n)
        return PaidInChips(paid, amount_minor - sum(each.chip.value_minor * each.count for each in paid))


USUAL_CHIPS = ChipSet(
    (
        Chip(100, ChipColour.WHITE),
        Chip(500, ChipColour.RED),
        Chip(2_500, ChipColour.GREEN),
        Chip(10_000, ChipColour.BLACK),
        Chip(50_000, ChipColour.PURPLE),
        Chip(100_000, ChipColour.YELLOW),
        Chip(500_000, ChipColour.BROWN),
        Chip(1_000_000, ChipColour.BLUE),
    )
)
"""The set of a floor that has not set its own."""


@lru_cache(maxsize=4096)
def _fewest(values: tuple[int, ...], amount_minor: int) -> tuple[int, ...]:
    """How many of each value, from the largest. The largest first is not always best: 40 is 20 and 20, not 25 and 5."""
    rooms = _rooms(values)

    @cache
    def best(at: int, left_minor: int) -> tuple[int, int, tuple[int, ...]]:
        """What stays unpaid, how many chips, and which, from this value down."""
        value = values[at]
        most = left_minor // value
        if at == len(values) - 1:
            return left_minor - most * value, most, (most,)
        least = max(0, -((rooms[at] - left_minor) // value))
        found = []
        for count in range(most, least - 1, -1):
            unpaid_minor, chips, rest = best(at + 1, left_minor - count * value)
            found.append((unpaid_minor, chips + count, (count, *rest)))
        return min(found, key=lambda way: way[:2])

    return best(0, amount_minor)[2]


@lru_cache
def _rooms(values: tuple[int, ...]) -> tuple[int, ...]:
    """For each value, how much the smaller ones pay at most in the best way, with what may stay unpaid.

    A way is not the best one if fewer chips of a larger value pay the same: 20 is not four chips of 5 if there is one.
    """
    at_most = [
        min((lcm(value, larger) // value - 1 for larger in values[:at]), default=0) for at, value in enumerate(values)
    ]
    smaller = [
        sum(value * most for value, most in zip(values[at:], at_most[at:], strict=True))
        for at in range(1, len(values) + 1)
    ]
    return tuple(minor + values[-1] - 1 for minor in smaller)
