"""The figures of bets and insurance cells in JSON output."""

from msgspec import UNSET, Struct, UnsetType

from punto.cli._shared.insurance_cells import CellOut
from punto.odds.figures import BetFigures, CellFigures, LineFigures
from punto.rules.refusals import Clause


class LineOut(Struct, omit_defaults=True):
    """One pay line of a bet, or the losing rest."""

    result: str
    chance: str
    chance_float: float
    clauses: tuple[Clause, ...]
    odds: str | UnsetType = UNSET
    commission: str | UnsetType = UNSET


class BetFiguresOut(Struct, omit_defaults=True):
    """The last four fields only with ``--lines``."""

    edge: str
    hit: str
    edge_float: float
    hit_float: float
    std: float
    push: str | UnsetType = UNSET
    lose: str | UnsetType = UNSET
    variance: str | UnsetType = UNSET
    lines: list[LineOut] | UnsetType = UNSET


class CellFiguresOut(CellOut):
    odds: str
    offered: str
    win: str
    push: str
    lose: str
    edge: str
    edge_float: float


def bet_out(bet: BetFigures, *, lines: bool) -> BetFiguresOut:
    out = BetFiguresOut(str(bet.edge), str(bet.win), float(bet.edge), float(bet.win), bet.std)
    if lines:
        out.push, out.lose, out.variance = str(bet.push), str(bet.lose), str(bet.variance)
        out.lines = [_line_out(line) for line in bet.lines]
    return out


def _line_out(line: LineFigures) -> LineOut:
    out = LineOut(line.result, str(line.chance), float(line.chance), line.clauses)
    if line.odds is not None:
        out.odds = line.odds
    if line.commission is not None:
        out.commission = str(line.commission)
    return out


def cell_out(cell: CellFigures) -> CellFiguresOut:
    chances = (str(cell.offered), str(cell.win), str(cell.push), str(cell.lose))
    points = (cell.player, cell.banker)
    return CellFiguresOut(cell.stage, cell.side, *points, cell.odds, *chances, str(cell.edge), float(cell.edge))
