"""The parts of a report as tables of columns and rows, for CSV."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from punto.floor.reports.days.report_lines import BetLine, DealerLine, FiguresLine, FindingLine, PlayerLine, ReportLines
from punto.floor.reports.days.tray_sums import CountLine, SlipLine
from punto.floor.reports.file_formats import Column, ColumnKind, Rows


class Part(StrEnum):
    FIGURES = "figures"
    BETS = "bets"
    PLAYERS = "players"
    DEALERS = "dealers"
    VOIDS = "voids"
    FINDINGS = "findings"
    COUNTS = "counts"
    SLIPS = "slips"


_SCOPE = ("scope", "table", "currency", "play_money")
_LINES: dict[Part, type[Struct]] = {
    Part.FIGURES: FiguresLine,
    Part.BETS: BetLine,
    Part.PLAYERS: PlayerLine,
    Part.DEALERS: DealerLine,
    Part.VOIDS: FindingLine,
    Part.FINDINGS: FindingLine,
    Part.COUNTS: CountLine,
    Part.SLIPS: SlipLine,
}


def report_table(report: ReportLines, part: Part) -> tuple[tuple[Column, ...], Rows]:
    """One part of a report. Bets start with the columns that say whose they are."""
    if part is Part.BETS:
        columns = (*_columns(FiguresLine, _SCOPE), *_columns(BetLine))
        return columns, [(*_row(line, _SCOPE), *_row(bet)) for line in report.figures for bet in line.bets_by_kind]
    return _columns(_LINES[part]), [_row(line) for line in getattr(report, part)]


def _columns(kind: type[Struct], names: Sequence[str] = ()) -> tuple[Column, ...]:
    return tuple(
        (each.name.removesuffix("_minor").removesuffix("_us"), _kind(each.name, each.type))
        for each in fields(kind)
        if each.name in (names or _written(kind))
    )


def _kind(name: str, type_: object) -> ColumnKind:
    if name.endswith("_minor"):
        return ColumnKind.AMOUNT
    if name.endswith("_us"):
        return ColumnKind.MOMENT
    return ColumnKind.NUMBER if type_ in (int, float | None) else ColumnKind.TEXT


def _row(line: Struct, names: Sequence[str] = ()) -> tuple[Any, ...]:
    return tuple(_value(getattr(line, name)) for name in names or _written(type(line)))


def _written(kind: type[Struct]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name != "bets_by_kind")


def _value(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else ""
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
