"""``punto staff``: manage staff accounts, tokens for machines, and what visitors may do."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import click
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from punto.catalogue.values import write_count
from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.floor.database import open_database
from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.positions import ASSIGNABLE, FOR_MACHINES, OFF, position_of
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.rules.money import read_amount, write_amount
from punto.rules.refusals import needing
from punto.table.records.positions import Position

if TYPE_CHECKING:
    from punto.floor.people.accounts.accounts import AccountLine, TokenLine
    from punto.floor.people.floor_rules import FloorRules


class SecretOut(Struct, omit_defaults=True):
    """A password or a token. It is shown only once."""

    name: str
    position: str | None = None
    password: str | None = None
    token: str | None = None
    administrator_password: str | None = None
    """Set if this command created the administrator's account."""
    visit_open: bool = False
    """Whether a visit under the name of the account has not ended."""


class RulesOut(Struct):
    """What visitors may do."""

    visitors: bool
    buy_in: str
    buy_ins: int
    tables: tuple[str, ...]
    boxes: int
    administrator_password: str | UnsetType = UNSET
    """Set if this command created the administrator's account."""


_POSITIONS = [*(position.value for position in ASSIGNABLE), OFF]


@click.group("staff")
def command() -> None:
    """Manage staff accounts, tokens and rules for visitors.

    Anybody who can write to the database may use these commands, whether the floor is running or not. Each change is
    recorded as made at the console.

    \b
    Examples:
      punto staff add --db punto.db dora --position dealer
      punto staff assign --db punto.db dora off
    """


@command.command("add")
@click.argument("name")
@click.option(
    "--position", type=click.Choice(_POSITIONS), default=OFF, show_default=True, help="Position for this shift."
)
@db_option
@json_option
def add(name: str, position: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Create an account for NAME and print its one-time password.

    On a new database this creates the floor and its administrator first.
    """
    with _writing_desk(url, as_json=as_json, create=True) as desk:
        password = asyncio.run(desk.accounts.create(desk.console, name, position_of(position)))
    if as_json:
        print_json(SecretOut(name, position, password, administrator_password=desk.first))
    else:
        _print_secret(name, position, "One-time password", password)


@command.command("assign")
@click.argument("name")
@click.argument("position", metavar="POSITION", type=click.Choice(_POSITIONS))
@db_option
@json_option
def assign(name: str, position: str, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Give NAME a POSITION for this shift, or off.

    It takes effect at once, in every open session.

    \b
    Positions:
      dealer, pit_supervisor, pit_manager, shift_manager, casino_manager, auditor,
      administrator, off
    """
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
    """Reset the password of NAME and print a one-time password.

    NAME is signed out everywhere, and a lock-out ends.
    """
    with _writing_desk(url, as_json=as_json) as desk:
        one_time_password = asyncio.run(desk.accounts.reset_password(desk.console, name))
    if as_json:
        print_json(SecretOut(name, password=one_time_password, administrator_password=desk.first))
    else:
        _print_secret(name, None, "One-time password", one_time_password)


@command.command("revoke")
@click.argument("name")
@click.option("--visitor", is_flag=True, help="End the visit of NAME, even if an account has the same name.")
@db_option
@json_option
def revoke(name: str, visitor: bool, url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """End all sessions and tokens of NAME.

    If there is no such account, the visit of NAME ends, and their chips go back to the house.
    """
    with _writing_desk(url, as_json=as_json) as desk:
        visit_open = False
        if visitor:
            asyncio.run(desk.accounts.revoke_visit(desk.console, name))
        else:
            visit_open = asyncio.run(desk.accounts.revoke(desk.console, name))
    if as_json:
        print_json(SecretOut(name, administrator_password=desk.first, visit_open=visit_open))
        return
    click.echo(f"{name}: {'visit ended' if visitor else 'signed out everywhere'}")
    if visit_open:
        click.echo("  A visit under this name has not ended. To end it, repeat with --visitor.")


@command.command("token")
@click.argument("name")
@click.option(
    "--position",
    type=click.Choice([position.value for position in FOR_MACHINES]),
    required=True,
    help="Position in which the machine acts.",
)
@click.option(
    "--work",
    type=click.Choice([work.value for work in TokenWork if work]),
    required=True,
    help="What the token is for.",
)
@click.option("--table", default="", help="The table it is for. A token for reading may be for all tables.")
@click.option("--days", type=int, default=365, show_default=True, help="Days until the token expires.")
@db_option
@json_option
def token(
    name: str,
    position: str,
    work: str,
    table: str,
    days: int,
    url: str,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Create a token for the machine NAME.

    A machine, such as a shoe or a program, has an account of its own, without a password.

    \b
    A token is for one of these, and refused everywhere else:
      cards     post the cards of a real shoe at one table
      commands  give the commands of its position at one table, and read there
      read      read what its position may, at one table or everywhere

    \b
    Example:
      punto staff token --db punto.db "shoe 1" --position dealer --work cards --table "felt 1"
    """
    bounds = TokenBounds(TokenWork(work), table)
    with _writing_desk(url, as_json=as_json) as desk:
        issued = asyncio.run(desk.accounts.issue_token(desk.console, name, Position(position), bounds, days))
    if as_json:
        print_json(SecretOut(name, position, token=issued, administrator_password=desk.first))
    else:
        _print_secret(name, f"{position}, {work} {f'at {table}' if table else 'everywhere'}", "Token", issued)


@command.command("list")
@db_option
@json_option
def list_accounts(url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """List all accounts.

    Shows each account's position and open sessions, and whether it has a one-time password or is locked out.
    """
    with _desk(url, as_json=as_json) as desk:
        lines = asyncio.run(desk.accounts.list(desk.console))
    if as_json:
        print_json(lines)
    else:
        head = ("name", "position", "sessions", "")
        print_table([(line.name, line.position, str(line.sessions), _remarks(line)) for line in lines], head)


@command.command("visitors")
@click.option("--allow/--forbid", "allowed", default=None, help="Whether visitors may enter.")
@click.option("--buy-in", metavar="AMOUNT", help="Play money that a visitor gets, in whole currency units.")
@click.option("--times", type=int, help="Buy-ins per day and table; a new one only once the last is lost.")
@click.option("--boxes", type=int, help="Maximum boxes per visitor at one table.")
@click.option("--table", "tables", multiple=True, help="A table for play money. Repeatable.")
@click.option("--no-tables", is_flag=True, help="No table is for play money.")
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
    """Show or change what visitors may do.

    Without options the rules are shown. An option changes one rule; the others stay.
    """
    changing = (allowed, buy_in, times, boxes, tables, no_tables) != (None, None, None, None, (), False)
    from punto.floor.people.floor_rules import change_floor_rules, read_floor_rules  # noqa: PLC0415 - help is quick

    with (_writing_desk if changing else _desk)(url, as_json=as_json) as desk:
        rules = asyncio.run(read_floor_rules(desk.log.database))
        if tables and no_tables:
            raise FloorRefused(FloorCode.BAD_FLOOR_RULES, variant="options")
        if changing:
            rules = replace(
                rules,
                visitors=rules.visitors if allowed is None else allowed,
                buy_in_minor=rules.buy_in_minor if buy_in is None else read_amount(buy_in),
                buy_ins=rules.buy_ins if times is None else times,
                tables=() if no_tables else tables or rules.tables,
                boxes=rules.boxes if boxes is None else boxes,
            )
            asyncio.run(change_floor_rules(desk.log, desk.console, rules))
    _print_rules(rules, desk.first, as_json=as_json)


# ---- shared by the commands above


class _Desk:
    """A floor's accounts and house log. Imports the extra ``serve``, which ``--help`` does not need."""

    def __init__(self, database: Database) -> None:
        with needing("serve"):
            from punto.floor.house.house_log import HouseLog  # noqa: PLC0415 - help is quick
            from punto.floor.house.signing import open_to_sign  # noqa: PLC0415 - help is quick
            from punto.floor.people.accounts.accounts import THE_CONSOLE, Accounts  # noqa: PLC0415 - an extra
        self.console = THE_CONSOLE
        self.open_to_sign = partial(open_to_sign, database)
        self.log = HouseLog(database)
        self.accounts = Accounts(self.log)
        self.first: str | None = None
        """The administrator's one-time password, if the account has just been created."""


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
    """A desk for changes. It creates the administrator's account first, if the floor has none."""
    with _desk(url, as_json=as_json, create=create) as desk:
        desk.open_to_sign()
        desk.first = asyncio.run(desk.accounts.first_start())
        if desk.first is not None:  # print it now: the account exists even if the command is refused later
            _print_secret("administrator", "administrator", "One-time password", desk.first, to_stderr=as_json)
        yield desk


def _print_secret(name: str, position: str | None, what: str, secret: str, *, to_stderr: bool = False) -> None:
    click.echo(f"{name} ({position})" if position else name, err=to_stderr)
    click.echo(f"  {what}, shown only once: {click.style(secret, bold=True)}", err=to_stderr)


def _remarks(line: "AccountLine") -> str:
    remarks = []
    if line.holder == "machine":
        remarks.append("machine")
        remarks += map(_token_words, line.tokens)
    if line.to_change:
        remarks.append("one-time password")
    if line.locked_until_us:
        until = datetime.fromtimestamp(line.locked_until_us // 1_000_000, UTC)
        remarks.append(f"locked out until {until:%Y-%m-%d %H:%M:%S} UTC")
    return ", ".join(remarks)


def _token_words(token: "TokenLine") -> str:
    if token.work is TokenWork.UNBOUND:
        words = "unbound token"
    else:
        words = f"{token.work} at {token.table}" if token.table else f"{token.work} everywhere"
    return f"{words} (stopped)" if token.stopped else words


def _print_rules(rules: "FloorRules", first: str | None, *, as_json: bool) -> None:
    buy_in = write_amount(rules.buy_in_minor)
    if as_json:
        fields = (rules.visitors, buy_in, rules.buy_ins, rules.tables, rules.boxes)
        print_json(RulesOut(*fields, UNSET if first is None else first))
        return
    click.echo("Visitors may enter." if rules.visitors else "Visitors may not enter.")
    if rules.visitors:
        click.echo(f"  At most {write_count(rules.boxes, 'box', 'boxes')} of a table")
    tables = ", ".join(rules.tables)
    if not tables:
        click.echo("  No table is for play money")
    elif rules.buy_in_minor:
        click.echo(f"  {buy_in} in play money, {write_count(rules.buy_ins, 'time')} a day at each of: {tables}")
    else:
        click.echo(f"  Tables for play money, but none is given out: {tables}")
