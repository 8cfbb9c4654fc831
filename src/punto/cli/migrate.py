"""``punto migrate``: bring an older database up to date."""

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.floor.upkeep.migration import migrate


class MigratedOut(Struct):
    """Schema versions before and after."""

    was: int
    schema: int


@click.command("migrate")
@db_option
@json_option
def command(url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Bring the database of an older release up to date.

    Stop the floor and make a backup first. If the migration fails, the database is unchanged. A database that is up
    to date is left alone.
    """
    with refusing(as_json=as_json):
        was, schema = migrate(url)
    if as_json:
        print_json(MigratedOut(was, schema))
    elif was == schema:
        click.echo(f"Already up to date: schema {schema}.")
    else:
        click.echo(f"Migrated from schema {was} to {schema}.")
