"""The roads as SVG: six rows, a given number of columns, the newest always visible.

The picture has no style: a style sheet gives fill and stroke to its classes. ``.road`` with ``.bead``, ``.big``,
``.big-eye-boy``, ``.small``, ``.cockroach-pig`` or ``.ask`` is the picture. In it are ``.grid`` and each ``.mark``,
with ``.banker``, ``.player``, ``.tie``, ``.red`` or ``.blue``, with its shape, ``.hollow``, ``.solid`` or ``.slash``,
and the newest with ``.last``. Within a mark are ``.letter`` (of the winner), ``.pair-banker``, ``.pair-player``,
``.tie-slash`` (the line through a cell of the big road) and ``.tie-count`` (how many, where more than one).
``.waiting`` are ties that have no cell yet. Nothing is told by colour alone: a blue mark has a ``.dot``.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from punto.board.layout import ROWS, Square, width
from punto.board.results import LETTERS
from punto.board.roads import Bead, BigCell, BigRoad, Colour, ColourCell, Derived, NextMarks
from punto.board.words import ask_label, bead_plate_label, big_road_label, derived_label
from punto.catalogue.sentence import Language, say
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refused

_CELL: Final = 20
"""The side of a square."""
_SHAPES: Final = {Derived.BIG_EYE_BOY: "hollow", Derived.SMALL_ROAD: "solid", Derived.COCKROACH_PIG: "slash"}
_KINDS: Final = {
    Derived.BIG_EYE_BOY: "big-eye-boy",
    Derived.SMALL_ROAD: "small",
    Derived.COCKROACH_PIG: "cockroach-pig",
}


def bead_plate_svg(beads: Sequence[Bead], columns: int, language: Language = "en") -> str:
    """The bead plate: a bead a round, with the winner's letter or character."""
    label = bead_plate_label([bead.mark for bead in beads], language)
    window = _Window(columns, (bead.place for bead in beads))
    body = (
        _mark([bead.mark.winner], _bead(bead, *window.corner(bead.place), language), last=bead is beads[-1])
        for bead in beads
        if window.shows(bead.place)
    )
    return _svg("bead", say("road.bead_plate", language), label, columns, ROWS, body)


def big_road_svg(big: BigRoad, columns: int, language: Language = "en") -> str:
    """The big road: a circle with its letter a decision, a line through it for a tie, a number for more ties."""
    window = _Window(columns, (cell.place for cell in big.cells))
    body = [
        _mark(
            [cell.mark.winner, "hollow"],
            _big_cell(cell, *window.corner(cell.place), language),
            last=cell is big.cells[-1],
        )
        for cell in big.cells
        if window.shows(cell.place)
    ]
    if big.ties_waiting:
        body.append(_mark(["tie", "waiting"], _ties_waiting(big.ties_waiting), last=True))
    return _svg("big", say("road.big_road", language), big_road_label(big, language), columns, ROWS, body)


def derived_svg(cells: Sequence[ColourCell], road: Derived, columns: int, language: Language = "en") -> str:
    """A derived road: hollow circles, solid circles or slashes, red and, with a dot, blue."""
    label = derived_label([cell.colour for cell in cells], road, language)
    window = _Window(columns, (cell.place for cell in cells))
    body = (
        _coloured(cell.colour, road, *window.corner(cell.place), last=cell is cells[-1])
        for cell in cells
        if window.shows(cell.place)
    )
    return _svg(_KINDS[road], say(f"road.{road}", language), label, columns, ROWS, body)


def ask_svg(marks: NextMarks, side: Side, language: Language = "en") -> str:
    """The marks that the next win of a side would add, one for each derived road."""
    body = (
        _coloured(colour, road, at * _CELL, 0) for at, (road, colour) in enumerate(marks.items()) if colour is not None
    )
    return _svg("ask", say(f"ask.{side}", language), ask_label(marks, side, language), len(marks), 1, body)


class _Window:
    """The visible columns: the last ones, if the road is wider."""

    def __init__(self, columns: int, places: Iterable[Square]) -> None:
        if columns < 1:
            raise Refused(Code.OUT_OF_RANGE, variant="columns", columns=columns)
        self._first = max(0, width(places) - columns)

    def shows(self, place: Square) -> bool:
        return place.column >= self._first

    def corner(self, place: Square) -> tuple[int, int]:
        """The upper left corner of a square."""
        return (place.column - self._first) * _CELL, place.row * _CELL


def _bead(bead: Bead, x: int, y: int, language: Language) -> Iterator[str]:
    yield _circle(x, y)
    yield _letter(bead, x, y, language)
    yield from _pairs(bead, x, y)


def _letter(cell: Bead | BigCell, x: int, y: int, language: Language) -> str:
    winner = cell.mark.winner
    letter = LETTERS[winner] if language == "en" else say(f"bet.{winner}", language)
    return f'<text class="letter" x="{x + 10}" y="{y + 14}">{escape(letter)}</text>'


def _big_cell(cell: BigCell, x: int, y: int, language: Language) -> Iterator[str]:
    yield _circle(x, y)
    yield _letter(cell, x, y, language)
    if cell.ties:
        yield from _ties(cell.ties, x, y)
    yield from _pairs(cell, x, y)


def _pairs(cell: Bead | BigCell, x: int, y: int) -> Iterator[str]:
    """Banker's pair is a dot above on the left, Player's below on the right."""
    if cell.mark.banker_pair:
        yield f'<circle class="pair-banker" cx="{x + 4}" cy="{y + 4}" r="3"/>'
    if cell.mark.player_pair:
        yield f'<circle class="pair-player" cx="{x + 16}" cy="{y + 16}" r="3"/>'


def _ties(ties: int, x: int, y: int) -> Iterator[str]:
    """A line through the cell, with a gap for the letter. The number of several is at its upper end."""
    lower, upper = f"M{x + 2} {y + 18}l5 -5", f"M{x + 13} {y + 7}l5 -5"
    yield f'<path class="tie-slash" d="{lower}{upper if ties == 1 else ""}"/>'
    if ties > 1:
        yield f'<text class="tie-count" x="{x + 16}" y="{y + 8}">{ties}</text>'


def _ties_waiting(ties: int) -> Iterator[str]:
    """A line through the first square, with a gap for the number."""
    if ties == 1:
        yield _slash(0, 0, ' class="tie-slash"')
    else:
        yield '<path class="tie-slash" d="M3 17l3 -3M14 6l3 -3"/>'
        yield f'<text class="tie-count" x="10" y="14">{ties}</text>'


def _coloured(colour: Colour, road: Derived, x: int, y: int, *, last: bool = False) -> str:
    shape = _SHAPES[road]
    drawn = [_slash(x, y) if shape == "slash" else _circle(x, y)]
    if colour is Colour.BLUE:
        drawn.append(f'<circle class="dot" cx="{x + 10}" cy="{y + 10}" r="3"/>')
    return _mark([colour, shape], drawn, last=last)


def _circle(x: int, y: int) -> str:
    return f'<circle cx="{x + 10}" cy="{y + 10}" r="8"/>'


def _slash(x: int, y: int, kind: str = "") -> str:
    return f'<line{kind} x1="{x + 4}" y1="{y + 16}" x2="{x + 16}" y2="{y + 4}"/>'


def _mark(classes: Sequence[str], drawn: Iterable[str], *, last: bool) -> str:
    return f'<g class="{" ".join(["mark", *classes, *(["last"] if last else [])])}">{"".join(drawn)}</g>'


def _svg(kind: str, title: str, label: str, columns: int, rows: int, body: Iterable[str]) -> str:
    right, bottom = columns * _CELL, rows * _CELL
    across = "".join(f"M0 {y}H{right}" for y in range(0, bottom + 1, _CELL))
    down = "".join(f"M{x} 0V{bottom}" for x in range(0, right + 1, _CELL))
    # half of a line on the edge lies outside the squares
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="road {kind}" viewBox="-1 -1 {right + 2} {bottom + 2}" '
        f'role="img" aria-label={quoteattr(label)} text-anchor="middle" font-size="12">'
        f"<title>{escape(title)}</title>"
        f'<path class="grid" d="{across}{down}"/>{"".join(body)}</svg>'
    )
