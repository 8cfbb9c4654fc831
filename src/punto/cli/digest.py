"""``punto digest``: print what this installation is, for comparison with a release."""

import click
from msgspec import Struct

import punto
from punto.cli._shared.terminal import json_option, print_json, print_table
from punto.floor.running.build import build_hash, files_at_start, law_hashes, packages


class DigestOut(Struct):
    release: str
    build: str
    laws: dict[str, str]
    packages: dict[str, str]
    files: dict[str, str]


@click.command("digest")
@click.option("--files", "lists_files", is_flag=True, help="Print the SHA-256 of each file instead.")
@json_option
def command(lists_files: bool, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Print the digests of the program, its books and its packages.

    Compare them with those of another machine, or of a release that you unpack yourself. `--files` prints lines that
    `sha256sum --check` reads in the folder of the package.
    """
    files = files_at_start()
    if as_json:
        print_json(DigestOut(punto.__version__, build_hash(), law_hashes(), packages(), files))
    elif lists_files:
        for path in sorted(files):
            click.echo(f"{files[path]}  {path}")
    else:
        rows = [["program", punto.__version__, build_hash()]]
        rows += [["book", game, law] for game, law in law_hashes().items()]
        rows += [["package", name, version] for name, version in packages().items()]
        print_table(rows, ["what", "name", "digest"])
