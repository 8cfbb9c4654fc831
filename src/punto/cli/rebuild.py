"""``punto rebuild``: rebuild the tables that are caches of the journal."""

import click

from punto.catalogue.values import write_count
from punto.cli._shared.databases import db_option
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.floor.upkeep.rebuild import rebuild


@click.command("rebuild")
@db_option
@json_option
def command(url: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Rebuild the tables `rounds`, `incidents` and `seals` from the journal.

    They are for searches and reports. Run it if `punto verify` reports rounds_differ, incidents_differ or seals_differ.
    Stop the floor first. The journal is not changed.
    """
    with refusing(as_json=as_json):
        rebuilt = rebuild(url)
    if as_json:
        print_json(rebuilt)
    else:
        counts = (rebuilt.rounds, "round"), (rebuilt.incidents, "incident"), (rebuilt.seals, "shoe")
        rounds, incidents, shoes = (write_count(*each) for each in counts)
        click.echo(f"{rounds}, {incidents} and {shoes}; {write_count(rebuilt.differed, 'row')} differed.")
