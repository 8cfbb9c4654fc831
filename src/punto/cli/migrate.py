"""``punto migrate``: an older database for this release."""

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.floor.upkeep.migration import migrate


class MigratedOut(Struct):
    """Which schema it had, and which it has, as programs read it."""

    was: int
    schema: int


@click.command("migrate")
@db_option
@json_option
def command(url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Bring the database of an older release up to this one, all of it or nothing.

    End the floor first; keep a backup. A database that is up to date stays as it is.
    """
    with refusing(as_json=as_json):
        was, schema = migrate(url)
    if as_json:
        print_json(MigratedOut(was, schema))
    elif was == schema:
        click.echo(f"The database has schema {schema} already.")
    else:
        click.echo(f"The database had schema {was} and has {schema} now.")
