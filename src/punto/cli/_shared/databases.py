"""What the commands that read a floor's database have alike."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from punto.cli._shared.terminal import refusing
from punto.floor.database import Database, file_of, read_database
from punto.floor.errors import FloorCode, FloorRefused

db_option = click.option(
    "--db", "url", required=True, help="The floor's database: the path of an SQLite file, or postgresql://..."
)

_BESIDE = ("", "-wal", "-shm", "-journal", "-floor")
"""The files of a database: SQLite's own, and the one that says that a floor runs on it."""
_SQLITE = b"SQLite format 3\0"


@contextmanager
def reading(url: str, *, as_json: bool, output: Path | None = None) -> Iterator[Database]:
    """The database of a floor, running or not; whatever is refused meanwhile ends the command.

    ``output`` is the file that the command writes: never one of the database's own, nor another database.
    """
    with refusing(as_json=as_json):
        if output is not None:
            _refuse_database(output, url)
        database = read_database(url)
        try:
            yield database
        finally:
            database.close()


def _refuse_database(output: Path, url: str) -> None:
    beside = [Path(f"{os.path.realpath(file_of(url))}{more}") for more in _BESIDE]
    for file in (output, output.with_name(f"{output.name}.part")):  # that one is written first
        if any(_same(file, one) for one in beside):
            raise FloorRefused(FloorCode.FILE_EXISTS, variant="database_itself", path=file)
    if _is_database(output):
        raise FloorRefused(FloorCode.FILE_EXISTS, variant="database", path=output)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, ValueError):
        return False


def _is_database(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False
