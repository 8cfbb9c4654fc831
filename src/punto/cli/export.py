"""``punto export``: write the rounds, bets, rulings, reports or exceptions of a period to a file."""

import sys
from pathlib import Path

import click
from msgspec import Struct

from punto.catalogue.values import write_count
from punto.cli._shared.databases import db_option, reading_database
from punto.cli._shared.period import PeriodWords, period_options
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.database.base import Database
from punto.floor.reports.export import What, count_reads, export_rows
from punto.floor.reports.file_formats import Format, write_export
from punto.floor.settings.gaming_day import Period


class ExportOut(Struct):
    file: str
    what: What
    format: Format
    rows: int


@click.command("export")
@db_option
@click.option("--what", type=click.Choice([what.value for what in What]), required=True, help="What to export.")
@period_options
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in Format]),
    default="csv",
    show_default=True,
    help="File format.",
)
@click.option("--out", "file", type=click.Path(path_type=Path), required=True, help="File to write.")
@json_option
def command(
    url: str,
    what: str,
    period: PeriodWords,
    form: str,
    file: Path,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Export rounds, bets, rulings, reports or exceptions to a file.

    A round belongs to the period in which it ended, everything else to the time at which it happened.

    \b
    rounds   every round that ended, with its cards and totals
    bets     every bet and insurance of these rounds, with its result
    rulings  irregularities and rulings: by whom and by which clauses
    players  one line per player: turnover, theoretical win, actual win
    tables   the same per table
    exceptions
             starts of the server and what they voided, altered shoes, locked accounts and PINs

    \b
    Example:
      punto export --db punto.db --what rounds --day 2026-03-01 --out rounds.csv
    """
    with reading_database(url, as_json=as_json, output=file) as database:
        written = _export(database, What(what), period.read(database), file, Format(form))
    if as_json:
        print_json(ExportOut(str(file), What(what), Format(form), written))
    else:
        click.echo(f"{file}: {write_count(written, 'row')}")


def _export(database: Database, what: What, period: Period, file: Path, form: Format) -> int:
    """Write the file with a progress bar, if standard error is a terminal. Return the number of rows."""
    if not sys.stderr.isatty():
        return write_export(file, *export_rows(database, what, period), form)
    with click.progressbar(length=count_reads(database, what), label="Entries", file=sys.stderr) as bar:
        return write_export(file, *export_rows(database, what, period, progress=bar.update), form)
