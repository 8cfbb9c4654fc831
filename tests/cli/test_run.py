"""``make run``: a floor with five running tables. ``bench/pages.py`` measures how soon."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import httpx2
import pytest

from punto.floor.audit.verify import verify
from punto.floor.database import read_database
from punto.floor.demo.opening_tables import TABLES
from punto.floor.names.names import HOUSE_PLAYER
from tests.cli.running import ENVIRONMENT
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
AWAY = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("PUNTO_")}


class Run:
    """A ``punto serve`` process in a directory of its own."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        # A file: a pipe that nobody reads would stop the server once it is full.
        with NamedTemporaryFile(dir=cwd, delete=False) as errors:
            self.process = subprocess.Popen(
                command, cwd=cwd, env=AWAY, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self._errors = Path(errors.name)
        assert self.process.stdout is not None
        self.said: list[str] = []
        for line in self.process.stdout:
            self.said.append(line)
            if "ctrl-C" in line:
                break
        found = re.search(r"http://127\.0\.0\.1:\d+", "".join(self.said))
        assert found, (self.said, self.end())
        self.client = httpx2.Client(base_url=found[0], trust_env=False, timeout=DEADLINE_S)

    @property
    def password(self) -> str | None:
        """The administrator's password, if this start printed one."""
        found = re.search(r"password: (\S+)", "".join(self.said))
        return found[1] if found else None

    def tables(self) -> list[dict[str, Any]]:
        """The tables in the lobby."""
        listed: list[dict[str, Any]] = self.client.get("/api/tables").json()["tables"]
        return listed

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Send ctrl-C. The server must end cleanly and print nothing."""
        self.client.close()
        self.process.send_signal(how)
        complaints = self.end()
        assert (self.process.returncode, complaints) == (0, "")

    def end(self) -> str:
        """Wait for the end. Returns standard error."""
        self.process.communicate(timeout=DEADLINE_S)
        return self._errors.read_text()


Starting = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starting]:
    """Starts servers on one database, and ends those that a failed test has left running."""
    runs: list[Run] = []

    def starting(*arguments: str) -> Run:
        command = [sys.executable, "-m", "punto", "serve", "--log", "warning", "--port", "0", *arguments]
        runs.append(Run(command, tmp_path))
        return runs[-1]

    yield starting
    for run in runs:
        run.client.close()
        if run.process.poll() is None:
            run.process.kill()
            run.end()


def test_five_tables_and_a_page(start: Starting) -> None:
    run = start("--db", "floor 1.db")
    assert run.client.get("/").status_code == 200
    assert {(table["table"], table["book"]) for table in run.tables()} == {(one.name, one.book) for one in TABLES}
    assert all(table["play_money_minor"] for table in run.tables())
    assert run.password
    run.stop()


def test_something_is_happening_at_once(start: Starting) -> None:
    run = start()
    wait_until(lambda: all(len(table["taken"]) == 2 for table in run.tables()))
    wait_until(lambda: all(table["phase"] == "betting" for table in run.tables()))
    refused = run.client.post("/api/visit", json={"name": f"Mei {HOUSE_PLAYER}"})
    assert refused.json()["error"]["code"] == "name_taken"
    token = run.client.post("/api/visit", json={"name": "vera", "keep": "token"}).json()["token"]
    run.client.headers["authorization"] = f"Bearer {token}"
    for planned in TABLES:
        seen = run.client.get(f"/api/tables/{planned.name}").json()["state"]["seats"]
        assert len([who for who in seen.values() if who.endswith(HOUSE_PLAYER)]) == 2
    run.stop(signal.SIGTERM)


def test_a_page_never_waits_for_a_compiler(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "punto", "serve", "--port", "0", "--log", "error"]
    run = Run(command, tmp_path)
    for path in ("/", f"/tables/{TABLES[0].name}"):
        run.client.get(path, follow_redirects=True)
    run.client.close()
    run.process.terminate()
    names = {line.rpartition("|")[2].strip() for line in run.end().splitlines()}
    assert "punto.web.server.run" in names
    assert not names & {"numpy", "numba", "llvmlite", "distributed", "rich", "pyarrow", "psycopg"}


def test_a_second_run_goes_on_where_the_first_has_ended(start: Starting, tmp_path: Path) -> None:
    first = start()
    wait_until(lambda: all(len(table["taken"]) == 2 for table in first.tables()))
    before = first.tables()
    first.stop()
    second = start("--house-players", "0")
    assert second.password is None
    assert [table["table"] for table in second.tables()] == [table["table"] for table in before]
    wait_until(lambda: not any(table["taken"] for table in second.tables()))
    second.stop()
    database = read_database(str(tmp_path / "punto.db"))
    assert verify(database).faults == []
    database.close()


def test_an_empty_floor_stays_empty(start: Starting) -> None:
    run = start("--empty")
    assert run.tables() == []
    assert run.password
    run.stop()
    again = start()  # an existing floor
    assert again.tables() == []
    again.stop()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_run_starts_it_with_what_it_is_given(tmp_path: Path) -> None:
    arguments = f"ARGS=--port 0 --db {tmp_path / 'floor.db'} --empty"
    said = subprocess.run(
        ["make", "--dry-run", "--always-make", "run", arguments],  # noqa: S607 - whichever make there is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert (
        f"PYTHONPATH=src .venv/bin/python -m punto serve --log warning {arguments.removeprefix('ARGS=')}"
        in said.splitlines()
    )


@pytest.mark.parametrize("number", ["-1", "21", "many"])
def test_a_number_of_house_players_that_cannot_be_is_refused(tmp_path: Path, number: str) -> None:
    command = [sys.executable, "-m", "punto", "serve", "--port", "0", "--house-players", number]
    done = subprocess.run(command, cwd=tmp_path, env=AWAY, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "house" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
