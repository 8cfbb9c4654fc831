"""``punto backup``: copy a whole floor into one file, while it runs."""

from pathlib import Path

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option, reading_database
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.upkeep.backup import backup


class BackupOut(Struct):
    file: str
    bytes: int


@click.command("backup")
@db_option
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def command(url: str, file: Path, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Copy a floor into FILE.

    The floor may be running. FILE is an SQLite file, also for a floor on PostgreSQL. It contains the sealed card order
    of every shoe in play: keep it as safe as the database.

    \b
    Examples:
      punto backup --db punto.db monday.db
      punto verify --db monday.db
    """
    with reading_database(url, as_json=as_json, output=file) as database:
        backup(database, file)
    size = file.stat().st_size
    if as_json:
        print_json(BackupOut(str(file), size))
    else:
        click.echo(f"{file}: {size} bytes. `punto verify --db {file}` checks it.")
