"""Twenty thousand shoes against the slow implementation, which shares no code with the board."""

import pytest

from punto.board.results import read_marks
from punto.board.roads import REACH, roads
from punto.rules.coup.table_of_play import Side
from tests.board.shoes import random_shoes
from tests.board.slowly import Sheet, ask, down_then_right, in_six_rows

pytestmark = pytest.mark.sweep

LETTERS = {Side.BANKER: "B", Side.PLAYER: "P"}


def _agrees(results: str) -> None:
    shown, sheet = roads(read_marks(results)), Sheet(results)
    assert [bead.place for bead in shown.bead_plate] == down_then_right(len(results))
    big = shown.big_road
    decided = "".join(sheet.long.values())
    assert "".join(str(cell.mark) for cell in big.cells) == decided
    assert [cell.place for cell in big.cells] == in_six_rows(decided)
    assert ([cell.ties for cell in big.cells], big.ties_waiting) == (sheet.ties, sheet.waiting)
    for road, k in REACH.items():
        cells = shown.derived[road]
        colours = sheet.colours(k)
        assert "".join(cell.colour[0] for cell in cells) == colours
        assert [cell.place for cell in cells] == in_six_rows(colours)


@pytest.mark.parametrize("part", [0, *(pytest.param(more, marks=pytest.mark.nightly) for more in range(1, 10))])
def test_five_thousand_random_shoes(part: int) -> None:
    for results in random_shoes(5000, seed=part):
        try:
            _agrees(results)
        except AssertionError as error:  # pytest names the line, but not the shoe
            error.add_note(f"the shoe was {results!r}")
            raise


def test_the_ask_road_of_random_shoes() -> None:
    for results in random_shoes(1000, seed=4):
        shown = roads(read_marks(results))
        for side, letter in LETTERS.items():
            for road, k in REACH.items():
                assert (shown.ask[side][road] or "")[:1] == ask(results, letter, k), results


def test_the_shoes_have_what_is_hard() -> None:
    """Ties first, only ties, no results, long dragons, tails along the top."""
    shoes = [*random_shoes(5000, seed=0)]
    assert "" in shoes
    assert any(shoe.startswith("TTT") and set(shoe) != {"T"} for shoe in shoes)
    assert any(set(shoe) == {"T"} for shoe in shoes)
    assert any("B" * 30 in shoe for shoe in shoes)
    tops = 0
    for shoe in shoes:
        marks = shoe.replace("T", "")
        squares = in_six_rows(marks)
        pairs = zip(squares, squares[1:], marks, marks[1:], strict=False)
        tops += any(one[1] == two[1] == 0 and mark == then for one, two, mark, then in pairs)
    assert tops
