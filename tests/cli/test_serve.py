"""``punto serve`` as a real process: starting, stopping, and error messages."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.sync.client import connect

from punto.floor.database import open_database
from punto.library import book as read_book
from tests.table.tables import json_limits
from tests.waiting import DEADLINE_S
from tests.web.process import CLEAN, Process, process

pytestmark = pytest.mark.slow


def setup_table(served: Process, book: str = "commission-insurance") -> dict[str, httpx2.Client]:
    """Open a table with betting open; with insurance, also place a bet. Returns the clients by name."""
    admin = served.administrator()
    people = {"administrator": admin}
    for name, position in (("sue", "pit_supervisor"), ("dora", "dealer")):
        body = {"name": name, "position": position, "work": "commands", "table": "t1"}
        token = admin.post("/api/tokens", json=body).json()["token"]
        people[name] = served.client(token)
    sue, dora = people["sue"], people["dora"]
    made = sue.post("/api/tables", json={"name": "t1", "book": book, "shoes": "manual"})
    assert made.status_code == 201, made.text
    layout = "E" if book == "commission-insurance" else "C"
    limits = json_limits(read_book(book))
    give(sue, "open_table", settings={"layout": layout, "boxes": 7, "burn": False, **limits}, float_minor=1_000_00)
    give(sue, "load_shoe", shoe="one", decks=8)
    give(dora, "buy_in", who="box 1", amount_minor=500_00)
    give(dora, "sit", who="box 1", box=1)
    give(dora, "open_betting")
    if book == "commission-insurance":
        give(dora, "place_bet", who="box 1", box=1, bet="player", stake_minor=100_00)
    return people


def give(client: httpx2.Client, command: str, **fields: object) -> None:
    """Give a command that must be accepted."""
    body = {"id": f"{command} {os.urandom(4).hex()}", "command": {"command": f"{command}.1", **fields}}
    answer = client.post("/api/tables/t1/commands", json=body)
    assert answer.status_code == 200, answer.text


def half_a_request(served: Process) -> socket.socket:
    """A connection with an unfinished request."""
    parts = urlsplit(served.url)
    line = socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=DEADLINE_S)
    line.sendall(
        b"POST /api/session HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    return line


# ---- stopping


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly_whoever_is_connected(tmp_path: Path, number: signal.Signals) -> None:
    with process(tmp_path) as served, ExitStack() as held:
        setup_table(served)
        assert served.client().get("/readyz").status_code == 200  # and its connection stays open
        for _ in range(3):
            held.enter_context(half_a_request(served))
            watcher = held.enter_context(connect(served.url.replace("http", "ws") + "/api/live", proxy=None))
            watcher.send('{"ask": "watch", "table": "t1"}')
            assert '"moved"' in str(watcher.recv(DEADLINE_S))
        assert served.stop(number) == 0, served.errors
        assert served.errors == ""


def test_two_signals_are_as_one(tmp_path: Path) -> None:
    with process(tmp_path) as served, half_a_request(served):
        os.kill(served.pid, signal.SIGTERM)
        os.kill(served.pid, signal.SIGINT)
        assert (served.stop(), served.errors) == (0, "")


@pytest.mark.parametrize("book", ["commission-insurance", "commission"])
def test_the_next_start_goes_on_where_it_was(tmp_path: Path, book: str) -> None:
    with process(tmp_path) as served:
        people = setup_table(served, book)
        tokens = {name: client.headers["authorization"].partition(" ")[2] for name, client in people.items()}
        before = people["sue"].get("/api/tables/t1").json()["state"]
        assert before["phase"] == "betting"
        assert served.stop() == 0
    with process(tmp_path) as served:
        assert not any("password" in line for line in served.said)  # no second administrator is created
        sue = served.client(tokens["sue"])
        body = {"id": "wake", "command": {"command": "buy_in.1", "who": "box 1", "amount_minor": 1_00}}
        assert sue.post("/api/tables/t1/commands", json=body).status_code == 200
        after = sue.get("/api/tables/t1").json()["state"]
        # its shoe is a real one: the round goes on, with a record that the server was away
        assert (after["phase"], after["round"]) == (before["phase"], before["round"])
        assert after["balances"]["chips:box 1"] == before["balances"]["chips:box 1"] + 1_00
        assert after["version"] == before["version"] + 2
        assert served.stop() == 0


def test_killed_it_goes_on_as_well(tmp_path: Path) -> None:
    with process(tmp_path) as served:
        token = setup_table(served)["sue"].headers["authorization"].partition(" ")[2]
        served.kill()
    with process(tmp_path) as served:
        assert served.client(token).get("/api/tables/t1").status_code == 200


# ---- where it listens


def test_it_listens_on_this_machine_alone_unless_told(tmp_path: Path) -> None:
    with process(tmp_path) as served:
        parts = urlsplit(served.url)
        assert parts.hostname == "127.0.0.1"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", int(parts.port or 0)), timeout=DEADLINE_S)
    with process(tmp_path, "--host", "0.0.0.0") as served:  # noqa: S104 - told
        socket.create_connection(("127.0.0.2", int(urlsplit(served.url).port or 0)), timeout=DEADLINE_S).close()


# ---- error messages


def refused(folder: Path, *flags: str, environment: dict[str, str] | None = None) -> str:
    """It ends at once with exit status 2 and a message."""
    done = subprocess.run(
        [sys.executable, "-m", "punto", "serve", *flags],
        cwd=folder,
        env={**CLEAN, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = refused(tmp_path, "--port", port)
        assert "Cannot listen at 127.0.0.1 port " + port in said
        assert not (tmp_path / "punto.db").exists()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--host", "256.1.1.1"], "Cannot listen"),
        pytest.param(["--host", "no.such.host.invalid"], "Cannot listen", marks=pytest.mark.nightly),
        (["--port", "70000"], "not a valid port"),
        pytest.param(["--port", "-1"], "not a valid port", marks=pytest.mark.nightly),
        (["--log", "loud"], "Use debug, info, warning or error"),
        (["--log-file", "no/such/folder/log"], "cannot be written"),
        pytest.param(["--origin", "punto.example"], "not a valid origin", marks=pytest.mark.nightly),
        pytest.param(["--asks-per-s", "0"], "It must be 1 to 1000000", marks=pytest.mark.nightly),
        (["--config", "nowhere.toml"], "The file nowhere.toml does not exist"),
        (["--db", "no/such/folder/floor.db"], "no/such/folder"),
        pytest.param(["--port", "x"], "not a valid integer", marks=pytest.mark.nightly),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, flags: list[str], words: str) -> None:
    assert words in refused(tmp_path, "--port", "0", *flags)


def test_a_database_that_does_not_answer_and_its_password_is_not_told(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and nothing listens there
        db = f"postgresql://punto:geheimnis@127.0.0.1:{nobody.getsockname()[1]}/floor"
        said = refused(tmp_path, "--port", "0", "--db", db)
        assert "geheimnis" not in said
        assert said.splitlines()[-1].startswith("Refused (database_lost): ")  # after what the log says


def test_a_file_that_is_no_floor(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("these are notes")
    assert "notes" in refused(tmp_path, "--port", "0", "--db", "notes.db")


def test_a_floor_that_runs_already(tmp_path: Path) -> None:
    database = open_database(str(tmp_path / "floor.db"))
    try:
        assert database.enter()
        assert "already uses this database" in refused(tmp_path, "--port", "0", "--db", "floor.db")
    finally:
        database.close()


@pytest.mark.parametrize("missing", ["uvicorn", "starlette", "argon2", "apsw", "prometheus_client"])
def test_an_extra_that_is_not_installed(tmp_path: Path, missing: str) -> None:
    blocked = f"import sys; sys.modules[{missing!r}] = None\n"
    (tmp_path / "sitecustomize.py").write_text(blocked)
    said = refused(tmp_path, "--port", "0", environment={"PYTHONPATH": str(tmp_path)})
    assert missing in said
    assert "punto[serve]" in said


def test_what_it_prints_names_no_password_of_a_database(tmp_path: Path) -> None:
    with process(tmp_path, "--db", "floor.db") as served:
        assert served.said[-1] == f"Punto serves floor.db at {served.url}"
        assert served.errors == ""
