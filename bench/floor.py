"""A floor on a disk: durable commands a second, beside appending the same rows ready-made to the same schema.

Each client has a table of its own, raises a bet there, waits until that is on the disk, and raises it again. Beside it
as many clients append the very rows that came of it, made beforehand, through the same writer, to another file; and
the rows alone, without clients, a commit for as many at a time. Then what a table costs in memory, and how long a
start takes after a long journal. ``--db postgresql://...`` measures fresh databases of that server instead of files.
"""

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import msgspec

from punto.floor.database import Database, Transaction, open_database
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import CommandRecord, Entry, follow, write
from punto.floor.journal.replay import take_snapshot
from punto.floor.journal.streams import Head
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import ENTRIES_A_SNAPSHOT
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.rules.refusals import Refusal
from punto.table import decide, evolve
from punto.table.records.commands import PlaceBet
from punto.table.records.positions import Position
from punto.table.records.settings import Settings

CLIENTS = (1, 8, 64)
SECONDS = 1.5
TURNS = 3
AIM = 0.4
TABLES = 1_000
LENGTHS = (1_000, 100_000, 1_000_000)
BOSS = Actor("max", Position.PIT_MANAGER)
ANN = Actor("ann", Position.PLAYER)
BET = {"command": "place_bet.1", "who": "ann", "box": 1, "bet": "player", "stake_minor": 1}


async def opened(floor: Floor, name: str) -> None:
    """A table with bets open and ann at box 1."""
    await floor.create_table(BOSS, TableSetup(name, "commission", ShoeKind.MANUAL))
    layout = next(iter(book("commission").layouts))
    settings = msgspec.to_builtins(Settings(layout=layout, boxes=7, burn=False))
    for number, (by, body) in enumerate(
        (
            (BOSS, {"command": "open_table.1", "settings": settings, "float_minor": 10**9}),
            (BOSS, {"command": "load_shoe.1", "shoe": f"shoe {name}", "decks": 8}),
            (BOSS, {"command": "buy_in.1", "who": "ann", "amount_minor": 10**9}),
            (ANN, {"command": "sit.1", "who": "ann", "box": 1}),
            (BOSS, {"command": "open_betting.1"}),
        )
    ):
        answer = await floor.submit(by, name, f"{name} opens {number}", body)
        if answer.refusal is not None:
            raise SystemExit(answer.refusal.message)


# ---- commands


async def commands(url: str, clients: int, seconds: float) -> tuple[float, list[float], list[list[Entry]]]:
    """Commands a second, how long each took, and the rows that came of it, by client."""
    database = open_database(url)
    floor = await Floor.start(database)
    await asyncio.gather(*(opened(floor, f"c{clients} {number}") for number in range(clients)))
    took: list[float] = []
    start = time.perf_counter()

    async def client(number: int) -> list[Entry]:
        rows: list[Entry] = []
        table = f"c{clients} {number}"
        while (now := time.perf_counter()) < start + seconds:
            answer = await floor.submit(ANN, table, f"{table} {len(rows)}", BET)
            took.append(time.perf_counter() - now)
            rows.extend(answer.entries)
        return rows

    rows = await asyncio.gather(*map(client, range(clients)))
    passed = time.perf_counter() - start
    database.close()
    return len(took) / passed, took, rows


async def ready_made(url: str, rows: list[list[Entry]]) -> float:
    """The same rows a second by as many clients, each waiting for the disk before the next."""
    database = open_database(url)
    heads = [await begun(database, entries) for entries in rows]

    async def client(head: Head, entries: list[Entry]) -> None:
        for entry in entries:
            head = await database.write(lambda tx, at=head, one=entry: streams.append(tx, at, [one]))  # type: ignore[misc]

    start = time.perf_counter()
    await asyncio.gather(*map(client, heads, rows))
    passed = time.perf_counter() - start
    database.close()
    return sum(map(len, rows)) / passed


async def rows_alone(url: str, rows: list[list[Entry]]) -> float:
    """The same rows a second with no clients at all: one of each in a transaction, one transaction after the other."""
    database = open_database(url)
    heads = [await begun(database, entries) for entries in rows]
    start = time.perf_counter()
    for at in range(max(map(len, rows))):
        together = [(number, entries[at]) for number, entries in enumerate(rows) if at < len(entries)]
        ends = await database.write(
            lambda tx, all_=together: [(number, streams.append(tx, heads[number], [one])) for number, one in all_]  # type: ignore[misc]
        )
        for number, head in ends:
            heads[number] = head
    passed = time.perf_counter() - start
    database.close()
    return sum(map(len, rows)) / passed


async def begun(database: Database, entries: list[Entry]) -> Head:
    """The stream that these rows belong to, at the entry before them."""
    first = entries[0]
    before = "f" * 64

    def work(transaction: Transaction) -> Head:
        head = streams.create(transaction, first.stream)
        transaction.change(
            "UPDATE streams SET version = ?, hash = ? WHERE id = ?", (first.version - 1, before, head.key)
        )
        return Head(head.stream, head.key, first.version - 1, before)

    return await database.write(work)


# ---- memory and start-up


def start_up(url: str) -> None:
    """In a process of its own: start a floor, and say how long that took and how much memory it holds."""

    async def start() -> None:
        database = open_database(url)
        began, held = time.perf_counter(), memory_kib()
        floor = await Floor.start(database)
        print(time.perf_counter() - began, memory_kib() - held, len(floor.tables))
        database.close()

    asyncio.run(start())


def memory_kib() -> int:
    """What the process holds."""
    held = Path("/proc/self/statm")
    if held.exists():
        return int(held.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def started(url: str) -> tuple[float, int, int]:
    """Seconds, KiB and tables of a start."""
    done = subprocess.run(
        [sys.executable, __file__, "--start", "--db", url], check=True, capture_output=True, text=True
    ).stdout.split()
    return float(done[0]), int(done[1]), int(done[2])


async def many_tables(url: str) -> None:
    """So many tables, each open, with bets open."""
    database = open_database(url)
    floor = await Floor.start(database)
    for first in range(0, TABLES, 50):
        await asyncio.gather(*(opened(floor, f"t{number}") for number in range(first, first + 50)))
    database.close()


async def lengthen(url: str, length: int) -> None:
    """One table whose journal has so many entries, chained like any other, with its last snapshot."""
    database = open_database(url)
    floor = await Floor.start(database)
    await opened(floor, "t1")
    live = floor.table("t1")
    state, head = live.state, live.head
    rules = book("commission")
    bet = PlaceBet("ann", Position.PLAYER, "ann", 1, "player", 1)
    for first in range(head.version if head else 0, length, 20_000):
        made: list[Entry] = []
        start = head
        for _ in range(min(20_000, length - first)):
            events = decide(rules, state, bet)
            if head is None or isinstance(events, Refusal):
                raise SystemExit("the table takes no more bets")
            for event in events:
                state = evolve(state, event)
            said = CommandRecord(
                time.time_ns() // 1_000, "ann", "player", f"long {head.version}", rules.law_hash, write(bet)
            )
            made += follow(head.stream, head.version, head.hash, said, [write(event) for event in events])
            head = Head(head.stream, head.key, made[-1].version, made[-1].hash)
            if head.version % ENTRIES_A_SNAPSHOT == 0:
                taken = take_snapshot(state, head)
        await database.write(lambda tx, at=start, all_=made: streams.append(tx, at, all_))  # type: ignore[misc]
    if head is not None and length >= ENTRIES_A_SNAPSHOT:
        await database.write(lambda tx: streams.save_snapshot(tx, head, taken))
    database.close()


# ---- all of it


def percentile(took: list[float], part: float) -> float:
    """In milliseconds."""
    return sorted(took)[min(len(took) - 1, int(len(took) * part))] * 1_000


def files(directory: str) -> Iterator[str]:
    """A fresh file for each measurement."""
    number = 0
    while True:
        number += 1
        yield str(Path(directory) / f"{number}.db")


def databases(url: str, made: list[str]) -> Iterator[str]:
    """A fresh database of a server for each measurement."""
    import psycopg  # noqa: PLC0415 - an extra

    while True:
        made.append(f"punto_bench_{os.getpid()}_{len(made)}")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {made[-1]}".encode())
        yield urlunsplit(urlsplit(url)._replace(path=f"/{made[-1]}"))


def drop(url: str, made: list[str]) -> None:
    """Away with them."""
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


async def measure(fresh: Iterator[str], seconds: float) -> None:
    """Commands, beside rows: by turns, the best of each."""
    print("clients   commands/s   ready-made/s   ratio   rows alone/s   ratio   p50 ms   p99 ms")
    for clients in CLIENTS:
        rate = made = alone = 0.0
        took: list[float] = []
        for _ in range(TURNS):
            one, times, rows = await commands(next(fresh), clients, seconds)
            if one > rate:
                rate, took = one, times
            made = max(made, await ready_made(next(fresh), rows))
            alone = max(alone, await rows_alone(next(fresh), rows))
        aim = f"  (aim: {AIM})" if clients == CLIENTS[-1] else ""
        print(
            f"{clients:7}   {rate:10,.0f}   {made:12,.0f}   {rate / made:5.2f}   {alone:12,.0f}   {rate / alone:5.2f}"
            f"   {percentile(took, 0.5):6.2f}   {percentile(took, 0.99):6.2f}{aim}"
        )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--db", default="", help="a PostgreSQL server on which databases may be created, instead of files"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--start", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.start:
        start_up(wanted.db)
    elif wanted.db:
        made: list[str] = []
        try:
            asyncio.run(measure(databases(wanted.db, made), wanted.seconds))
        finally:
            drop(wanted.db, made)
    else:
        with tempfile.TemporaryDirectory(prefix="punto-bench-") as directory:
            fresh = files(directory)
            asyncio.run(measure(fresh, wanted.seconds))
            measure_starts(fresh)


def measure_starts(fresh: Iterator[str]) -> None:
    """Memory and start-up."""
    path = next(fresh)
    asyncio.run(many_tables(path))
    seconds, kib, tables = started(path)
    print(f"{tables:,} tables open: {kib / tables:.1f} KiB a table, start-up {seconds:.2f} s")
    for length in LENGTHS:
        path = next(fresh)
        asyncio.run(lengthen(path, length))
        print(f"a journal of {length:9,} entries: start-up {started(path)[0]:.3f} s")


if __name__ == "__main__":
    main()
