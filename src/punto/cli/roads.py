"""``punto roads``: the results of a shoe in, the five roads and the ask road out."""

import shutil
import sys
from collections.abc import Mapping

import click
from msgspec import Struct

from punto.board.layout import ROWS, Place, width
from punto.board.results import Mark, read_marks
from punto.board.roads import Asked, Bead, BigCell, BigRoad, Colour, ColourCell, Derived, Roads, roads
from punto.board.statistics import Statistics, statistics
from punto.catalogue.sentence import say
from punto.cli._shared.terminal import coloured, json_option, print_json, print_table, refusing
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side

Grid = Mapping[Place, tuple[str, str]]
"""For each square that is taken, what stands there and whose colour it has."""

_SIGNS = {Winner.BANKER: "庄", Winner.PLAYER: "閒", Winner.TIE: "和"}
_COLOURS = {Colour.RED: Winner.BANKER, Colour.BLUE: Winner.PLAYER}
"""A terminal shows the colours of the derived roads as it shows the sides'."""


class BeadOut(Struct):
    """A round on the bead plate."""

    column: int
    row: int
    winner: Winner
    banker_pair: bool
    player_pair: bool


class BigCellOut(BeadOut):
    """A decision on the big road."""

    ties: int


class ColourOut(Struct):
    """A mark of a derived road."""

    column: int
    row: int
    colour: Colour


class LongestOut(Struct):
    """The longest runs."""

    banker: int
    player: int
    tie: int


class CountsOut(Struct):
    """The counts of a shoe, as far as written results tell."""

    rounds: int
    banker: int
    player: int
    tie: int
    banker_pair: int
    player_pair: int
    longest: LongestOut


class RoadsOut(Struct):
    """The roads as programs read them."""

    results: list[str]
    bead_plate: list[BeadOut]
    big_road: list[BigCellOut]
    big_eye_boy: list[ColourOut]
    small_road: list[ColourOut]
    cockroach_pig: list[ColourOut]
    ask: dict[Side, Asked]
    ties_waiting: int
    counts: CountsOut


@click.command("roads")
@click.argument("results", nargs=-1)
@json_option
def command(results: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001 - click's
    """The five roads of a shoe's RESULTS, such as "B Pp T Bbp"; without RESULTS, of those on standard input.

    B is Banker, P is Player, T is a tie; b or p after it is Banker's or Player's pair. There may be blanks and line
    ends between results, and need not be.
    """
    with refusing(as_json=as_json):
        marks = read_marks(" ".join(results) if results else _standard_input())
        shown, counts = roads(marks), statistics(marks)
        if as_json:
            print_json(_as_json(marks, shown, counts))
        else:
            _print(shown, counts)


def _standard_input() -> str:
    """What is no text is no result either, and is refused as such."""
    return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")


def _as_json(marks: tuple[Mark, ...], shown: Roads, counts: Statistics) -> RoadsOut:
    return RoadsOut(
        results=[*map(str, marks)],
        bead_plate=[_bead_out(bead) for bead in shown.bead_plate],
        big_road=[_big_cell_out(cell) for cell in shown.big_road.cells],
        big_eye_boy=_colours_out(shown.derived[Derived.BIG_EYE_BOY]),
        small_road=_colours_out(shown.derived[Derived.SMALL_ROAD]),
        cockroach_pig=_colours_out(shown.derived[Derived.COCKROACH_PIG]),
        ask=shown.ask,
        ties_waiting=shown.big_road.ties_waiting,
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


def _print(shown: Roads, counts: Statistics) -> None:
    _print_grid(_name("bead_plate"), _beads(shown.bead_plate))
    _print_grid(_name("big_road"), _big_cells(shown.big_road))
    for road, cells in shown.derived.items():
        grid = {cell.place: (cell.colour[0], _COLOURS[cell.colour]) for cell in cells}
        _print_grid(f"{_name(road)} (r red, b blue)", grid)
    click.secho("Ask road: what the next win would mark", bold=True)
    sides = (Side.BANKER, Side.PLAYER)
    rows = [[_name(road), *(_asked(shown.ask[side][road]) for side in sides)] for road in Derived]
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
    """A tie is a stroke through the cell, more ties have their number."""
    grid = {cell.place: (f"{cell.mark}{_strokes(cell.ties)}", str(cell.mark.winner)) for cell in big.cells}
    return grid or ({Place(0, 0): (_strokes(big.ties_waiting), Winner.TIE)} if big.ties_waiting else {})


def _strokes(ties: int) -> str:
    return "" if not ties else "/" if ties == 1 else f"/{ties}"


def _print_grid(name: str, grid: Grid) -> None:
    """A road square by square; in a terminal only the last columns, as many as there is room for."""
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
            text, key = grid.get(Place(column, row), (".", ""))
            cells.append(coloured(text, key) + " " * (size - len(text)))
        click.echo(f"  {' '.join(cells)}".rstrip())
    click.echo()


def _name(road: str) -> str:
    return f"{say(f'road.{road}', {}, 'en')} {say(f'road.{road}', {}, 'zh')}"


def _winner(winner: Winner) -> str:
    return f"{_SIGNS[winner]} {say(f'bet.{winner}', {})}"


def _asked(colour: Colour | None) -> str:
    return "-" if colour is None else coloured(colour, _COLOURS[colour])
