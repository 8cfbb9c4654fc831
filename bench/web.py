"""A floor over HTTP: durable bets a second, beside a bare echo of the same body on the same server, in one run.

The server is a process of its own, on a file, with its log; whoever asks is another. Each connection is a visitor who
sits at a table, raises his bet there, waits for the answer, and raises it again; the echo gets the same bytes over as
many connections. Then many clients watch one table: how long it takes from the moment an event is stamped, before it
is on the disk, until each of them has it. Then the bytes of a first page and of an update of it, as ``bench/pages.py``
counts them on a floor of its own. Then a longer run of bets and watchers that come and go: what the server holds in
memory and in open files.
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
from _web_clients import Told, ask, quickly, watch
from pages import measure_bytes
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.people.accounts import THE_CONSOLE
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
AIM_GROWTH = 2.0
"""Per cent of memory from the middle of the long run to its end: under this it counts as flat."""
PAGES_S = 20.0
"""So long each page is watched for its updates."""
SHOWN = ("/api/tables/t0",)
"""Of these it is said how many bytes they are."""

BOSS = Actor("max", Position.PIT_MANAGER)


# ---- the server


def server(path: str) -> None:
    """In a process of its own: serve, and say where and to whom once the tables are open."""
    config = Config(
        db=path,
        port=0,
        log_file=f"{path}.log",
        commands_per_s=10**6,
        asks_per_s=10**6,
        sign_ins_per_min=10**6,
        sockets_each=10**4,
        lines_each=10**4,
        empty=True,
        house_players=0,
    )
    json_logs.set_up(config.log, config.log_file)
    begun: list[asyncio.Task[None]] = []

    def ready(service: Service, where: Ready) -> None:
        begun.append(asyncio.get_running_loop().create_task(prepare(service, where.address)))

    run(config, ready, lambda service: [*page_routes(service), Route("/echo", echo, methods=["POST"])])


async def echo(request: Request) -> Response:
    """The bare minimum: read JSON, answer it."""
    return Response(json.dumps(await request.json()), media_type="application/json")


async def prepare(service: Service, address: str) -> None:
    """Tables with bets open, and visitors at their boxes."""
    people: list[Told] = []
    await service.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True))
    for tables in TABLES:
        each = CONNECTIONS // tables
        for number in range(tables):
            table = f"t{number}" if tables == TABLES[0] else f"t{number} of {tables}"
            await opened(service.floor, table)
            for box in range(1, each + 1):
                name = f"v{number}.{box} of {tables}"
                token = (await service.visitors.enter(name)).token
                seat = {"who": name, "box": box}
                await asked(
                    service.floor, THE_HOUSE, table, {"command": "buy_in.1", "who": name, "amount_minor": 10**9}
                )
                await asked(service.floor, Actor(name, Position.PLAYER), table, {"command": "sit.1", **seat})
                people.append({"tables": tables, "table": table, "token": token, **seat})
            await asked(service.floor, BOSS, table, {"command": "open_betting.1"})
    print(json.dumps({"port": int(address.rpartition(":")[2]), "people": people}), flush=True)


async def opened(floor: Floor, name: str) -> None:
    """A table with a shoe."""
    await floor.create_table(BOSS, TableSetup(name, "commission", ShoeKind.MANUAL))
    layout = next(iter(book("commission").layouts))
    settings = msgspec.to_builtins(Settings(layout=layout, boxes=7, burn=False))
    await asked(floor, BOSS, name, {"command": "open_table.1", "settings": settings, "float_minor": 10**9})
    await asked(floor, BOSS, name, {"command": "load_shoe.1", "shoe": f"shoe {name}", "decks": 8})


async def asked(floor: Floor, by: Actor, table: str, body: Told) -> None:
    """A command that has to be accepted."""
    answer = await floor.submit(by, table, f"{table} {body['command']} {body.get('who', '')}", body)
    if answer.refusal is not None:
        raise SystemExit(answer.refusal.message)


# ---- the processes


@contextmanager
def served(path: str) -> Iterator[tuple[Told, int]]:
    """A server, whom it knows, and its process."""
    with subprocess.Popen([sys.executable, __file__, "--serve", path], stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                raise SystemExit("the server did not start")
            yield json.loads(line), process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def begun(what: str, **spec: Any) -> Callable[[], Told]:
    """Clients in a process of their own; call it for what they have found."""
    process = subprocess.Popen(
        [sys.executable, __file__, f"--{what}", json.dumps(spec)], stdout=subprocess.PIPE, text=True
    )

    def result() -> Told:
        said, _ = process.communicate()
        if process.returncode:
            raise SystemExit(process.returncode)
        found: Told = json.loads(said)
        return found

    return result


def measure_bets(told: Told, seconds: float) -> None:
    """Bets beside echoes: by turns, the best of each."""
    print(f"{CONNECTIONS} connections    bets/s   echoes/s   ratio   p50 ms   p99 ms")
    for tables in TABLES:
        people = [person for person in told["people"] if person["tables"] == tables]
        bets: Told = {"rate": 0.0}
        echoes: Told = {"rate": 0.0}
        for _ in range(TURNS):
            spec = {"port": told["port"], "seconds": seconds, "people": people}
            echoes = max(echoes, begun("ask", path="/echo", **spec)(), key=lambda one: one["rate"])
            bets = max(bets, begun("ask", path="/api/tables/{table}/commands", **spec)(), key=lambda one: one["rate"])
        aim = f"  (aim: {AIM})" if tables == TABLES[0] else ""
        ratio = bets["rate"] / echoes["rate"]
        print(
            f"{tables:3} tables       {bets['rate']:9,.0f}  {echoes['rate']:9,.0f}   {ratio:5.2f}"
            f"   {bets['p50_ms']:6.2f}   {bets['p99_ms']:6.2f}{aim}",
            flush=True,
        )


def measure_watching(told: Told, seconds: float) -> None:
    """How late everybody knows."""
    people = told["people"][:1]
    spec = {"port": told["port"], "seconds": seconds + 3}
    watching = begun("watch", table=people[0]["table"], token="", count=WATCHERS, **spec)
    path = "/api/tables/{table}/commands"
    begun("ask", path=path, people=people, every_s=1 / UPDATES_PER_S, **{**spec, "seconds": seconds + 2})()
    found = watching()
    print(
        f"{WATCHERS} watching, {UPDATES_PER_S} updates/s: {found['came']:,} came, p50 {found['p50_ms']:.1f} ms,"
        f" p99 {found['p99_ms']:.1f} ms (aim: {AIM_MS}), most {found['most_ms']:.1f} ms"
        f"{'' if found['complete'] else '; SOME ARE MISSING'}; an update is {found['bytes']:,} bytes",
        flush=True,
    )


def measure_sizes(told: Told) -> None:
    """What goes over the wire when somebody first looks."""
    with httpx2.Client(base_url=f"http://127.0.0.1:{told['port']}", trust_env=False) as client:
        for path in SHOWN:
            print(f"{path}: {len(client.get(path).raise_for_status().content):,} bytes", flush=True)


def measure_long(told: Told, pid: int, seconds: float) -> None:
    """What the server holds, while everybody bets and watchers come and go."""
    people = [person for person in told["people"] if person["tables"] == TABLES[0]]
    spec = {"port": told["port"], "people": people, "path": "/api/tables/{table}/commands", "every_s": 0.1}
    held: list[int] = []
    for at in ("start", "middle", "end"):
        held.append(memory_kib(pid))
        print(f"{at:7} {held[-1]:9,} KiB, {len(list(Path(f'/proc/{pid}/fd').iterdir())):4} open files", flush=True)
        if at != "end":
            told_of = {"port": told["port"], "table": "t0", "token": "", "count": 50, "every_s": 1.0}
            ends = begun("ask", seconds=seconds / 2, **spec), begun("watch", seconds=seconds / 2, **told_of)
            for one in ends:
                one()
            time.sleep(1)
    growth = 100 * (held[-1] - held[-2]) / held[-2]
    print(f"growth from middle to end {growth:+.1f}% (aim: flat, under {AIM_GROWTH:.0f}%)", flush=True)


def memory_kib(pid: int) -> int:
    """What a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each turn")
    parser.add_argument("--long", type=float, default=LONG_S, help="seconds of the long run; 0: none")
    parser.add_argument("--directory", default=None, help="where the files go: a disk, not memory")
    parser.add_argument("--only", choices=("bets", "watching", "bytes", "long"), default="")
    for what in ("serve", "ask", "watch"):
        parser.add_argument(f"--{what}", default="", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        server(wanted.serve)
    elif wanted.ask or wanted.watch:
        work = ask(json.loads(wanted.ask)) if wanted.ask else watch(json.loads(wanted.watch))
        print(json.dumps(quickly(work)))
    else:
        with (
            tempfile.TemporaryDirectory(prefix="punto-bench-", dir=wanted.directory) as directory,
            served(str(Path(directory) / "floor.db")) as (told, pid),
        ):
            if wanted.only in ("", "bets"):
                measure_bets(told, wanted.seconds)
            if wanted.only in ("", "watching"):
                measure_watching(told, wanted.seconds)
            if wanted.only in ("", "bytes"):
                measure_sizes(told)
                measure_bytes(PAGES_S)
            if wanted.only in ("", "long") and wanted.long:
                measure_long(told, pid, wanted.long)


if __name__ == "__main__":
    main()
