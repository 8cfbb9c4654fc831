"""``punto export``: rounds, bets, rulings and reports of a period."""

from pathlib import Path

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option, reading
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.reports.export import What, export_rows, read_period
from punto.floor.reports.file_formats import Format, write_export


class ExportOut(Struct):
    """An export, as programs read it."""

    file: str
    what: What
    format: Format
    rows: int


@click.command("export")
@db_option
@click.option("--what", type=click.Choice([what.value for what in What]), required=True, help="What to export.")
@click.option("--from", "since", help="The first day or moment, ISO 8601; UTC where it does not say otherwise.")
@click.option("--to", "until", help="The last day, or the moment before which it ends.")
@click.option(
    "--format", "form", type=click.Choice([form.value for form in Format]), default="csv", help="CSV if not said."
)
@click.option("--out", "file", type=click.Path(path_type=Path), required=True, help="The file to write.")
@json_option
def command(
    url: str,
    what: str,
    since: str | None,
    until: str | None,
    form: str,
    file: Path,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Write what happened in a period: a round counts when it ends, everything else when it happens.

    \b
    rounds   every round that ended, with its cards and totals
    bets     every bet and insurance of these rounds, and what became of it
    rulings  whatever went wrong or was ruled, by whom and by which clauses
    players  a line a player: turnover, theoretical win by the exact edges, actual win
    tables   the same for each table
    """
    with reading(url, as_json=as_json, output=file) as database:
        columns, rows = export_rows(database, What(what), read_period(since, until))
        written = write_export(file, columns, rows, Format(form))
    if as_json:
        print_json(ExportOut(str(file), What(what), Format(form), written))
    else:
        click.echo(f"{file}: {written} rows")
