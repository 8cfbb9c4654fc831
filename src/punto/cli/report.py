"""``punto report``: the figures of a shift or a gaming day."""

import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction

import click

from punto.catalogue.values import write_percent
from punto.cli._shared.databases import db_option, reading_database
from punto.cli._shared.period import PeriodWords, period_options
from punto.cli._shared.terminal import json_option, print_json, print_table, right_aligned
from punto.floor.database.base import Database
from punto.floor.reports.days.report_lines import FiguresLine, ReportLines, write_report
from punto.floor.reports.days.report_tables import Part, report_table
from punto.floor.reports.days.shift_report import ShiftReport, make_report
from punto.floor.reports.file_formats import write_csv
from punto.floor.settings.floor_settings import find_settings
from punto.floor.settings.gaming_day import Period
from punto.rules.money import write_amount


@click.command("report")
@db_option
@period_options
@click.option("--table", default="", help="Only this table.")
@click.option(
    "--csv", "part", type=click.Choice([part.value for part in Part]), help="Print this part of the report as CSV."
)
@json_option
def command(
    url: str,
    period: PeriodWords,
    table: str,
    part: str | None,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Print the figures of a gaming day, a shift or any period.

    Without a period it is the current gaming day. Win, by count and by rounds, drop, hold, theoretical win and its
    standard deviations, turnover, insurance, by table, game and for the floor. With --csv or --json there is more:
    bets, players, dealers, voids and irregularities, counts and slips.

    Theoretical wins are exact and rounded only where they are printed, so rounded ones need not add up.

    \b
    Example:
      punto report --db punto.db --day 2026-11-17 --shift 2
    """
    now_us = time.time_ns() // 1_000
    with reading_database(url, as_json=as_json) as database:
        gaming_day = database.reading(find_settings).result().gaming_day
        whole = (period.since, period.until, period.day) != (None, None, None)
        wanted = period.read(database) if whole else gaming_day.period(gaming_day.day_of(now_us), period.shift)
        lines = write_report(_make(database, wanted, now_us, table))
    if part is not None:
        write_csv(sys.stdout, *report_table(lines, Part(part)))
    elif as_json:
        print_json(lines)
    else:
        _print(lines)


def _make(database: Database, period: Period, now_us: int, table: str) -> ShiftReport:
    """With a progress bar, if standard error is a terminal."""
    if not sys.stderr.isatty():
        return make_report(database, period, now_us, table)
    with click.progressbar(length=100, label="Openings of tables", file=sys.stderr) as bar:

        def show(done: int, openings: int) -> None:
            bar.update(100 * done // openings - bar.pos)

        return make_report(database, period, now_us, table, show)


def _print(report: ReportLines) -> None:
    if not report.figures:
        click.echo("No table was open.")
    for floor in report.of("floor"):
        lines = [
            each for each in report.figures if (each.currency, each.play_money) == (floor.currency, floor.play_money)
        ]
        click.echo(f"{floor.currency}{' (play money)' if floor.play_money else ''}")
        if not floor.play_money:
            _print_lines(_TRAY, lines)
        _print_lines(_PLAY, lines)
    if report.missing:
        click.echo("\nNot counted: " + ", ".join(f"{each.purpose} of {each.table}" for each in report.missing))


_Column = tuple[str, Callable[[FiguresLine], str]]


def _print_lines(columns: Sequence[_Column], lines: Sequence[FiguresLine]) -> None:
    rows = [["", *(name for name, _ in columns)]]
    rows += [[_name(line), *(write(line) for _, write in columns)] for line in lines]
    head, *rest = right_aligned(rows, 1)
    click.echo()
    print_table(rest, head)


def _name(line: FiguresLine) -> str:
    return line.table or line.game or "all tables"


def _amount(name: str) -> Callable[[FiguresLine], str]:
    return lambda line: "" if getattr(line, name) is None else write_amount(getattr(line, name))


def _number(name: str, form: str = "") -> Callable[[FiguresLine], str]:
    return lambda line: "" if getattr(line, name) is None else format(getattr(line, name), form)


_TRAY: tuple[_Column, ...] = (
    *((name, _amount(f"{name}_minor")) for name in ("opener", "fills", "credits", "closer", "drop", "vouchers")),
    ("box drop", _amount("box_drop_minor")),
    ("win by count", _amount("win_by_count_minor")),
    ("by rounds", _amount("win_minor")),
    ("difference", _amount("difference_minor")),
    ("hold", lambda line: "" if line.hold is None else write_percent(Fraction(line.hold))),
)
_PLAY: tuple[_Column, ...] = (
    ("rounds", _number("rounds")),
    ("an hour", _number("rounds_an_hour", ".1f")),
    ("turnover", _amount("turnover_minor")),
    ("win", _amount("table_win_minor")),
    ("by rounds", _amount("win_minor")),
    ("theoretical", _amount("theoretical_minor")),
    ("deviations", _number("deviations", "+.2f")),
    ("commission", _amount("commission_minor")),
    ("rounding", _amount("rounding_minor")),
    ("voids", _number("voids")),
)
