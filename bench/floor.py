"""A floor on disk: durable commands per second, compared with appending the same rows to the same schema.

Each client has a table of its own, raises a bet there, waits until that is on disk, and raises it again. To compare,
the same number of clients append the resulting rows, prepared in advance, through the same writer to another file; then
the rows are appended without clients, as many per commit. After that: memory per table, and start-up time after a long
journal. ``--db postgresql://...`` measures new databases on that server.
"""

import argparse
import asyncio
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import msgspec

from punto.floor.database import open_database
from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import CommandRecord, Entry, follow, write
from punto.floor.journal.replay import take_snapshot
from punto.floor.journal.streams import Head
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import ENTRIES_A_SNAPSHOT
from punto.floor.running.table_setup import TableSetup
from punto.floor.secret_key import KEY_BYTES, VARIABLE
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


async def open_table(floor: Floor, name: str) -> None:
    """Open a table with betting open and ann at box 1."""
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
    """Commands per second, the seconds each took, and the rows written, by client."""
    database = open_database(url)
    floor = await Floor.start(database)
    await asyncio.gather(*(open_table(floor, f"c{clients} {number}") for number in range(clients)))
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


async def append_by_clients(url: str, rows: list[list[Entry]]) -> float:
    """Rows per second with one client per stream, each waiting for the disk before its next row."""
    database = open_database(url)
    heads = [await start_stream(database, entries) for entries in rows]

    async def client(head: Head, entries: list[Entry]) -> None:
        for entry in entries:
            head = await database.write(lambda tx, at=head, one=entry: streams.append(tx, at, [one]))  # type: ignore[misc]

    start = time.perf_counter()
    await asyncio.gather(*map(client, heads, rows))
    passed = time.perf_counter() - start
    database.close()
    return sum(map(len, rows)) / passed


async def append_rows(url: str, rows: list[list[Entry]]) -> float:
    """Rows per second without clients: transactions one after the other, each with one row per stream."""
    database = open_database(url)
    heads = [await start_stream(database, entries) for entries in rows]
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


async def start_stream(database: Database, entries: list[Entry]) -> Head:
    """Create the stream of these rows, with its head just before the first of them."""
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
    """In a process of its own: start a floor, and print the seconds and the memory it took."""

    async def start() -> None:
        database = open_database(url)
        started_s, before_kib = time.perf_counter(), memory_kib()
        floor = await Floor.start(database)
        print(time.perf_counter() - started_s, memory_kib() - before_kib, len(floor.tables))
        database.close()

    asyncio.run(start())


def memory_kib() -> int:
    """Resident memory of this process."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure_start(url: str) -> tuple[float, int, int]:
    """Start a floor in a new process. Returns seconds, KiB, and the number of tables."""
    done = subprocess.run(
        [sys.executable, __file__, "--start", "--db", url], check=True, capture_output=True, text=True
    ).stdout.split()
    return float(done[0]), int(done[1]), int(done[2])


async def many_tables(url: str) -> None:
    """Create ``TABLES`` tables with betting open."""
    database = open_database(url)
    floor = await Floor.start(database)
    for first in range(0, TABLES, 50):
        await asyncio.gather(*(open_table(floor, f"t{number}") for number in range(first, first + 50)))
    database.close()


async def lengthen(url: str, length: int) -> None:
    """Create one table whose journal has ``length`` entries, chained like any other, with its last snapshot."""
    database = open_database(url)
    floor = await Floor.start(database)
    await open_table(floor, "t1")
    live = floor.table("t1")
    state, head = live.state, live.head
    rules = book("commission")
    bet = PlaceBet("ann", Position.PLAYER, "ann", 1, "player", 1)
    for first in range(head.version if head else 0, length, 20_000):
        entries: list[Entry] = []
        start = head
        for _ in range(min(20_000, length - first)):
            events = decide(rules, state, bet)
            if head is None or isinstance(events, Refusal):
                raise SystemExit("the table takes no more bets")
            for event in events:
                state = evolve(state, event)
            record = CommandRecord(
                time.time_ns() // 1_000, "ann", "player", f"long {head.version}", rules.law_hash, write(bet)
            )
            entries += follow(head.stream, head.version, head.hash, record, [write(event) for event in events])
            head = Head(head.stream, head.key, entries[-1].version, entries[-1].hash)
            if head.version % ENTRIES_A_SNAPSHOT == 0:
                snapshot = take_snapshot(state, head)
        await database.write(lambda tx, at=start, all_=entries: streams.append(tx, at, all_))  # type: ignore[misc]
    if head is not None and length >= ENTRIES_A_SNAPSHOT:
        await database.write(lambda tx: streams.save_snapshot(tx, head, snapshot))
    database.close()


# ---- main


def percentile_ms(took_s: list[float], part: float) -> float:
    return sorted(took_s)[min(len(took_s) - 1, int(len(took_s) * part))] * 1_000


def files(directory: str) -> Iterator[str]:
    """A new file for each measurement."""
    number = 0
    while True:
        number += 1
        yield str(Path(directory) / f"{number}.db")


def name_key(directory: str) -> None:
    """Name a new key in the environment: a floor on PostgreSQL does not start without one."""
    path = Path(directory) / "punto.key"
    path.touch(0o600)
    path.write_text(secrets.token_hex(KEY_BYTES), encoding="ascii")
    os.environ[VARIABLE] = str(path)


def databases(url: str, names: list[str]) -> Iterator[str]:
    """A new database on a server for each measurement. Appends their names to ``names``."""
    import psycopg  # noqa: PLC0415 - an extra

    while True:
        names.append(f"punto_bench_{os.getpid()}_{len(names)}")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {names[-1]}".encode())
        yield urlunsplit(urlsplit(url)._replace(path=f"/{names[-1]}"))


def drop(url: str, names: list[str]) -> None:
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(url, autocommit=True) as connection:
        for name in names:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


async def measure(fresh: Iterator[str], seconds: float) -> None:
    """Measure commands and plain rows in alternation, and print the best of each."""
    print("clients   commands/s   by clients/s   ratio   rows only/s   ratio   p50 ms   p99 ms")
    for clients in CLIENTS:
        rate = by_clients = rows_only = 0.0
        took_s: list[float] = []
        for _ in range(TURNS):
            turn_rate, turn_took_s, rows = await commands(next(fresh), clients, seconds)
            if turn_rate > rate:
                rate, took_s = turn_rate, turn_took_s
            by_clients = max(by_clients, await append_by_clients(next(fresh), rows))
            rows_only = max(rows_only, await append_rows(next(fresh), rows))
        aim = f"  (aim: {AIM})" if clients == CLIENTS[-1] else ""
        print(
            f"{clients:7}   {rate:10,.0f}   {by_clients:12,.0f}   {rate / by_clients:5.2f}   {rows_only:11,.0f}"
            f"   {rate / rows_only:5.2f}   {percentile_ms(took_s, 0.5):6.2f}   {percentile_ms(took_s, 0.99):6.2f}{aim}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", default="", help="use new databases on this PostgreSQL server instead of files")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="duration of each measurement")
    parser.add_argument("--start", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.start:
        start_up(arguments.db)
        return
    with tempfile.TemporaryDirectory(prefix="punto-bench-") as directory:
        name_key(directory)
        if arguments.db:
            names: list[str] = []
            try:
                asyncio.run(measure(databases(arguments.db, names), arguments.seconds))
            finally:
                drop(arguments.db, names)
        else:
            fresh = files(directory)
            asyncio.run(measure(fresh, arguments.seconds))
            measure_starts(fresh)


def measure_starts(fresh: Iterator[str]) -> None:
    """Print memory per table, and start-up times."""
    path = next(fresh)
    asyncio.run(many_tables(path))
    seconds, kib, tables = measure_start(path)
    print(f"{tables:,} open tables: {kib / tables:.1f} KiB per table, start-up {seconds:.2f} s")
    for length in LENGTHS:
        path = next(fresh)
        asyncio.run(lengthen(path, length))
        print(f"journal of {length:9,} entries: start-up {measure_start(path)[0]:.3f} s")


if __name__ == "__main__":
    main()
