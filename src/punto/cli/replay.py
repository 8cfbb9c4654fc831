"""``punto replay``: show a round step by step."""

from collections.abc import Iterable, Mapping

import click
import msgspec

from punto.catalogue.values import write_count
from punto.cli._shared.databases import db_option, reading_database
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.database.base import Transaction
from punto.floor.people.players import erased_of, names_of, players_in
from punto.floor.reports.rounds.replay_round import Replay, replay_round
from punto.floor.shoes.shoe_kind import ShoeKind


@click.command("replay")
@db_option
@click.argument("table")
@click.argument("number", metavar="ROUND", type=click.IntRange(min=0))
@json_option
def command(url: str, table: str, number: int, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Show a ROUND of a TABLE step by step.

    Each step shows who did what and when, and by which clause. Rounds are numbered from 1 for each opening of a table.
    TABLE is its last opening, TABLE/1 its first. ROUND 0 is everything before the first call for bets.

    \b
    Example:
      punto replay --db punto.db Orchid 12
    """
    with reading_database(url, as_json=as_json) as database:
        replay = replay_round(database, table, number)
        ids = players_in([msgspec.json.decode(step.event) for step in replay.steps])
        people = {} if as_json else database.reading(lambda transaction: _people(transaction, ids)).result()
    if as_json:
        print_json(replay)  # without names: what is kept in a file cannot be erased
    else:
        _print(replay, people)


def _people(transaction: Transaction, ids: Iterable[str]) -> dict[str, str]:
    """What the register says about each id."""
    named = {player: f"is {name}" for player, name in names_of(transaction, ids).items()}
    return named | dict.fromkeys(erased_of(transaction, ids), "was erased")


def _print(replay: Replay, people: Mapping[str, str]) -> None:
    shoe = f"shoe {replay.shoe}, {write_count(replay.cards_drawn, 'card')} drawn" if replay.shoe else "no shoe"
    click.secho(f"{replay.stream}, {replay.book}, round {replay.round} ({shoe})", bold=True)
    if replay.shoe_kind is ShoeKind.SEEDED:
        click.secho("The cards came from a seed: a training shoe, not a real one", fg="yellow")
    if replay.box_labels:
        click.echo(f"  The boxes are labelled {', '.join(replay.box_labels)}")
    for player, words in sorted(people.items()):
        click.echo(f"  {player} {words}")
    day = ""
    for step in replay.steps:
        date, _, time = step.at.partition("T")
        if date != day:
            click.echo(date)
            day = date
        by = step.actor if step.actor == step.position else f"{step.actor}, {step.position.replace('_', ' ')}"
        cited = f"  [{', '.join(step.clauses)}]" if step.clauses else ""
        click.echo(f"  {step.version:>6}  {time[:12]}  {step.words}  {click.style(f'({by})', dim=True)}{cited}")
        if step.happened_at is not None:
            click.echo(f"{'':24}happened at {step.happened_at}")
        for detail in step.details:
            click.echo(f"{'':24}{detail}")
