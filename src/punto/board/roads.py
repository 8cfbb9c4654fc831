"""The five roads and the ask road.

A road is kept in logical columns: runs of one side, a tie being marked on the cell before it. The derived roads
compare the heights of those columns. :mod:`punto.board.layout` decides where a cell is drawn.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

from msgspec import Struct

from punto.board.layout import Square, filled, wrapped
from punto.board.results import Mark
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side


class Derived(StrEnum):
    """The roads made of the big road."""

    BIG_EYE_BOY = "big_eye_boy"
    SMALL_ROAD = "small_road"
    COCKROACH_PIG = "cockroach_pig"


REACH: Final = {Derived.BIG_EYE_BOY: 1, Derived.SMALL_ROAD: 2, Derived.COCKROACH_PIG: 3}
"""How many columns to the left each derived road compares."""


class Colour(StrEnum):
    """Red where the shoe repeats a pattern, blue where it does not."""

    RED = "red"
    BLUE = "blue"


class Bead(Struct, frozen=True, gc=False):
    """A round on the bead plate."""

    place: Square
    mark: Mark


class BigCell(Struct, frozen=True, gc=False):
    """A decision on the big road, and how many ties followed it (or, for the first, came before it as well)."""

    place: Square
    mark: Mark
    ties: int


class ColourCell(Struct, frozen=True, gc=False):
    """A mark of a derived road."""

    place: Square
    colour: Colour


class BigRoad(Struct, frozen=True):
    cells: tuple[BigCell, ...]
    heights: tuple[int, ...]
    """How many decisions each logical column has."""
    ties_waiting: int
    """Ties at the start of a shoe, before the first decision."""


NextMarks = dict[Derived, Colour | None]
"""The next mark of each derived road; None where there would be no mark."""


class Roads(Struct, frozen=True):
    """Everything a board shows about the results of a shoe."""

    bead_plate: tuple[Bead, ...]
    big_road: BigRoad
    derived: dict[Derived, tuple[ColourCell, ...]]
    ask: dict[Side, NextMarks]


def roads(marks: Sequence[Mark]) -> Roads:
    """The five roads of a shoe and its ask road.

    >>> from punto.board.results import read_marks
    >>> [str(cell.colour) for cell in roads(read_marks("B PPPP")).derived[Derived.BIG_EYE_BOY]]
    ['blue', 'red', 'red']
    """
    big = big_road(marks)
    return Roads(bead_plate(marks), big, {road: derived_road(big, road) for road in Derived}, ask(big))


def bead_plate(marks: Sequence[Mark]) -> tuple[Bead, ...]:
    """Every round, ties too, six down and then to the right."""
    return tuple(map(Bead, filled(len(marks)), marks))


def big_road(marks: Iterable[Mark]) -> BigRoad:
    """The decisions, a new column where the side changes; ties are marked on the cell before them."""
    decided: list[Mark] = []
    ties: list[int] = []
    waiting = 0
    for mark in marks:
        if mark.winner is not Winner.TIE:
            decided.append(mark)
            ties.append(waiting)
            waiting = 0
        elif ties:
            ties[-1] += 1
        else:
            waiting += 1
    heights = tuple(_run_lengths(mark.winner for mark in decided))
    return BigRoad(tuple(map(BigCell, wrapped(heights), decided, ties)), heights, waiting)


def derived_road(big: BigRoad, road: Derived) -> tuple[ColourCell, ...]:
    """A derived road: what its colours say, a new column where the colour changes."""
    reach = REACH[road]
    marks = (
        _colour(big.heights, column, row, reach) for column, height in enumerate(big.heights) for row in range(height)
    )
    colours = [colour for colour in marks if colour is not None]
    return tuple(map(ColourCell, wrapped(_run_lengths(colours)), colours))


def ask(big: BigRoad) -> dict[Side, NextMarks]:
    """For each side, the mark that each derived road would get if it won next."""
    last = big.cells[-1].mark.winner if big.cells else None
    next_marks: dict[Side, NextMarks] = {}
    for side in Side:
        column, row = len(big.heights), 0
        if last is not None and last.value == side.value:
            column, row = column - 1, big.heights[-1]
        next_marks[side] = {road: _colour(big.heights, column, row, reach) for road, reach in REACH.items()}
    return next_marks


def _colour(heights: Sequence[int], column: int, row: int, reach: int) -> Colour | None:
    """The mark for a decision at that column and row of the big road; None if there is nothing to compare with."""
    if row == 0:
        if column <= reach:
            return None
        return Colour.RED if heights[column - 1] == heights[column - 1 - reach] else Colour.BLUE
    if column < reach:
        return None
    return Colour.BLUE if row == heights[column - reach] else Colour.RED


def _run_lengths(values: Iterable[object]) -> Iterator[int]:
    return (sum(1 for _ in run) for _, run in groupby(values))
