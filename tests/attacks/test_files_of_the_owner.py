"""Another user of the machine reads what Punto writes. Every file with contents of the floor is for its owner alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from punto.floor.database import open_database
from punto.floor.reports.file_formats import ColumnKind, Format, write_export
from punto.floor.upkeep.backup import backup
from punto.web.server.json_logs import open_log

OWNER_ONLY = 0o600


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """With this mask, files are for everybody unless they say otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("form", list(Format))
def test_an_export(form: Format, tmp_path: Path) -> None:
    path, seen = tmp_path / "bets", list[int]()

    def rows() -> Iterator[tuple[str]]:
        seen.append(mode_of(tmp_path / "bets.part"))  # while it is written
        yield ("ann",)

    (tmp_path / "bets.part").write_text("left by somebody else, for everybody")
    path.write_text("an older one")
    assert write_export(path, [("who", ColumnKind.TEXT)], rows(), form) == 1
    assert [mode_of(path), *seen] == [OWNER_ONLY, OWNER_ONLY]


def test_a_backup_and_the_database_itself(tmp_path: Path) -> None:
    database = open_database(str(tmp_path / "floor.db"))
    try:
        backup(database, tmp_path / "copy.db")
    finally:
        database.close()
    assert {path.name: mode_of(path) for path in tmp_path.glob("*.db")} == {
        "floor.db": OWNER_ONLY,
        "copy.db": OWNER_ONLY,
    }


def test_a_log_file(tmp_path: Path) -> None:
    path = tmp_path / "punto.log"
    with open_log(str(path)) as log:
        log.write("a line\n")
    assert mode_of(path) == OWNER_ONLY
    path.chmod(0o640)
    with open_log(str(path)) as log:
        log.write("another\n")
    assert mode_of(path) == 0o640  # somebody chose it, such as for a program that rotates logs
    assert path.read_text() == "a line\nanother\n"
