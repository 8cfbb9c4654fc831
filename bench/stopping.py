"""How long it takes to stop, and to be replaced.

A server is told to stop while clients watch a table and others have sent half a request. A process that runs a table
is killed, and another takes the table over: on a file one that is started after that, with ``--db postgresql://...``
one that is waiting beside it. Ctrl-C stops a simulation, and a cluster that does not answer is given up.
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

from floor import databases, drop, opened
from punto.floor.database import Database, open_database
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper

CLIENTS = 20
TURNS = 3
DEALS_S = 5.0
"""How long a simulation deals before it is stopped."""
LOOK_AGAIN_S = 0.01
AIMS_S = {"stop": 2.0, "replaced": 6.0, "ctrl-c": 10.0, "cluster": 10.0}
HALF = (
    b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
)


def punto(*arguments: str) -> "subprocess.Popen[str]":
    """A process as a user starts it."""
    command = [sys.executable, "-m", "punto", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def seconds_until_end(process: "subprocess.Popen[str]", status: int) -> float:
    """From now until it ends, as it should."""
    began_s = time.perf_counter()
    ended = process.wait()
    if ended != status:
        raise SystemExit(f"it ended with {ended}, not with {status}")
    return time.perf_counter() - began_s


# ---- a server


def stop_server(folder: Path) -> float:
    """Seconds from SIGTERM to the end, with clients connected."""
    with (
        punto("serve", "--port", "0", "--log", "warning", "--db", str(folder / "floor.db")) as process,
        ExitStack() as held,
    ):
        address = next(line.rpartition(" at ")[2].strip() for line in process.stdout or () if " at http://" in line)
        parts = urlsplit(address)
        for _ in range(CLIENTS):
            watcher = held.enter_context(connect(f"ws://{parts.netloc}/api/live", proxy=None))
            watcher.send('{"ask": "watch", "table": "Orchid"}')
            watcher.recv()
            line = held.enter_context(socket.create_connection((parts.hostname or "", parts.port or 0)))
            line.sendall(HALF)
        process.send_signal(signal.SIGTERM)
        return seconds_until_end(process, 0)


# ---- a process that runs a table


async def keep(url: str) -> None:
    """Run every table that nobody else runs, for ever."""
    floor = await Floor.start(open_database(url))
    print(floor.process, flush=True)
    await Keeper(floor).run()


async def set_up(url: str) -> None:
    """A table with a round open."""
    database = open_database(url)
    await opened(await Floor.start(database), "t1")
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
    """Seconds from the end of a process to the moment that another runs its table."""
    asyncio.run(set_up(url))
    database = open_database(url)
    try:
        with keeper(url) as first, ExitStack() as held:
            name = _name(first)
            _wait(lambda: _runs(database) == name)
            if database.shared:
                _name(held.enter_context(keeper(url)))
            first.kill()
            began_s = time.perf_counter()
            first.wait()
            if not database.shared:
                held.enter_context(keeper(url))
            _wait(lambda: _runs(database) != name)
            return time.perf_counter() - began_s
    finally:
        database.close()


def _name(process: "subprocess.Popen[str]") -> str:
    return next(iter(process.stdout or ())).strip()


def _runs(database: Database) -> str:
    """The process that runs the table."""
    return str(database.reading(lambda transaction: transaction.rows("SELECT held_by FROM tables")).result()[0][0])


def _wait(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(LOOK_AGAIN_S)


# ---- simulations


def stop_simulation() -> float:
    """Seconds from ctrl-C to the end, with what was dealt until then."""
    with punto("simulate", "commission", "--rounds", "900000000000", "--json") as process:
        time.sleep(DEALS_S)
        process.send_signal(signal.SIGINT)
        took_s = seconds_until_end(process, 130)
        if not json.loads("".join(process.stdout or ()))["rounds"]:
            raise SystemExit("nothing was dealt")
        return took_s


def give_up_cluster() -> float:
    """Seconds until a cluster that takes connections and says nothing is given up: its time-out is 5, twice at most."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with punto("simulate", "commission", "--shoes", "10", "--cluster", address) as process:
            return seconds_until_end(process, 2)


# ---- all of it


def measure(url: str) -> None:
    """Each some times over: the slowest counts."""
    with tempfile.TemporaryDirectory(prefix="punto-bench-") as directory:
        folders = [Path(directory) / str(turn) for turn in range(TURNS)]
        for folder in folders:
            folder.mkdir()
        _print("a server told to stop", "stop", [stop_server(folder) for folder in folders])
        made: list[str] = []
        try:
            fresh = databases(url, made) if url else (str(folder / "kept.db") for folder in folders)
            _print("a killed process replaced", "replaced", [replace_killed(next(fresh)) for _ in folders])
        finally:
            if url:
                drop(url, made)
        _print("a simulation stopped by ctrl-C", "ctrl-c", [stop_simulation() for _ in folders])
        _print("a silent cluster given up", "cluster", [give_up_cluster() for _ in folders])


def _print(what: str, aim: str, took_s: list[float]) -> None:
    print(f"{what:32} {max(took_s):5.2f} s at most of {len(took_s)}  (aim: {AIMS_S[aim]:g})", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", default="", help="a PostgreSQL server on which databases may be created")
    parser.add_argument("--keep", default="", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.keep:
        asyncio.run(keep(wanted.keep))
    else:
        measure(wanted.db)


if __name__ == "__main__":
    main()
