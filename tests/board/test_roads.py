"""The five roads and the ask road: worked examples, and properties of any shoe."""

from itertools import groupby
from timeit import repeat

import pytest
from hypothesis import given

from punto.board.layout import ROWS, Square, width, wrapped
from punto.board.results import Mark, read_marks
from punto.board.roads import BigRoad, Colour, Derived, Roads, big_road, roads
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from tests.board.shoes import MARKS, SHOES, random_shoes

EMPTY = dict.fromkeys(Derived)


def _roads(results: str) -> Roads:
    return roads(read_marks(results))


def _colours(shown: Roads, road: Derived) -> str:
    return "".join(cell.colour[0] for cell in shown.derived[road])


def _drawn(big: BigRoad) -> list[str]:
    """The six rows as text, a dot for an empty square."""
    squares = {cell.place: str(cell.mark)[0] for cell in big.cells}
    return ["".join(squares.get(Square(column, row), ".") for column in range(width(squares))) for row in range(ROWS)]


@pytest.mark.parametrize(
    ("results", "big_eye_boy", "small_road", "cockroach_pig"),
    [
        ("", "", "", ""),
        ("B", "", "", ""),
        ("BBBBBBBBB", "", "", ""),
        ("BP", "", "", ""),
        ("B PPPP", "brr", "", ""),  # several public libraries get this wrong
        ("BB PPPP", "rbr", "", ""),
        ("BP B", "r", "", ""),
        ("BB P B", "b", "", ""),
        # as tall as its neighbour, then taller by one, then more
        ("B P BBB", "rbr", "br", ""),
        ("BPBPBPBP", "rrrrrr", "rrrrr", "rrrr"),
        ("BBPPBBPPBB", "rrrrrrr", "rrrrr", "rrr"),
        # columns of 1 2 3 4 5
        ("B PP BBB PPPP BBBBB", "bbrbbrrbbrrrb", "brbrbrbrrbr", "brrbrbrr"),
        # columns of 3 1 2 1 3 1
        ("BBB P BB P BBB P", "bbbbbrb", "rbrrbb", "bbrb"),
    ],
)
def test_derived_roads_by_hand(results: str, big_eye_boy: str, small_road: str, cockroach_pig: str) -> None:
    shown = _roads(results)
    assert _colours(shown, Derived.BIG_EYE_BOY) == big_eye_boy
    assert _colours(shown, Derived.SMALL_ROAD) == small_road
    assert _colours(shown, Derived.COCKROACH_PIG) == cockroach_pig


def test_a_dragon_turns_right_at_row_six() -> None:
    assert _drawn(big_road(read_marks("BBBBBBBBB PP B"))) == [
        "BPB.",
        "BP..",
        "B...",
        "B...",
        "B...",
        "BBBB",
    ]


def test_a_dragon_beside_a_dragon_turns_right_above_its_tail() -> None:
    assert _drawn(big_road(read_marks("B" * 8 + "P" * 9 + "B" * 7 + "P" * 2))) == [
        "BPBP..",
        "BPBP..",
        "BPB...",
        "BPBBBB",
        "BPPPPP",
        "BBB...",
    ]


def test_a_tail_does_not_go_down_again_where_there_is_room() -> None:
    drawn = _drawn(big_road(read_marks("B" * 7 + "P" * 9)))
    assert drawn[4] == "BPPPPP"
    assert drawn[5] == "BB...."


def test_a_tail_along_the_top_makes_the_next_column_begin_beyond_it() -> None:
    drawn = _drawn(big_road(read_marks(("B" * 8 + "P" * 8) * 3 + "B")))
    assert drawn == [
        "BPBPBPPPPPPPPB",
        "BPBPBBBBBBB...",
        "BPBPPPPPP.....",
        "BPBBBBB.......",
        "BPPPP.........",
        "BBB...........",
    ]


def test_a_derived_road_wraps_as_the_big_road_does() -> None:
    shown = _roads("BP" * 6)
    assert [cell.place for cell in shown.derived[Derived.BIG_EYE_BOY]] == [
        *((0, row) for row in range(6)),
        *((column, 5) for column in range(1, 5)),
    ]


def test_the_bead_plate_has_every_round_six_down_and_then_to_the_right() -> None:
    beads = _roads("B T P Pp Tb T B P").bead_plate
    assert [str(bead.mark) for bead in beads] == ["B", "T", "P", "Pp", "Tb", "T", "B", "P"]
    assert [bead.place for bead in beads] == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 0), (1, 1)]


def test_a_tie_marks_the_cell_before_it_and_breaks_no_column() -> None:
    big = big_road(read_marks("BTB TT P T"))
    assert [(cell.place, cell.ties) for cell in big.cells] == [((0, 0), 1), ((0, 1), 2), ((1, 0), 1)]
    assert big.ties_waiting == 0


def test_ties_first_wait_for_the_first_cell() -> None:
    waiting = big_road(read_marks("TT"))
    assert (waiting.cells, waiting.ties_waiting) == ((), 2)
    big = big_road(read_marks("TT P T B"))
    assert [(str(cell.mark), cell.ties) for cell in big.cells] == [("P", 3), ("B", 0)]
    assert big.ties_waiting == 0


def test_the_pair_of_a_tie_is_only_on_the_bead_plate() -> None:
    shown = _roads("B Tb P Tp")
    assert [str(bead.mark) for bead in shown.bead_plate] == ["B", "Tb", "P", "Tp"]
    assert [str(cell.mark) for cell in shown.big_road.cells] == ["B", "P"]


@pytest.mark.parametrize("results", ["", "T", "TTTTTTTT"])
def test_without_a_decision_there_is_nothing_to_ask(results: str) -> None:
    shown = _roads(results)
    assert shown.big_road.cells == ()
    assert shown.big_road.ties_waiting == len(results)
    assert shown.derived == dict.fromkeys(Derived, ())
    assert shown.ask == {Side.BANKER: EMPTY, Side.PLAYER: EMPTY}


def test_the_ask_road_by_hand() -> None:
    # columns of 1 and 4: Player would make it 5, Banker would start a column, 4 beside 1
    assert _roads("B PPPP").ask == {
        Side.PLAYER: EMPTY | {Derived.BIG_EYE_BOY: Colour.RED},
        Side.BANKER: EMPTY | {Derived.BIG_EYE_BOY: Colour.BLUE},
    }
    # columns of 1 1 1 1: continuing would be new, changing would not
    assert _roads("BPBP").ask == {
        Side.PLAYER: dict.fromkeys(Derived, Colour.BLUE),
        Side.BANKER: dict.fromkeys(Derived, Colour.RED),
    }


@given(SHOES)
def test_the_ask_road_predicts_the_next_mark(shoe: list[Mark]) -> None:
    now = roads(shoe)
    for side in Side:
        then = roads([*shoe, Mark(Winner(side))])
        for road in Derived:
            asked = now.ask[side][road]
            added = [cell.colour for cell in then.derived[road][len(now.derived[road]) :]]
            assert added == ([] if asked is None else [asked])


@given(SHOES, MARKS)
def test_what_is_on_the_board_stays_where_it_is(shoe: list[Mark], more: Mark) -> None:
    now, then = roads(shoe), roads([*shoe, more])
    assert then.bead_plate[:-1] == now.bead_plate
    for road in Derived:
        assert then.derived[road][: len(now.derived[road])] == now.derived[road]
    cells = now.big_road.cells
    assert [(cell.place, cell.mark) for cell in then.big_road.cells[: len(cells)]] == [
        (cell.place, cell.mark) for cell in cells
    ]


@given(SHOES)
def test_no_square_is_taken_twice_and_no_column_is_empty(shoe: list[Mark]) -> None:
    shown = roads(shoe)
    for places in (
        [bead.place for bead in shown.bead_plate],
        [cell.place for cell in shown.big_road.cells],
        *([cell.place for cell in cells] for cells in shown.derived.values()),
    ):
        assert len(set(places)) == len(places)
        assert {place.row for place in places} <= set(range(ROWS))
        columns = {place.column for place in places}
        assert columns == set(range(len(columns)))


@given(SHOES)
def test_ties_and_pairs_change_no_derived_road(shoe: list[Mark]) -> None:
    plain = [Mark(mark.winner) for mark in shoe if mark.winner is not Winner.TIE]
    assert roads(plain).derived == roads(shoe).derived
    assert roads(plain).ask == roads(shoe).ask


@given(SHOES)
def test_the_derived_roads_do_not_know_the_sides(shoe: list[Mark]) -> None:
    other = {Winner.BANKER: Winner.PLAYER, Winner.PLAYER: Winner.BANKER, Winner.TIE: Winner.TIE}
    mirrored, shown = roads([Mark(other[mark.winner]) for mark in shoe]), roads(shoe)
    assert mirrored.derived == shown.derived
    assert mirrored.ask == {Side.BANKER: shown.ask[Side.PLAYER], Side.PLAYER: shown.ask[Side.BANKER]}


@given(SHOES)
def test_every_tie_is_on_the_big_road_or_waits(shoe: list[Mark]) -> None:
    big = big_road(shoe)
    ties = sum(mark.winner is Winner.TIE for mark in shoe)
    assert sum(cell.ties for cell in big.cells) + big.ties_waiting == ties
    decided = [mark for mark in shoe if mark.winner is not Winner.TIE]
    assert [cell.mark for cell in big.cells] == decided
    assert big.heights == tuple(len([*run]) for _, run in groupby(mark.winner for mark in decided))


def test_a_run_of_a_whole_day_is_a_tail() -> None:
    places = wrapped([100_000, 1])
    assert places[99_999] == (99_994, 5)
    assert places[100_000] == (1, 0)


def test_a_hundred_rounds_take_less_than_a_millisecond_a_road() -> None:
    shoe = read_marks(max(random_shoes(50, seed=8), key=len).ljust(100, "B"))
    assert len(shoe) == 100
    assert min(repeat(lambda: roads(shoe), number=1, repeat=50)) < 5 * 1e-3
