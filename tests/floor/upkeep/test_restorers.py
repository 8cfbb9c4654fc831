"""Who may restore a floor: two people of the backup with their passwords, or one alone with a reason, on record."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, context_of
from punto.floor.journal.house_events import HOUSE, FloorRestored, read_house_event
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.upkeep.backup import backup, restore
from punto.floor.upkeep.restorers import Credentials, Restorers
from punto.table.records.positions import Position
from tests.cli.running import ENVIRONMENT
from tests.floor.nights import opened
from tests.floor.staff_floor import CHEAP, PASSWORD, Staffed, run
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The backup of a floor with its staff; Nia still has her one-time password, a machine has none."""
    url, path = str(tmp_path / "floor.db"), tmp_path / "backup.db"

    async def hire(house: Staffed) -> None:
        await house.hired("ada", Position.ADMINISTRATOR)
        await house.hired("sid", Position.SHIFT_MANAGER)
        await house.hired("max", Position.PIT_MANAGER)
        await house.hired("off", None)
        await house.accounts.create(THE_CONSOLE, "nia", Position.ADMINISTRATOR)
        await house.table("t1")

    run(url, hire)
    with opened(url) as database:
        backup(database, path)
    return path


def restored_by(file: Path, url: str, *people: tuple[str, str], alone: str = "") -> None:
    restore(file, url, Restorers(tuple(Credentials(*person) for person in people), alone), Passwords(CHEAP))


def record(url: str) -> tuple[Entry, FloorRestored]:
    with opened(url) as database:
        head = database.reading(lambda transaction: streams.head(transaction, HOUSE)).result()
        (entry,) = database.reading(lambda transaction: streams.read(transaction, head, head.version - 1)).result()
    event = read_house_event(entry.event)
    assert isinstance(event, FloorRestored)
    return entry, event


def test_two_people_restore_it_and_both_are_on_record(file: Path, database_url: str, tmp_path: Path) -> None:
    url = database_url if database_url.startswith("postgresql") else str(tmp_path / "again.db")
    restored_by(file, url, ("ada", PASSWORD), ("sid", PASSWORD))
    entry, event = record(url)
    assert (entry.actor, entry.position, context_of(entry).approved_by) == ("ada", "administrator", "sid")
    assert (event.by, event.alone, context_of(entry).alone) == (("ada", "sid"), "", False)


def test_one_alone_gives_a_reason_that_is_on_record(file: Path, tmp_path: Path) -> None:
    url = str(tmp_path / "again.db")
    restored_by(file, url, alone="the disk failed at night")
    entry, event = record(url)
    assert (entry.actor, context_of(entry).alone) == (THE_CONSOLE.name, True)
    assert (event.by, event.alone) == ((), "the disk failed at night")


WRONG: dict[str, list[tuple[str, str]]] = {
    "the same person twice": [("ada", PASSWORD), ("ada", PASSWORD)],
    "the same person, written otherwise": [("ada", PASSWORD), ("ADA", PASSWORD)],
    "one person": [("ada", PASSWORD)],
    "three people": [("ada", PASSWORD), ("sid", PASSWORD), ("ada", PASSWORD)],
    "a wrong password": [("ada", PASSWORD), ("sid", "thirteen cards in a row")],
    "no password": [("ada", PASSWORD), ("sid", "")],
    "a pit manager": [("ada", PASSWORD), ("max", PASSWORD)],
    "somebody off duty": [("ada", PASSWORD), ("off", PASSWORD)],
    "a one-time password": [("ada", PASSWORD), ("nia", "one-time")],
    "nobody of the backup": [("ada", PASSWORD), ("eve", PASSWORD)],
}


@pytest.mark.parametrize("people", WRONG.values(), ids=WRONG)
def test_anybody_else_is_refused_and_nothing_is_restored(
    file: Path, tmp_path: Path, people: list[tuple[str, str]]
) -> None:
    url = tmp_path / "again.db"
    with pytest.raises(FloorRefused) as refused:
        restored_by(file, str(url), *people)
    assert refused.value.code is FloorCode.MAY_NOT_RESTORE
    assert PASSWORD not in refused.value.message
    assert not url.exists()


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "x" * 401])
def test_a_reason_has_to_say_something(file: Path, tmp_path: Path, reason: str) -> None:
    with pytest.raises(FloorRefused) as refused:
        restored_by(file, str(tmp_path / "again.db"), alone=reason)
    assert refused.value.code is FloorCode.MAY_NOT_RESTORE


# ---- at the command line


def test_passwords_are_never_arguments(file: Path, tmp_path: Path) -> None:
    """Anybody on the machine can see the arguments of a process."""
    options = {option for each in main.get_command(None, "restore").params for option in each.opts}  # type: ignore[arg-type, union-attr]
    assert options == {"file", "--db", "--alone", "--json"}
    given = "\n".join(("ada", PASSWORD, "sid", PASSWORD, ""))
    done = CliRunner().invoke(main, ["restore", str(file), "--db", str(tmp_path / "again.db")], input=given)
    assert done.exit_code == 0, done.output
    assert PASSWORD not in done.output
    assert record(str(tmp_path / "again.db"))[1].by == ("ada", "sid")


def test_without_two_people_nothing_is_restored(file: Path, tmp_path: Path) -> None:
    arguments = ["restore", str(file), "--db", str(tmp_path / "again.db"), "--json"]
    done = CliRunner().invoke(main, arguments, input="ada\n")
    assert (done.exit_code, msgspec.json.decode(done.stdout)["error"]["code"]) == (2, "may_not_restore")


def test_at_a_terminal_it_asks_and_shows_no_password(file: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "punto", "restore", str(file), "--db", str(tmp_path / "again.db")]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=ENVIRONMENT, start_new_session=True
    )
    os.close(theirs)
    said = b""
    for line in ("ada", PASSWORD, "sid", PASSWORD):
        asked = len(said)
        while not said[asked:].rstrip().endswith(b":"):
            said += os.read(ours, 1_000)
        os.write(ours, f"{line}\n".encode())
    assert process.wait(DEADLINE_S) == 0
    said += os.read(ours, 10_000)
    os.close(ours)
    assert b"Second person's name" in said
    assert b"is restored" in said
    assert PASSWORD.encode() not in said
