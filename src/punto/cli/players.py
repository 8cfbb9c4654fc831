"""``punto players``: the house's register of players."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
from msgspec import UNSET, Struct

from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.floor.database import open_database
from punto.rules.refusals import needing

if TYPE_CHECKING:
    from punto.floor.house.projections.players import Player
    from punto.floor.journal.actor import Actor
    from punto.floor.people.players import Players


class ErasedOut(Struct):
    id: str
    erased: bool = True


@click.group("players")
def command() -> None:
    """Manage the register of players.

    Tables and journals name a registered player by an id such as P000001. Name, card number and notes are only in the
    register, where they can be erased. Anybody who can write to the database may use these commands, whether the floor
    is running or not. Each change is recorded as made at the console.

    \b
    Examples:
      punto players add --db punto.db "Ann Li" --card 7001
      punto players list --db punto.db ann
      punto players erase --db punto.db P000001
    """


@command.command("list")
@click.argument("text", default="")
@click.option("--most", type=click.IntRange(1, 500), default=50, show_default=True, help="Maximum number of players.")
@click.option("--after", metavar="ID", default="", help="Only players after this id: the last of the page before.")
@db_option
@json_option
def list_players(text: str, most: int, after: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """List players, or those that TEXT finds.

    TEXT is part of a name, or a whole id or card number.
    """
    with _register(url, as_json=as_json) as (players, console):
        found = asyncio.run(players.search(console, text, most, after))
    if as_json:
        print_json(found)
    elif found:
        print_table([(each.id, each.name, each.card or "") for each in found], ("id", "name", "card"))
    else:
        click.echo("No players found.")


@command.command("add")
@click.argument("name")
@click.option("--card", help="Number of the player's card.")
@click.option("--notes", default="", help="Notes about the player.")
@db_option
@json_option
def add(name: str, card: str | None, notes: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Register NAME and print the new id."""
    with _register(url, as_json=as_json, to_change=True) as (players, console):
        player = asyncio.run(players.register(console, name, card, notes))
    _print_player(player, as_json=as_json)


@command.command("show")
@click.argument("player", metavar="ID")
@db_option
@json_option
def show(player: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Show what the register has about a player."""
    with _register(url, as_json=as_json) as (players, console):
        found = asyncio.run(players.find(console, player))
    _print_player(found, as_json=as_json)


@command.command("change")
@click.argument("player", metavar="ID")
@click.option("--name", help="New name.")
@click.option("--card", help="New card number.")
@click.option("--no-card", is_flag=True, help="The player has no card any more.")
@click.option("--notes", help="New notes, which replace the old ones.")
@db_option
@json_option
def change(
    player: str,
    name: str | None,
    card: str | None,
    no_card: bool,  # noqa: FBT001 - click's
    notes: str | None,
    url: str,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Change the name, card number or notes of a player.

    What no option names stays as it is.
    """
    if card is not None and no_card:
        raise click.UsageError("--card and --no-card cannot be used together.")
    if (name, card, no_card, notes) == (None, None, False, None):
        raise click.UsageError("Give --name, --card, --no-card or --notes.")
    with _register(url, as_json=as_json, to_change=True) as (players, console):
        changed = asyncio.run(
            players.change(
                console,
                player,
                name=UNSET if name is None else name,
                card=UNSET if card is None and not no_card else card,
                notes=UNSET if notes is None else notes,
            )
        )
    _print_player(changed, as_json=as_json)


@command.command("erase")
@click.argument("player", metavar="ID")
@db_option
@json_option
def erase(player: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Erase the name, card number and notes of a player.

    This cannot be undone. The id stays in the journal and is never given again.
    """
    with _register(url, as_json=as_json, to_change=True) as (players, console):
        asyncio.run(players.erase(console, player))
    if as_json:
        print_json(ErasedOut(player))
    else:
        click.echo(f"{player}: erased")


# ---- shared by the commands above


@contextmanager
def _register(url: str, *, as_json: bool, to_change: bool = False) -> Iterator[tuple["Players", "Actor"]]:
    with refusing(as_json=as_json):
        with needing("serve"):
            from punto.floor.house.house_log import HouseLog  # noqa: PLC0415 - help is quick
            from punto.floor.house.signing import open_to_sign  # noqa: PLC0415 - help is quick
            from punto.floor.people.accounts.accounts import THE_CONSOLE  # noqa: PLC0415 - an extra
            from punto.floor.people.players import Players  # noqa: PLC0415 - help is quick
        database = open_database(url, create=False)
        try:
            if to_change:
                open_to_sign(database)
            yield Players(HouseLog(database)), THE_CONSOLE
        finally:
            database.close()


def _print_player(player: "Player", *, as_json: bool) -> None:
    if as_json:
        print_json(player)
        return
    registered = datetime.fromtimestamp(player.registered_us // 1_000_000, UTC)
    click.echo(f"{player.id}  {click.style(player.name, bold=True)}")
    click.echo(f"  registered {registered:%Y-%m-%d %H:%M} UTC")
    if player.card:
        click.echo(f"  card {player.card}")
    for line in (player.notes or "").splitlines():
        click.echo(f"  {line}")
