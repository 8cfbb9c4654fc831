"""A floor over HTTP: durable bets per second, compared with a bare echo of the same body on the same server.

The server is one process, on a file, with its log; the clients are another. Each connection is a visitor who sits at a
table, raises their bet, waits for the answer, and raises it again; the echo gets the same bytes over the same number of
connections. Then many clients watch one table: the delay from an event's time stamp, before it is on disk, until each
of them has it. Then the size of a page and of its updates, measured by ``bench/pages.py`` on a floor of its own. Then a
longer run of bets, with watchers that come and go: the server's memory and open files.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from _web_clients import JsonObject, ask, run_on_uvloop, watch
from pages import measure_bytes
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.web.config import Config
from punto.web.http.context import Service
from punto.web.pages import page_routes
from punto.web.server import json_logs
from punto.web.server.run import Ready, run

CONNECTIONS = 64
TABLES = (64, 16)
TURNS = 3
SECONDS = 3.0
AIM = 0.5
WATCHERS = 300
UPDATES_PER_S = 20
AIM_MS = 50
LONG_S = 60.0
AIM_GROWTH_PERCENT = 2.0
"""Growth of memory from the middle of the long run to its end; less than this counts as flat."""
PAGES_S = 20.0
"""Time to watch each page for updates."""
MEASURED_PATHS = ("/api/tables/t0",)

BOSS = Actor("max", Position.PIT_MANAGER)


# ---- the server


def serve(path: str) -> None:
    """In a process of its own: serve, and print the port and the visitors once the tables are open."""
    config = Config(
        db=path,
        port=0,
        log_file=f"{path}.log",
        commands_per_s=10**6,
        accepted_per_min=10**8,
        accepted_per_min_from=10**8,
        asks_per_s=10**6,
        sign_ins_per_min=10**6,
        sockets_each=10**4,
        lines_each=10**4,
        empty=True,
        house_players=0,
    )
    json_logs.set_up(config.log, config.log_file)
    tasks: list[asyncio.Task[None]] = []

    def ready(service: Service, where: Ready) -> None:
        tasks.append(asyncio.get_running_loop().create_task(prepare(service, where.address)))

    run(config, ready, lambda service: [*page_routes(service), Route("/echo", echo, methods=["POST"])])


async def echo(request: Request) -> Response:
    """The bare minimum: decode JSON and send it back."""
    return Response(json.dumps(await request.json()), media_type="application/json")


async def prepare(service: Service, address: str) -> None:
    """Open tables with betting open, and seat visitors."""
    people: list[JsonObject] = []
    names = {
        (tables, number): f"t{number}" if tables == TABLES[0] else f"t{number} of {tables}"
        for tables in TABLES
        for number in range(tables)
    }
    for name in names.values():
        await open_table(service.floor, name)
    await service.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, tables=tuple(names.values())))
    for tables in TABLES:
        each = CONNECTIONS // tables
        for number in range(tables):
            table = names[tables, number]
            for box in range(1, each + 1):
                name = f"v{number}.{box} of {tables}"
                token = (await service.visitors.enter(name)).token
                seat = {"who": name, "box": box}
                await give(service.floor, THE_HOUSE, table, {"command": "buy_in.1", "who": name, "amount_minor": 10**9})
                await give(service.floor, Actor(name, Position.PLAYER), table, {"command": "sit.1", **seat})
                people.append({"tables": tables, "table": table, "token": token, **seat})
            await give(service.floor, BOSS, table, {"command": "open_betting.1"})
    service.floor_view.refresh()
    print(json.dumps({"port": int(address.rpartition(":")[2]), "people": people}), flush=True)


async def open_table(floor: Floor, name: str) -> None:
    """Open a table and load a shoe."""
    await floor.create_table(BOSS, TableSetup(name, "commission", ShoeKind.MANUAL))
    layout = next(iter(book("commission").layouts))
    settings = msgspec.to_builtins(Settings(layout=layout, boxes=7, burn=False))
    await give(floor, BOSS, name, {"command": "open_table.1", "settings": settings, "float_minor": 10**9})
    await give(floor, BOSS, name, {"command": "load_shoe.1", "shoe": f"shoe {name}", "decks": 8})


async def give(floor: Floor, by: Actor, table: str, body: JsonObject) -> None:
    """Give a command that must be accepted."""
    answer = await floor.submit(by, table, f"{table} {body['command']} {body.get('who', '')}", body)
    if answer.refusal is not None:
        raise SystemExit(answer.refusal.message)


# ---- the processes


@contextmanager
def served(path: str) -> Iterator[tuple[JsonObject, int]]:
    """Start a server. Yields its port and visitors, and its process id."""
    with subprocess.Popen([sys.executable, __file__, "--serve", path], stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                raise SystemExit("the server did not start")
            yield json.loads(line), process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def start_clients(what: str, **spec: Any) -> Callable[[], JsonObject]:
    """Start clients in a process of their own. Call the result to wait for their measurements."""
    process = subprocess.Popen(
        [sys.executable, __file__, f"--{what}", json.dumps(spec)], stdout=subprocess.PIPE, text=True
    )

    def result() -> JsonObject:
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(process.returncode)
        measured: JsonObject = json.loads(output)
        return measured

    return result


def measure_bets(server: JsonObject, seconds: float) -> None:
    """Measure bets and echoes in alternation, and print the best of each."""
    print(f"{CONNECTIONS} connections    bets/s   echoes/s   ratio   p50 ms   p99 ms")
    for tables in TABLES:
        people = [person for person in server["people"] if person["tables"] == tables]
        bets: JsonObject = {"rate": 0.0}
        echoes: JsonObject = {"rate": 0.0}
        for _ in range(TURNS):
            spec = {"port": server["port"], "seconds": seconds, "people": people}
            turn = start_clients("ask", path="/echo", **spec)()
            echoes = max(echoes, turn, key=lambda measured: measured["rate"])
            turn = start_clients("ask", path="/api/tables/{table}/commands", **spec)()
            bets = max(bets, turn, key=lambda measured: measured["rate"])
        aim = f"  (aim: {AIM})" if tables == TABLES[0] else ""
        ratio = bets["rate"] / echoes["rate"]
        print(
            f"{tables:3} tables       {bets['rate']:9,.0f}  {echoes['rate']:9,.0f}   {ratio:5.2f}"
            f"   {bets['p50_ms']:6.2f}   {bets['p99_ms']:6.2f}{aim}",
            flush=True,
        )


def measure_watching(server: JsonObject, seconds: float) -> None:
    """Measure the delay of events at the watchers."""
    people = server["people"][:1]
    spec = {"port": server["port"], "seconds": seconds + 3}
    watching = start_clients("watch", table=people[0]["table"], token="", count=WATCHERS, **spec)
    path = "/api/tables/{table}/commands"
    start_clients("ask", path=path, people=people, every_s=1 / UPDATES_PER_S, **{**spec, "seconds": seconds + 2})()
    measured = watching()
    print(
        f"{WATCHERS} watchers, {UPDATES_PER_S} updates/s: {measured['received']:,} received,"
        f" p50 {measured['p50_ms']:.1f} ms, p99 {measured['p99_ms']:.1f} ms (aim: {AIM_MS}),"
        f" at most {measured['max_ms']:.1f} ms"
        f"{'' if measured['complete'] else '; SOME ARE MISSING'}; an update is {measured['bytes']:,} bytes",
        flush=True,
    )


def measure_sizes(server: JsonObject) -> None:
    with httpx2.Client(base_url=f"http://127.0.0.1:{server['port']}", trust_env=False) as client:
        for path in MEASURED_PATHS:
            print(f"{path}: {len(client.get(path).raise_for_status().content):,} bytes", flush=True)


def measure_long(server: JsonObject, pid: int, seconds: float) -> None:
    """Print the server's memory and open files, while visitors bet and watchers come and go."""
    people = [person for person in server["people"] if person["tables"] == TABLES[0]]
    spec = {"port": server["port"], "people": people, "path": "/api/tables/{table}/commands", "every_s": 0.1}
    memory: list[int] = []
    for at in ("start", "middle", "end"):
        memory.append(memory_kib(pid))
        print(f"{at:7} {memory[-1]:9,} KiB, {len(list(Path(f'/proc/{pid}/fd').iterdir())):4} open files", flush=True)
        if at != "end":
            watching = {"port": server["port"], "table": "t0", "token": "", "count": 50, "every_s": 1.0}
            half_s = seconds / 2
            bets, watchers = (
                start_clients("ask", seconds=half_s, **spec),
                start_clients("watch", seconds=half_s, **watching),
            )
            bets()
            watchers()
            time.sleep(1)
    growth = 100 * (memory[-1] - memory[-2]) / memory[-2]
    print(f"growth from middle to end {growth:+.1f}% (aim: flat, under {AIM_GROWTH_PERCENT:.0f}%)", flush=True)


def memory_kib(pid: int) -> int:
    """Resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="duration of each turn")
    parser.add_argument("--long", type=float, default=LONG_S, help="seconds of the long run; 0 for none")
    parser.add_argument("--directory", default=None, help="directory for the files, on a disk and not in memory")
    parser.add_argument("--only", choices=("bets", "watching", "bytes", "long"), default="", help="measure only this")
    for what in ("serve", "ask", "watch"):
        parser.add_argument(f"--{what}", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve)
    elif arguments.ask or arguments.watch:
        work = ask(json.loads(arguments.ask)) if arguments.ask else watch(json.loads(arguments.watch))
        print(json.dumps(run_on_uvloop(work)))
    else:
        with (
            tempfile.TemporaryDirectory(prefix="punto-bench-", dir=arguments.directory) as directory,
            served(str(Path(directory) / "floor.db")) as (server, pid),
        ):
            if arguments.only in ("", "bets"):
                measure_bets(server, arguments.seconds)
            if arguments.only in ("", "watching"):
                measure_watching(server, arguments.seconds)
            if arguments.only in ("", "bytes"):
                measure_sizes(server)
                measure_bytes(PAGES_S)
            if arguments.only in ("", "long") and arguments.long:
                measure_long(server, pid, arguments.long)


if __name__ == "__main__":
    main()
