"""``punto verify``: check that a floor's journal is complete and unchanged."""

import re
import sys
from pathlib import Path
from typing import NoReturn

import click
from msgspec.structs import asdict

from punto.catalogue.printable import printable
from punto.catalogue.values import write_count
from punto.cli._shared.checked_pack import print_pack
from punto.cli._shared.databases import key_file_option, reading_database
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.floor.audit.kept_heads import KeptHeads, read_given_heads, read_heads, write_heads
from punto.floor.audit.packs.check_pack import check_pack
from punto.floor.audit.packs.pack_file import read_pack_file
from punto.floor.audit.verify import BackwardsTime, Verified, count_entries, verify
from punto.floor.clock import SECOND_US
from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused

MOST_BACKWARDS = 20
"""Printed one by one; JSON has all."""


@click.command("verify")
@click.option("--db", "url", help="The floor's database: path of an SQLite file, or postgresql://...")
@click.option(
    "--pack",
    "pack_file",
    type=click.Path(path_type=Path),
    help="Check an incident pack instead, which needs no database.",
)
@click.option(
    "--head",
    "heads_file",
    type=click.Path(path_type=Path),
    help="Heads saved by an earlier --write-head, or the directory where a server copies them. Shows whether entries"
    " were cut off the end.",
)
@click.option(
    "--write-head",
    "output",
    type=click.Path(path_type=Path),
    help="Save the heads to this file if no fault is found.",
)
@key_file_option
@click.option("--public-key", default="", help="Check the signatures with this public key. Default: that of --head.")
@json_option
def command(
    url: str | None,
    pack_file: Path | None,
    heads_file: Path | None,
    output: Path | None,
    key_file: str,
    public_key: str,
    as_json: bool,  # noqa: FBT001 - click's
) -> None:
    """Verify a floor's whole journal, or an incident pack.

    The floor may be running. Checks the chain of hashes, the heads, the postings, the decision on every command, and
    every shoe against its seal. Prints the first fault of each stream. The exit status is 1 if there is any
    fault. Without the floor's key the orders of shoes in play cannot be read, and it says how many were not checked;
    signatures are then checked with the public key that --head or --public-key gives, or not at all.

    A pack is checked alone: its hashes, its money, its record, and its settlement by the book. It is proved only if it
    leads to a head that you got from somebody else: give that with --head.

    \b
    Example:
      punto verify --db punto.db --head yesterday.heads --write-head today.heads
      punto verify --pack dispute.pack.json --head today.heads
    """
    if pack_file is not None:
        if url is not None or output is not None or key_file or public_key:
            raise click.UsageError("--pack needs no --db, --write-head, --key-file or --public-key.")
        _verify_pack(pack_file, heads_file, as_json=as_json)
    if url is None:
        raise click.UsageError("Missing option '--db' or '--pack'.")
    with reading_database(url, as_json=as_json, output=output) as database:
        heads = read_given_heads(heads_file) if heads_file else []
        if output and output.exists():
            read_heads(output)  # refuse to overwrite any file that does not hold heads
        result = _verify(database, heads, key_file, _read_public_key(public_key))
        if output and result.sound:
            write_heads(output, result.heads)
    _print(result, as_json=as_json)
    sys.exit(0 if result.sound else 1)


def _verify_pack(file: Path, heads_file: Path | None, *, as_json: bool) -> NoReturn:
    with refusing(as_json=as_json):
        checked = check_pack(read_pack_file(file), read_given_heads(heads_file) if heads_file else [], str(file))
    print_pack(checked, as_json=as_json)
    sys.exit(0 if checked.proved else 1)


def _read_public_key(text: str) -> str:
    key = text.strip().lower()
    if key and not re.fullmatch(r"[0-9a-f]{64}", key):
        raise FloorRefused(FloorCode.BAD_KEY, path="--public-key")
    return key


def _verify(database: Database, heads: list[KeptHeads], key_file: str, public_key: str) -> Verified:
    """Verify with a progress bar, if standard error is a terminal."""
    if not sys.stderr.isatty():
        return verify(database, heads, key_file=key_file, public_key=public_key)
    with click.progressbar(length=count_entries(database), label="Entries", file=sys.stderr) as bar:
        return verify(database, heads, bar.update, key_file, public_key)


def _print(result: Verified, *, as_json: bool) -> None:
    if as_json:
        fields = {"sound": result.sound, **asdict(result)}
        del fields["heads"]  # --write-head writes these
        print_json(fields)
        return
    for fault in result.faults:
        click.secho(f"{fault.where}: {fault.message} ({fault.code})", fg="red")
    click.echo(
        f"{write_count(result.entries, 'entry', 'entries')} in {write_count(result.streams, 'stream')},"
        f" {result.judged_again:,} of {write_count(result.commands, 'command')} judged again,"
        f" {write_count(result.shoes, 'shoe')}"
    )
    if result.unchecked_shoes:
        shoes = write_count(result.unchecked_shoes, "shoe was", "shoes were")
        click.secho(f"{shoes} not checked: the key of the encrypted order is not here", fg="yellow")
    if not result.signatures_checked:
        words = "Signatures were not checked: neither the floor's key nor heads with its public key are here"
        click.secho(words, fg="yellow")
    if result.unsigned:
        entries = write_count(result.unsigned, "entry is", "entries are")
        click.secho(f"{entries} not signed yet: the next start of the floor signs them", fg="yellow")
    if result.signed_afterwards:
        entries = write_count(result.signed_afterwards, "entry was", "entries were")
        words = "signed afterwards, at a migration or a restore: signatures do not show changes before that"
        click.secho(f"{entries} {words}", fg="yellow")
    if result.seeded:
        shoes = write_count(result.seeded, "shoe was", "shoes were")
        click.secho(f"{shoes} dealt from a seed, for training, and not real", fg="yellow")
    if result.earlier_revision:
        commands = write_count(result.earlier_revision, "command was", "commands were")
        click.secho(f"{commands} only replayed: decided by another revision of the engine", fg="yellow")
    if lacking := result.commands - result.judged_again - result.earlier_revision:
        commands = write_count(lacking, "command was", "commands were")
        click.secho(f"{commands} only replayed: this release lacks the law", fg="yellow")
    _print_backwards(result.backwards)
    if result.sound:
        click.secho("Sound.", fg="green")
    else:
        click.secho(f"Not sound. The first fault: {result.faults[0].where}.", fg="red", bold=True)


def _print_backwards(backwards: list[BackwardsTime]) -> None:
    """Those of a second or more one by one. Less is ordinary where several processes write."""
    if not backwards:
        return
    longest = max(each.by_us for each in backwards)
    entries = write_count(len(backwards), "entry has", "entries have")
    click.secho(f"{entries} an earlier time than the one before, by up to {_seconds(longest)}", fg="yellow")
    for each in [each for each in backwards if each.by_us >= SECOND_US][:MOST_BACKWARDS]:
        click.echo(f"  {printable(each.stream)} entry {each.version}: {_seconds(each.by_us)} earlier")


def _seconds(us: int) -> str:
    return f"{us / SECOND_US:,.3f} s"
