"""``punto verify``: whether the journal is what was written."""

import sys
from pathlib import Path

import click
from msgspec.structs import asdict

from punto.cli._shared.databases import db_option, reading
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.audit.kept_heads import KeptHeads, read_heads, write_heads
from punto.floor.audit.verify import Verified, count_entries, verify
from punto.floor.database import Database


@click.command("verify")
@db_option
@click.option("--head", "kept", type=click.Path(path_type=Path), help="Heads kept elsewhere: finds a tail cut off.")
@click.option("--write-head", "keep", type=click.Path(path_type=Path), help="If all is sound, write the heads here.")
@json_option
def command(url: str, kept: Path | None, keep: Path | None, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Read a floor's whole journal again, running or not, and name the first bad entry of each stream.

    The chain of hashes, the heads, the postings, every command judged again, every shoe against its
    commitment. The exit status is 0 if all is sound and 1 if anything is not.
    """
    with reading(url, as_json=as_json, output=keep) as database:
        heads = read_heads(kept) if kept else None
        if keep and keep.exists():
            read_heads(keep)  # nothing but heads is written over
        found = _verify(database, heads)
        if keep and found.sound:
            write_heads(keep, found.heads)
    _print(found, as_json=as_json)
    sys.exit(0 if found.sound else 1)


def _verify(database: Database, heads: KeptHeads | None) -> Verified:
    """With a bar that grows, if somebody looks."""
    if not sys.stderr.isatty():
        return verify(database, heads)
    with click.progressbar(length=count_entries(database), label="Entries", file=sys.stderr) as bar:
        return verify(database, heads, bar.update)


def _print(found: Verified, *, as_json: bool) -> None:
    if as_json:
        told = {"sound": found.sound, **asdict(found)}
        del told["heads"]  # those are written by --write-head
        print_json(told)
        return
    for fault in found.faults:
        click.secho(f"{fault.where}: {fault.message} ({fault.code})", fg="red")
    click.echo(
        f"{found.entries} entries in {found.streams} streams, {found.judged_again} of {found.commands} commands"
        f" judged again, {found.shoes} shoes"
    )
    if found.seeded:
        click.secho(f"{found.seeded} shoes were dealt from a seed: training, not play", fg="yellow")
    if found.judged_again < found.commands:
        left = found.commands - found.judged_again
        click.secho(f"{left} commands were replayed only: their law is not on this shelf", fg="yellow")
    if found.sound:
        click.secho("Sound.", fg="green")
    else:
        click.secho(f"Not sound. The first fault: {found.faults[0].where}.", fg="red", bold=True)
