"""Six rows: where the marks of a road lie. The wrap is layout only; no road is read off it."""

from collections.abc import Iterable
from typing import Final, NamedTuple

ROWS: Final = 6


class Place(NamedTuple):
    """A square of the board, counted from 0."""

    column: int
    row: int


def filled(marks: int) -> list[Place]:
    """Six down, then to the right: how a bead plate fills.

    >>> filled(8)[5:]
    [Place(column=0, row=5), Place(column=1, row=0), Place(column=1, row=1)]
    """
    return [Place(*divmod(at, ROWS)) for at in range(marks)]


def wrapped(heights: Iterable[int]) -> list[Place]:
    """Each run down a column of its own; where it is blocked, or past row six, it turns right for good.

    A run begins at the top, right of where the one before it began; if a tail has come to lie there, right of that.

    >>> wrapped([8, 1])[5:]
    [Place(column=0, row=5), Place(column=1, row=5), Place(column=2, row=5), Place(column=1, row=0)]
    """
    places: list[Place] = []
    # The row of the topmost tail in a column. A later tail that meets an earlier one lies above it, so one is enough.
    tails: dict[int, int] = {}
    column = 0
    for height in heights:
        while tails.get(column) == 0:
            column += 1
        down = min(height, tails.get(column, ROWS))
        places += [Place(column, row) for row in range(down)]
        for tail in range(column + 1, column + 1 + height - down):
            places.append(Place(tail, down - 1))
            tails[tail] = down - 1
        column += 1
    return places


def width(places: Iterable[Place]) -> int:
    """How many columns the places reach over."""
    return max((place.column + 1 for place in places), default=0)
