"""``punto restore``: restore a floor from its backup."""

from pathlib import Path

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.floor.upkeep.backup import restore
from punto.web.config import without_password


class RestoreOut(Struct):
    file: str
    restored: bool


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@db_option
@json_option
def command(file: Path, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Restore a floor from a backup FILE.

    The database must be empty; it can be SQLite or PostgreSQL. Sessions and tokens are not restored, because some may
    have been revoked since. Everybody signs in again.

    \b
    Example:
      punto restore monday.db --db punto.db
    """
    with refusing(as_json=as_json):
        restore(file, url)
    if as_json:
        print_json(RestoreOut(str(file), restored=True))
    else:
        click.echo(f"{file} is restored. `punto verify --db {without_password(url)}` checks it.")
