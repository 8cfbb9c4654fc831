"""What ``punto verify --pack`` prints."""

import click
from msgspec.structs import asdict

from punto.catalogue.printable import printable
from punto.catalogue.values import write_count
from punto.cli._shared.terminal import print_json
from punto.floor.audit.packs.check_pack import PackChecked
from punto.floor.audit.packs.pack_file import HeadSource

HEAD_WORDS = {
    HeadSource.KEPT: "a head that was saved outside the database",
    HeadSource.JOURNAL: "the head of the journal when the pack was made",
    HeadSource.ENTRY: "which is no head: the next one is too far away for a pack",
}


def print_pack(checked: PackChecked, *, as_json: bool) -> None:
    if as_json:
        print_json({"sound": checked.sound, "proved": checked.proved, **asdict(checked)})
        return
    for fault in checked.faults:
        click.secho(f"{fault.where}: {fault.message} ({fault.code})", fg="red")
    click.echo(
        f"{printable(checked.stream)} round {checked.round}: {write_count(checked.entries, 'entry', 'entries')},"
        f" {checked.hidden} of others among them,"
        f" {checked.judged_again} of {write_count(checked.settlements, 'settlement')} judged again"
    )
    if not checked.end_shown:
        after = max(checked.links - checked.hidden, 0)
        entries = write_count(after, "entry follows, by its hash", "entries follow, by their hashes")
        words = f"Nothing shows that the round ends there: {entries} alone."
        click.secho(words, fg="yellow")
    if checked.head is not None:
        click.echo(f"The chain leads to the given head: entry {checked.head.version}, {printable(checked.head.hash)}")
    if checked.unproved:
        entries = write_count(checked.unproved, "entry", "entries")
        words = f"An earlier release wrote {entries} of others: nothing shows that they are not of the round."
        click.secho(words, fg="yellow")
    if checked.needs_journal:
        words = "An earlier release wrote some of the entries: without the journal their chain is not proved."
        click.secho(words, fg="yellow")
    if checked.judged_again < checked.settlements:
        words = "Some settlements were not judged again: another revision of the engine decided them, or this release"
        click.secho(f"{words} lacks their law.", fg="yellow")
    if checked.release_differs:
        words = (
            f"It says that release {printable(checked.release)} made it: nothing shows its words for the clauses, nor"
        )
        click.secho(f"{words} what its record lacks.", fg="yellow")
    click.echo(f"sha256 {checked.sha256}")
    if checked.sound and checked.head is None:
        words = "Not proved: no fault, but anybody could have written it. Give --head with heads from somebody else."
        click.secho(words, fg="yellow", bold=True)
    elif checked.sound and not checked.proved:
        click.secho("Not proved: no fault, but compare it with the journal.", fg="yellow", bold=True)
    elif checked.proved:
        click.secho("Sound.", fg="green")
    else:
        click.secho(f"Not sound. The first fault: {checked.faults[0].where}.", fg="red", bold=True)
