"""Give one command at a table from the command line, and print the events that follow from it.

    python examples/felt.py http://127.0.0.1:8000 dealer.json "felt 1" deal_card.1 card=9d

``dealer.json`` is what ``punto staff token`` printed with ``--json``. Fields are written as
``name=value``; a value that is not JSON is taken as text. ``happened_at=...`` says when it happened, if it is entered
later. ``create_table book=...`` adds a table with a real shoe. docs/felt.md runs a table with it.
"""

from pathlib import Path
from typing import Any

import click
import msgspec

from punto.client import Client, ClientRefused
from punto.web.messages import TableRequest

NOT_PRINTED = ("differences", "event", "law_hash", "postings", "results", "settings")


def parse_field(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


def print_event(event: dict[str, Any]) -> None:
    """The event's tag and fields on one line; settled bets, differences and the money moved on lines of their own."""
    fields = [f"{name}={_brief(value)}" for name, value in event.items() if name not in NOT_PRINTED and value]
    click.echo("  ".join([event["event"], *fields]))
    for result in event.get("results", ()):
        shown = [str(result[name]) for name in ("who", "box", "bet", "stake_minor", "result", "returned_minor")]
        click.echo("    " + "  ".join([*shown, _brief(result["clauses"])]))
    for change in event.get("differences", ()):
        amount_minor = change["amount_minor"]
        shown = ["pay" if amount_minor > 0 else "collect", f"{abs(amount_minor)}"]
        click.echo("    " + "  ".join([*shown, *(str(change[name]) for name in ("who", "box", "bet"))]))
    if event.get("postings"):
        click.echo("    " + "  ".join(f"{account} {amount_minor:+}" for account, amount_minor in event["postings"]))


def _brief(value: object) -> str:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


@click.command()
@click.argument("url")
@click.argument("token_file", type=click.Path(path_type=Path, exists=True))
@click.argument("table")
@click.argument("command")
@click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...")
def main(url: str, token_file: Path, table: str, command: str, fields: tuple[str, ...]) -> None:
    """Give COMMAND at TABLE."""
    token = msgspec.json.decode(token_file.read_bytes())["token"]
    body = dict(parse_field(field) for field in fields)
    happened_at = body.pop("happened_at", None)
    with Client(url, token=token) as client:
        try:
            if command == "create_table":
                created = client.create_table(msgspec.convert({"name": table, "shoes": "manual", **body}, TableRequest))
                click.echo(f"{created.table}: {created.title}, {created.phase}")
                return
            accepted = client.give(table, {"command": command, **body}, happened_at=happened_at)
        except ClientRefused as refused:
            raise click.ClickException(f"{refused.code}: {refused.message}") from refused
        except msgspec.ValidationError as error:
            raise click.ClickException(str(error)) from error
    for view in accepted.events:
        print_event(view.event)


if __name__ == "__main__":
    main()
