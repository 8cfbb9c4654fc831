"""The ``--db`` option, and opening a floor's database for reading."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from punto.cli._shared.terminal import refusing
from punto.floor.database import file_of, read_database
from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.secret_key import VARIABLE

db_option = click.option(
    "--db", "url", required=True, help="The floor's database: path of an SQLite file, or postgresql://..."
)

key_file_option = click.option(
    "--key-file",
    default="",
    help=f"File with the floor's secret key. Default: ${VARIABLE}, or punto.key beside an SQLite file.",
)

# SQLite's own files, and the file that marks a database as in use by a floor.
_FILE_SUFFIXES = ("", "-wal", "-shm", "-journal", "-floor")
_SQLITE_HEADER = b"SQLite format 3\0"


@contextmanager
def reading_database(url: str, *, as_json: bool, output: Path | None = None, older: bool = False) -> Iterator[Database]:
    """Open a floor's database for reading, whether the floor is running or not. A refusal ends the command.

    ``output`` is the file that the command writes. It must not be one of this database's files or another database.
    ``older`` accepts the schema of an earlier release.
    """
    with refusing(as_json=as_json):
        if output is not None:
            _refuse_database(output, url)
        database = read_database(url, older=older)
        try:
            yield database
        finally:
            database.close()


def _refuse_database(output: Path, url: str) -> None:
    database_files = [Path(f"{os.path.realpath(file_of(url))}{suffix}") for suffix in _FILE_SUFFIXES]
    for file in (output, output.with_name(f"{output.name}.part")):  # the .part file is written first
        if any(_same_file(file, database_file) for database_file in database_files):
            raise FloorRefused(FloorCode.FILE_EXISTS, variant="database_itself", path=file)
    if _is_database(output):
        raise FloorRefused(FloorCode.FILE_EXISTS, variant="database", path=output)


def _same_file(left: Path, right: Path) -> bool:
    try:
        return left.resolve() == right.resolve() or left.samefile(right)
    except (OSError, ValueError):
        return False


def _is_database(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_SQLITE_HEADER)) == _SQLITE_HEADER
    except OSError:
        return False
