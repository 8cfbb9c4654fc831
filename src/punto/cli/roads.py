"""``punto roads``: draw the five roads and the ask road from the results of a shoe."""

import shutil
import sys
from collections.abc import Mapping

import click
from msgspec import Struct

from punto.board.layout import ROWS, Square, width
from punto.board.results import Mark, read_marks
from punto.board.roads import Bead, BigCell, BigRoad, Colour, ColourCell, Derived, NextMarks, Roads, roads
from punto.board.statistics import Statistics, statistics
from punto.catalogue.sentence import say
from punto.cli._shared.terminal import coloured, json_option, print_json, print_table, refusing
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side

Grid = Mapping[Square, tuple[str, str]]
"""For each filled square, its text and the key of its colour."""

_SIGNS = {Winner.BANKER: "庄", Winner.PLAYER: "闲", Winner.TIE: "和"}
# The derived roads' colours are shown like the sides' colours.
_COLOURS = {Colour.RED: Winner.BANKER, Colour.BLUE: Winner.PLAYER}


class BeadOut(Struct):
    """One round on the bead plate."""

    column: int
    row: int
    winner: Winner
    banker_pair: bool
    player_pair: bool


class BigCellOut(BeadOut):
    """One win on the big road, with the ties that followed it."""

    ties: int


class ColourOut(Struct):
    """One mark of a derived road."""

    column: int
    row: int
    colour: Colour


class LongestOut(Struct):
    banker: int
    player: int
    tie: int


class CountsOut(Struct):
    rounds: int
    banker: int
    player: int
    tie: int
    banker_pair: int
    player_pair: int
    longest: LongestOut


class RoadsOut(Struct):
    results: list[str]
    bead_plate: list[BeadOut]
    big_road: list[BigCellOut]
    big_eye_boy: list[ColourOut]
    small_road: list[ColourOut]
    cockroach_pig: list[ColourOut]
    ask: dict[Side, NextMarks]
    ties_waiting: int
    counts: CountsOut


@click.command("roads")
@click.argument("results", nargs=-1)
@json_option
def command(results: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001 - click's
    """Draw the five roads of a shoe from its RESULTS.

    Without RESULTS they are read from standard input. B is Banker, P is Player, T is a tie; add b or p for a Banker
    Pair or Player Pair. Spaces and line ends between results are optional.

    \b
    Example:
      punto roads B Pp T Bbp
    """
    with refusing(as_json=as_json):
        marks = read_marks(" ".join(results) if results else _standard_input())
        drawn, counts = roads(marks), statistics(marks)
        if as_json:
            print_json(_as_json(marks, drawn, counts))
        else:
            _print(drawn, counts)


def _standard_input() -> str:
    """Bytes that are not UTF-8 become replacement characters, which are then refused as results."""
    return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")


def _as_json(marks: tuple[Mark, ...], drawn: Roads, counts: Statistics) -> RoadsOut:
    return RoadsOut(
        results=[*map(str, marks)],
        bead_plate=[_bead_out(bead) for bead in drawn.bead_plate],
        big_road=[_big_cell_out(cell) for cell in drawn.big_road.cells],
        big_eye_boy=_colours_out(drawn.derived[Derived.BIG_EYE_BOY]),
        small_road=_colours_out(drawn.derived[Derived.SMALL_ROAD]),
        cockroach_pig=_colours_out(drawn.derived[Derived.COCKROACH_PIG]),
        ask=drawn.ask,
        ties_waiting=drawn.big_road.ties_waiting,
        counts=CountsOut(
            rounds=counts.rounds,
            banker=counts.banker,
            player=counts.player,
            tie=counts.tie,
            banker_pair=counts.banker_pair,
            player_pair=counts.player_pair,
            longest=LongestOut(counts.longest_banker, counts.longest_player, counts.longest_tie),
        ),
    )


def _bead_out(bead: Bead) -> BeadOut:
    mark = bead.mark
    return BeadOut(*bead.place, mark.winner, mark.banker_pair, mark.player_pair)


def _big_cell_out(cell: BigCell) -> BigCellOut:
    mark = cell.mark
    return BigCellOut(*cell.place, mark.winner, mark.banker_pair, mark.player_pair, cell.ties)


def _colours_out(cells: tuple[ColourCell, ...]) -> list[ColourOut]:
    return [ColourOut(*cell.place, cell.colour) for cell in cells]


def _print(drawn: Roads, counts: Statistics) -> None:
    _print_grid(_name("bead_plate"), _beads(drawn.bead_plate))
    _print_grid(_name("big_road"), _big_cells(drawn.big_road))
    for road, cells in drawn.derived.items():
        grid = {cell.place: (cell.colour[0], _COLOURS[cell.colour]) for cell in cells}
        _print_grid(f"{_name(road)} (r red, b blue)", grid)
    click.secho("Ask road: what the next win would mark", bold=True)
    sides = (Side.BANKER, Side.PLAYER)
    rows = [[_name(road), *(_colour(drawn.ask[side][road]) for side in sides)] for road in Derived]
    print_table(rows, ["", *(_winner(Winner(side)) for side in sides)])
    click.echo()
    click.secho("Counts", bold=True)
    won = [
        [coloured(_winner(winner), winner), str(times), str(longest)]
        for winner, times, longest in (
            (Winner.BANKER, counts.banker, counts.longest_banker),
            (Winner.PLAYER, counts.player, counts.longest_player),
            (Winner.TIE, counts.tie, counts.longest_tie),
        )
    ]
    pairs = [["Banker Pair", str(counts.banker_pair), ""], ["Player Pair", str(counts.player_pair), ""]]
    print_table([*won, *pairs, ["rounds", str(counts.rounds), ""]], ["", "won", "longest run"])


def _beads(beads: tuple[Bead, ...]) -> Grid:
    return {bead.place: (str(bead.mark), bead.mark.winner) for bead in beads}


def _big_cells(big: BigRoad) -> Grid:
    """One tie is a stroke after the mark; several ties add their number."""
    grid = {cell.place: (f"{cell.mark}{_strokes(cell.ties)}", str(cell.mark.winner)) for cell in big.cells}
    return grid or ({Square(0, 0): (_strokes(big.ties_waiting), Winner.TIE)} if big.ties_waiting else {})


def _strokes(ties: int) -> str:
    return "" if not ties else "/" if ties == 1 else f"/{ties}"


def _print_grid(name: str, grid: Grid) -> None:
    """Print a road square by square. A terminal shows only as many of the last columns as fit."""
    columns = width(grid)
    size = max((len(text) for text, _ in grid.values()), default=1)
    room = max((shutil.get_terminal_size().columns - 2) // (size + 1), 1) if sys.stdout.isatty() else columns
    first = max(columns - room, 0)
    click.secho(f"{name}, the last {room} of {columns} columns" if first else name, bold=True)
    if not grid:
        click.echo("  nothing yet\n")
        return
    for row in range(ROWS):
        cells = []
        for column in range(first, columns):
            text, key = grid.get(Square(column, row), (".", ""))
            cells.append(coloured(text, key) + " " * (size - len(text)))
        click.echo(f"  {' '.join(cells)}".rstrip())
    click.echo()


def _name(road: str) -> str:
    return f"{say(f'road.{road}', 'en')} {say(f'road.{road}', 'zh')}"


def _winner(winner: Winner) -> str:
    return f"{_SIGNS[winner]} {say(f'bet.{winner}')}"


def _colour(colour: Colour | None) -> str:
    return "-" if colour is None else coloured(colour, _COLOURS[colour])
