"""How long it takes to stop a process, and to replace it.

A server is stopped while some clients watch a table and others have sent half a request. A process that runs a table is
killed, and another takes the table over: on a file one that is started afterwards, with ``--db postgresql://...`` one
that is already waiting. A simulation is stopped with ctrl-C. A simulation on a cluster that does not answer gives up.
"""

import argparse
import asyncio
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from websockets.sync.client import connect

from floor import databases, drop, name_key, open_table
from punto.floor.database import open_database
from punto.floor.database.base import Database
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper

CLIENTS = 20
TURNS = 3
SIMULATION_S = 5.0  # before ctrl-C
POLL_S = 0.01
AIMS_S = {"stop": 2.0, "replaced": 6.0, "ctrl-c": 10.0, "cluster": 10.0}
HALF_A_REQUEST = (
    b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
)


def punto(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "punto", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def seconds_until_end(process: "subprocess.Popen[str]", status: int) -> float:
    """Wait for the process to end with this exit status."""
    started_s = time.perf_counter()
    actual = process.wait()
    if actual != status:
        raise SystemExit(f"exit status {actual}, expected {status}")
    return time.perf_counter() - started_s


# ---- a server


def stop_server(folder: Path) -> float:
    """Seconds from SIGTERM to the end, with clients connected."""
    with (
        punto("serve", "--port", "0", "--log", "warning", "--db", str(folder / "floor.db")) as process,
        ExitStack() as connections,
    ):
        address = next(line.rpartition(" at ")[2].strip() for line in process.stdout or () if " at http://" in line)
        parts = urlsplit(address)
        for _ in range(CLIENTS):
            watcher = connections.enter_context(connect(f"ws://{parts.netloc}/api/live", proxy=None))
            watcher.send('{"ask": "watch", "table": "Orchid"}')
            watcher.recv()
            half = connections.enter_context(socket.create_connection((parts.hostname or "", parts.port or 0)))
            half.sendall(HALF_A_REQUEST)
        process.send_signal(signal.SIGTERM)
        return seconds_until_end(process, 0)


# ---- a process that runs a table


async def keep(url: str) -> None:
    """Run every table that no other process runs, for ever."""
    floor = await Floor.start(open_database(url))
    print(floor.process, flush=True)
    await Keeper(floor).run()


async def set_up(url: str) -> None:
    """Create a table with betting open."""
    database = open_database(url)
    await open_table(await Floor.start(database), "t1")
    database.close()


@contextmanager
def keeper(url: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that runs tables."""
    command = [sys.executable, __file__, "--keep", url]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def replace_killed(url: str) -> float:
    """Seconds from the end of a process until another runs its table."""
    asyncio.run(set_up(url))
    database = open_database(url)
    try:
        with keeper(url) as first, ExitStack() as keepers:
            name = _name(first)
            _wait(lambda: _owner(database) == name)
            if database.shared:
                _name(keepers.enter_context(keeper(url)))
            first.kill()
            started_s = time.perf_counter()
            first.wait()
            if not database.shared:
                keepers.enter_context(keeper(url))
            _wait(lambda: _owner(database) != name)
            return time.perf_counter() - started_s
    finally:
        database.close()


def _name(process: "subprocess.Popen[str]") -> str:
    return next(iter(process.stdout or ())).strip()


def _owner(database: Database) -> str:
    """Name of the process that runs the table."""
    return str(database.reading(lambda transaction: transaction.rows("SELECT held_by FROM tables")).result()[0][0])


def _wait(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(POLL_S)


# ---- simulations


def stop_simulation() -> float:
    """Seconds from ctrl-C to the end, with the results so far printed."""
    with punto("simulate", "commission", "--rounds", "900000000000", "--json") as process:
        time.sleep(SIMULATION_S)
        process.send_signal(signal.SIGINT)
        took_s = seconds_until_end(process, 130)
        if not json.loads("".join(process.stdout or ()))["rounds"]:
            raise SystemExit("nothing was dealt")
        return took_s


def give_up_cluster() -> float:
    """Seconds until a silent cluster is given up. The timeout is 5 s, and it can apply twice."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with punto("simulate", "commission", "--shoes", "10", "--cluster", address) as process:
            return seconds_until_end(process, 2)


# ---- main


def measure(url: str) -> None:
    """Measure each several times, and print the slowest."""
    with tempfile.TemporaryDirectory(prefix="punto-bench-") as directory:
        name_key(directory)
        folders = [Path(directory) / str(turn) for turn in range(TURNS)]
        for folder in folders:
            folder.mkdir()
        _print("stop a server", "stop", [stop_server(folder) for folder in folders])
        names: list[str] = []
        try:
            fresh = databases(url, names) if url else (str(folder / "kept.db") for folder in folders)
            _print("replace a killed process", "replaced", [replace_killed(next(fresh)) for _ in folders])
        finally:
            if url:
                drop(url, names)
        _print("stop a simulation with ctrl-C", "ctrl-c", [stop_simulation() for _ in folders])
        _print("give up a silent cluster", "cluster", [give_up_cluster() for _ in folders])


def _print(what: str, aim: str, took_s: list[float]) -> None:
    print(f"{what:32} {max(took_s):5.2f} s at most of {len(took_s)}  (aim: {AIMS_S[aim]:g})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", default="", help="use new databases on this PostgreSQL server instead of files")
    parser.add_argument("--keep", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.keep:
        asyncio.run(keep(arguments.keep))
    else:
        measure(arguments.db)


if __name__ == "__main__":
    main()
