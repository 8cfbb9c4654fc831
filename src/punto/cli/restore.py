"""``punto restore``: restore a floor from its backup."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.rules.refusals import needing
from punto.web.config import without_password

if TYPE_CHECKING:
    from punto.floor.upkeep.restorers import Credentials


class RestoreOut(Struct):
    file: str
    restored: bool


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@db_option
@click.option("--alone", default="", metavar="REASON", help="Restore without a second person, and why. On record.")
@json_option
def command(file: Path, url: str, alone: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Restore a floor from a backup FILE.

    The database must be empty; it can be SQLite or PostgreSQL. Asks for the names and passwords of two people who are
    administrator or shift manager in the backup, or takes a reason with --alone. Without a terminal it reads name,
    password, name, password from standard input, one a line.

    Sessions and tokens are not restored, because some may have been revoked since. Everybody signs in again. The next
    start ends every sealed shoe in play, because somebody may know the order of its cards.

    \b
    Example:
      punto restore monday.db --db punto.db
    """
    with refusing(as_json=as_json):
        with needing("serve"):
            from punto.floor.upkeep.backup import restore  # noqa: PLC0415 - an extra
            from punto.floor.upkeep.restorers import Credentials, Restorers  # noqa: PLC0415 - an extra
        people = () if alone else tuple(_ask(number, Credentials) for number in ("First", "Second"))
        restore(file, url, Restorers(people, alone))
    if as_json:
        print_json(RestoreOut(str(file), restored=True))
    else:
        click.echo(f"{file} is restored. `punto verify --db {without_password(url)}` checks it.")


def _ask(which: str, kind: "type[Credentials]") -> "Credentials":
    if sys.stdin.isatty():
        name = click.prompt(f"{which} person's name", err=True)
        return kind(name, click.prompt("Password", hide_input=True, err=True))
    return kind(sys.stdin.readline().rstrip("\n"), sys.stdin.readline().rstrip("\n"))
