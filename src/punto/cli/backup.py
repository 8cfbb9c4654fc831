"""``punto backup``: copy a whole floor into one file, while it runs."""

from pathlib import Path

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option, reading_database
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.database.schema import VERSION
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
    of every shoe in play: keep it as safe as the database. The database of an older release is copied as it is.

    \b
    Examples:
      punto backup --db punto.db monday.db
      punto verify --db monday.db
    """
    with reading_database(url, as_json=as_json, output=file, older=True) as database:
        schema = backup(database, file)
    size = file.stat().st_size
    if as_json:
        print_json(BackupOut(str(file), size))
    elif schema < VERSION:
        click.echo(f"{file}: {size} bytes, schema {schema}. `punto restore` migrates it to schema {VERSION}.")
    else:
        click.echo(f"{file}: {size} bytes. `punto verify --db {file}` checks it.")
