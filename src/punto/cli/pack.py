"""``punto pack``: write the incident pack of a round."""

import hashlib
import time
from pathlib import Path

import click
from msgspec import Struct

from punto.catalogue.values import write_count
from punto.cli._shared.checked_pack import HEAD_WORDS
from punto.cli._shared.databases import db_option, reading_database
from punto.cli._shared.output_file import output_file
from punto.cli._shared.terminal import json_option, print_json
from punto.floor.audit.kept_heads import read_given_heads
from punto.floor.audit.packs.pack import make_pack
from punto.floor.audit.packs.pack_file import HeadSource, Pack, encode_pack
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.rounds.replay_round import find_stream
from punto.floor.reports.rounds.round_reader import find_last_opening
from punto.web.views.round_names import read_round_name, write_round


class PackOut(Struct):
    file: str
    table: str
    round: str
    entries: int
    links: int
    head_version: int
    head_source: HeadSource
    needs_journal: bool
    sha256: str
    """Of the file."""


@click.command("pack")
@db_option
@click.argument("table")
@click.argument("round_name", metavar="ROUND")
@click.option(
    "--head",
    "heads_file",
    type=click.Path(path_type=Path),
    help="Heads saved elsewhere, or the directory where a server copies them: the pack leads to the latest of them.",
)
@click.option("--out", "file", type=click.Path(path_type=Path), required=True, help="File to write.")
@json_option
def command(url: str, table: str, round_name: str, heads_file: Path | None, file: Path, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Write the incident pack of a ROUND of a TABLE.

    One JSON file with everything that the journal says about the round, and the hashes that prove it up to a head.
    Entries of other people's business are there by their hashes alone. Anybody can check the file with `punto verify
    --pack FILE`. ROUND is an opening and a number, such as 2-17, or a number in the last opening that has it.

    \b
    Example:
      punto pack --db punto.db Orchid 2-17 --out dispute.pack.json
    """
    with reading_database(url, as_json=as_json, output=file) as database, output_file(file, private=True) as save:
        kept = read_given_heads(heads_file) if heads_file else []
        find_stream(database, table)  # refuses a table that was never opened
        place = read_round_name(round_name)
        if place is None:
            raise FloorRefused(FloorCode.UNKNOWN_ROUND, variant="name", text=round_name[:40])
        opening, number = place

        def work(transaction: Transaction) -> Pack:
            at = opening or find_last_opening(transaction, table, number)
            if at is None:
                raise FloorRefused(FloorCode.UNKNOWN_ROUND, variant="at_table", table=table[:60], round=number)
            return make_pack(transaction, StreamName(table, at), number, kept, time.time_ns() // 1_000)

        pack = database.reading(work).result()
        data = encode_pack(pack)
        assert save is not None  # noqa: S101 - there is a path
        save(data.decode())
    _print(pack, data, file, as_json=as_json)


def _print(pack: Pack, data: bytes, file: Path, *, as_json: bool) -> None:
    stream = StreamName.parse(pack.stream)
    out = PackOut(
        str(file),
        stream.table,
        write_round(stream.opening, pack.round),
        len(pack.entries),
        len(pack.links),
        pack.head.version,
        pack.head.source,
        pack.needs_journal,
        hashlib.sha256(data).hexdigest(),
    )
    if as_json:
        print_json(out)
        return
    counts = write_count(out.entries, "entry", "entries"), write_count(out.links, "hash", "hashes")
    click.echo(f"{file}: round {out.round} of {out.table}, {', '.join(counts)} of others")
    click.echo(f"It leads to entry {out.head_version}, {HEAD_WORDS[pack.head.source]}.")
    if pack.needs_journal:
        click.secho("It needs the journal: an earlier release wrote some of the entries.", fg="yellow")
    click.echo(f"sha256 {out.sha256}")
