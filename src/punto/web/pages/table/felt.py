"""The felt of a layout: chips, the places of bets and the places of boxes."""

import math
from functools import cache
from itertools import pairwise

from msgspec import Struct

from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.records.settings import Settings
from punto.web.pages.parts.bets import side_of_felt

CHIPS: tuple[tuple[int, str, str], ...] = (
    (1_00, "v1", "1"),
    (5_00, "v5", "5"),
    (25_00, "v25", "25"),
    (100_00, "v100", "100"),
    (500_00, "v500", "500"),
    (1_000_00, "v1k", "1K"),
    (5_000_00, "v5k", "5K"),
    (10_000_00, "v10k", "10K"),
    (25_000_00, "v25k", "25K"),
    (100_000_00, "v100k", "100K"),
)
"""Value in the smallest unit, CSS class, and text on the chip."""
CHIPS_IN_TRAY = 6
MAX_IN_STACK = 5


class TrayChip(Struct, frozen=True):
    minor: int
    look: str
    text: str


def tray(settings: Settings) -> tuple[TrayChip, ...]:
    """The chips to offer at a table, starting with the largest one that does not exceed the minimum bet."""
    least = min(settings.main.min_minor or CHIPS[0][0], settings.side.min_minor or CHIPS[0][0])
    first = max((at for at, chip in enumerate(CHIPS) if chip[0] <= least), default=0)
    return tuple(TrayChip(*chip) for chip in CHIPS[min(first, len(CHIPS) - CHIPS_IN_TRAY) :][:CHIPS_IN_TRAY])


def stack(minor: int) -> tuple[str, ...]:
    """CSS classes of the chips for an amount, largest first, at most ``MAX_IN_STACK``."""
    classes: list[str] = []
    for value, look, _ in reversed(CHIPS):
        while minor >= value and len(classes) < MAX_IN_STACK:
            minor -= value
            classes.append(look)
    return tuple(classes)


def highest_chip(minor: int) -> str:
    """CSS class of the largest chip in an amount."""
    return next((look for value, look, _ in reversed(CHIPS) if minor >= value), CHIPS[0][1])


# ---- the bets


def groups(rules: Rulebook, layout: str) -> dict[str, tuple[str, ...]]:
    """The bets of a layout by their place on the felt, without Player and Banker."""
    menu = [bet for bet in rules.layouts[layout].menu if bet not in MAIN_BETS]
    return {
        side: tuple(bet for bet in menu if side_of_felt(rules.bets[bet]) == side)
        for side in ("player", "centre", "banker")
    }


# ---- the boxes


class SeatArc(Struct, frozen=True):
    """A box on the arc of a table: its outline as an SVG path, and the point for its number, name and chips."""

    box: int
    outline: str
    x: int
    y: int


@cache
def arc(boxes: int) -> tuple[SeatArc, ...]:
    """Sectors of an ellipse of equal length. Box 1 is on the left, seen by a player."""
    centre_x, centre_y, radius_x, radius_y, deep = 500, 110, 560, 150, 60
    first, last, steps = math.radians(149), math.radians(31), 720
    angles = [first + (last - first) * step / steps for step in range(steps + 1)]
    middle = [
        (centre_x + (radius_x - deep / 2) * math.cos(angle), centre_y + (radius_y - deep / 2) * math.sin(angle))
        for angle in angles
    ]
    along = [0.0]
    for (x, y), (u, v) in pairwise(middle):
        along.append(along[-1] + math.hypot(u - x, v - y))

    def at(part: float) -> float:
        return angles[min(range(steps + 1), key=lambda step: abs(along[step] - part * along[-1]))]

    def point(angle: float, inward: float) -> tuple[int, int]:
        return (
            round(centre_x + (radius_x - inward) * math.cos(angle)),
            round(centre_y + (radius_y - inward) * math.sin(angle)),
        )

    seats = []
    for box in range(1, boxes + 1):
        begin, end, mid = at((box - 1) / boxes + 0.004), at(box / boxes - 0.004), at((box - 0.5) / boxes)
        (ax, ay), (bx, by) = point(begin, 0), point(end, 0)
        (cx, cy), (dx, dy) = point(end, deep), point(begin, deep)
        outline = (
            f"M{ax} {ay}A{radius_x} {radius_y} 0 0 0 {bx} {by}"
            f"L{cx} {cy}A{radius_x - deep} {radius_y - deep} 0 0 1 {dx} {dy}Z"
        )
        seats.append(SeatArc(box, outline, *point(mid, deep / 2)))
    return tuple(seats)
