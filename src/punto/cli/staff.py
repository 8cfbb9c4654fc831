"""``punto staff``: the staff's accounts, tokens for machines, and whether visitors may enter."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
from msgspec import UNSET, Struct, UnsetType

from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.floor.database import Database, open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.positions import ASSIGNABLE, FOR_MACHINES, OFF, position_of
from punto.rules.money import read_amount, write_amount
from punto.rules.refusals import needing
from punto.table.records.positions import Position

if TYPE_CHECKING:
    from punto.floor.people.accounts import AccountLine
    from punto.floor.people.floor_rules import FloorRules


class SecretOut(Struct, omit_defaults=True):
    """A password or a token that is told once."""

    name: str
    position: str | None = None
    password: str | None = None
    token: str | None = None
    administrator_password: str | None = None
    """Of the account that a first start creates beside it."""


class RulesOut(Struct):
    """What visitors are allowed."""

    visitors: bool
    buy_in: str
    buy_ins: int
    tables: tuple[str, ...]
    boxes: int
    administrator_password: str | UnsetType = UNSET
    """As above."""


_POSITIONS = [*(position.value for position in ASSIGNABLE), OFF]


@click.group("staff")
def command() -> None:
    """Who works on a floor: accounts, positions for the shift, passwords, sessions, tokens.

    Whoever can write to the database may do all of this, while the floor runs or not; each change is on record
    as the console's.
    """


@command.command("add")
@click.argument("name")
@click.option("--position", type=click.Choice(_POSITIONS), default=OFF, help="For this shift; off if not said.")
@db_option
@json_option
def add(name: str, position: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """An account for NAME, with a one-time password. The first one creates the floor and its administrator."""
    with _writing_desk(url, as_json=as_json, create=True) as desk:
        password = asyncio.run(desk.accounts.create(desk.console, name, position_of(position)))
    if as_json:
        print_json(SecretOut(name, position, password, administrator_password=desk.first))
    else:
        _tell(name, position, "One-time password", password)


@command.command("assign")
@click.argument("name")
@click.argument("position", type=click.Choice(_POSITIONS))
@db_option
@json_option
def assign(name: str, position: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """The POSITION that NAME holds this shift, or off. It counts at once, in every open session."""
    with _writing_desk(url, as_json=as_json) as desk:
        asyncio.run(desk.accounts.assign(desk.console, name, position_of(position)))
    if as_json:
        print_json(SecretOut(name, position, administrator_password=desk.first))
    else:
        click.echo(f"{name}: {position}")


@command.command("password")
@click.argument("name")
@db_option
@json_option
def password(name: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """A new one-time password for NAME, who is signed out everywhere and no longer locked out."""
    with _writing_desk(url, as_json=as_json) as desk:
        once = asyncio.run(desk.accounts.reset_password(desk.console, name))
    if as_json:
        print_json(SecretOut(name, password=once, administrator_password=desk.first))
    else:
        _tell(name, None, "One-time password", once)


@command.command("revoke")
@click.argument("name")
@db_option
@json_option
def revoke(name: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """End every session and every token of NAME; a visitor's visit is over, and their chips go back."""
    with _writing_desk(url, as_json=as_json) as desk:
        asyncio.run(desk.accounts.revoke(desk.console, name))
    if as_json:
        print_json(SecretOut(name, administrator_password=desk.first))
    else:
        click.echo(f"{name}: signed out everywhere")


@command.command("token")
@click.argument("name")
@click.option(
    "--position",
    type=click.Choice([position.value for position in FOR_MACHINES]),
    required=True,
    help="In which the machine acts.",
)
@click.option("--days", type=int, default=365, show_default=True, help="How long it holds.")
@db_option
@json_option
def token(name: str, position: str, days: int, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """A token for the machine NAME, which has an account of its own and no password."""
    with _writing_desk(url, as_json=as_json) as desk:
        issued = asyncio.run(desk.accounts.issue_token(desk.console, name, Position(position), days))
    if as_json:
        print_json(SecretOut(name, position, token=issued, administrator_password=desk.first))
    else:
        _tell(name, position, "Token", issued)


@command.command("list")
@db_option
@json_option
def list_accounts(url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """All accounts: position, open sessions, who has a one-time password, who is locked out."""
    with _desk(url, as_json=as_json) as desk:
        lines = asyncio.run(desk.accounts.list(desk.console))
    if as_json:
        print_json(lines)
    else:
        head = ("name", "position", "sessions", "")
        print_table([(line.name, line.position, str(line.sessions), _remarks(line)) for line in lines], head)


@command.command("visitors")
@click.option("--allow/--forbid", "allowed", default=None, help="Whether visitors may enter.")
@click.option("--buy-in", help="The play money that a visitor gets, in whole currency units.")
@click.option("--times", type=int, help="How often a day at one table; again only when nothing is left.")
@click.option("--boxes", type=int, help="At how many boxes of one table a visitor may sit.")
@click.option("--table", "tables", multiple=True, help="A table that is played for play money; may be repeated.")
@click.option("--no-tables", is_flag=True, help="Play money at no table from now on.")
@db_option
@json_option
def visitors(  # noqa: PLR0913, PLR0917 - click's
    allowed: bool | None,  # noqa: FBT001 - click's
    buy_in: str | None,
    times: int | None,
    boxes: int | None,
    tables: tuple[str, ...],
    no_tables: bool,  # noqa: FBT001 - click's
    url: str,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """What visitors are allowed; with options: what they are allowed from now on. What is not said stays."""
    asked = (allowed, buy_in, times, boxes, tables, no_tables) != (None, None, None, None, (), False)
    from punto.floor.people.floor_rules import change_floor_rules, read_floor_rules  # noqa: PLC0415 - help is quick

    with (_writing_desk if asked else _desk)(url, as_json=as_json) as desk:
        rules = asyncio.run(read_floor_rules(desk.log.database))
        if tables and no_tables:
            raise FloorRefused(FloorCode.BAD_FLOOR_RULES, variant="options")
        if asked:
            rules = type(rules)(
                rules.visitors if allowed is None else allowed,
                rules.buy_in_minor if buy_in is None else read_amount(buy_in),
                rules.buy_ins if times is None else times,
                () if no_tables else tables or rules.tables,
                rules.boxes if boxes is None else boxes,
            )
            asyncio.run(change_floor_rules(desk.log, desk.console, rules))
    _print_rules(rules, desk.first, as_json=as_json)


# ---- what they have alike


class _Desk:
    """Those who look after a floor's people; all of it needs an extra, and the help does not."""

    def __init__(self, database: Database) -> None:
        with needing("serve"):
            from punto.floor.journal.house_log import HouseLog  # noqa: PLC0415 - help is quick
            from punto.floor.people.accounts import THE_CONSOLE, Accounts  # noqa: PLC0415 - an extra
        self.console = THE_CONSOLE
        self.log = HouseLog(database)
        self.accounts = Accounts(self.log)
        self.first: str | None = None
        """The administrator's one-time password, where the account has just been created."""


@contextmanager
def _desk(url: str, *, as_json: bool, create: bool = False) -> Iterator[_Desk]:
    with refusing(as_json=as_json):
        database = open_database(url, create=create)
        try:
            yield _Desk(database)
        finally:
            database.close()


@contextmanager
def _writing_desk(url: str, *, as_json: bool, create: bool = False) -> Iterator[_Desk]:
    """A desk that changes something: nobody does before the floor has an administrator."""
    with _desk(url, as_json=as_json, create=create) as desk:
        desk.first = asyncio.run(desk.accounts.first_start())
        if desk.first is not None:  # at once: whatever is refused next, this account is there
            _tell("administrator", "administrator", "One-time password", desk.first, aside=as_json)
        yield desk


def _tell(name: str, position: str | None, what: str, secret: str, *, aside: bool = False) -> None:
    """A secret, for the one time that it is shown; aside of what a program reads."""
    click.echo(f"{name} ({position})" if position else name, err=aside)
    click.echo(f"  {what}, shown only now: {click.style(secret, bold=True)}", err=aside)


def _remarks(line: "AccountLine") -> str:
    said = []
    if line.holder == "machine":
        said.append("machine")
    if line.to_change:
        said.append("one-time password")
    if line.locked_until_us:
        until = datetime.fromtimestamp(line.locked_until_us // 1_000_000, UTC)
        said.append(f"locked out until {until:%Y-%m-%d %H:%M:%S} UTC")
    return ", ".join(said)


def _print_rules(rules: "FloorRules", first: str | None, *, as_json: bool) -> None:
    buy_in = write_amount(rules.buy_in_minor)
    if as_json:
        told = (rules.visitors, buy_in, rules.buy_ins, rules.tables, rules.boxes)
        print_json(RulesOut(*told, UNSET if first is None else first))
        return
    click.echo("Visitors may enter." if rules.visitors else "No visitors.")
    if rules.visitors:
        click.echo(f"  {rules.boxes} boxes of a table at the most")
    if rules.tables and rules.buy_in_minor:
        click.echo(f"  {buy_in} in play money, {rules.buy_ins} times a day at each of: {', '.join(rules.tables)}")
