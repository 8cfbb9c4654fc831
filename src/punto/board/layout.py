"""Where the marks of a road are placed, in six rows. The wrap is only layout: no road is derived from it."""

from collections.abc import Iterable
from typing import Final, NamedTuple

ROWS: Final = 6


class Square(NamedTuple):
    """A square of the board, counted from 0."""

    column: int
    row: int


def filled(marks: int) -> list[Square]:
    """Six down, then to the right: how a bead plate fills.

    >>> filled(8)[5:]
    [Square(column=0, row=5), Square(column=1, row=0), Square(column=1, row=1)]
    """
    return [Square(*divmod(at, ROWS)) for at in range(marks)]


def wrapped(heights: Iterable[int]) -> list[Square]:
    """Each run goes down its own column; where it is blocked, or after row six, it continues to the right.

    A run starts in the top row, to the right of the previous start; if a tail is already there, to the right of it.

    >>> wrapped([8, 1])[5:]
    [Square(column=0, row=5), Square(column=1, row=5), Square(column=2, row=5), Square(column=1, row=0)]
    """
    places: list[Square] = []
    # The row of the topmost tail in a column. A later tail that meets an earlier one lies above it, so one is enough.
    tails: dict[int, int] = {}
    column = 0
    for height in heights:
        while tails.get(column) == 0:
            column += 1
        down = min(height, tails.get(column, ROWS))
        places += [Square(column, row) for row in range(down)]
        for tail in range(column + 1, column + 1 + height - down):
            places.append(Square(tail, down - 1))
            tails[tail] = down - 1
        column += 1
    return places


def width(places: Iterable[Square]) -> int:
    """How many columns the places reach over."""
    return max((place.column + 1 for place in places), default=0)
