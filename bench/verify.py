"""How long `punto verify` takes, with signatures and without, and what a signature costs a commit.

    python bench/verify.py [--entries 1000000]

The journal is one table where chips are bought and cashed, each time in a commit of its own: as many signatures as a
journal can have. Times are those of the processor.
"""

import argparse
import asyncio
import os
import secrets
import tempfile
import time
from functools import reduce
from pathlib import Path

from msgspec.structs import astuple

from floor import open_table  # beside this file
from punto.floor.audit.verify import verify
from punto.floor.database import open_database, read_database
from punto.floor.database.signatures import INSERT_LINKS, Appended, Signer
from punto.floor.journal import streams
from punto.floor.journal.entry import CommandRecord, Entry, EntryContext, follow, write
from punto.floor.journal.streams import Head
from punto.floor.running.floor import Floor
from punto.floor.secret_key import KEY_BYTES, VARIABLE, SecretKey, floor_key
from punto.library import book
from punto.rules.refusals import Refusal
from punto.table import decide, evolve
from punto.table.records.commands import BuyIn, CashOut
from punto.table.records.positions import Position
from punto.table.revision import REVISION

AT_ONCE = 20_000


async def make(url: str, entries: int) -> SecretKey:
    """A sound floor with this many entries, all but a few of them in one table."""
    database = open_database(url)
    floor = await Floor.start(database)
    await open_table(floor, "t1")
    live, key = floor.table("t1"), floor_key(database)
    state, head = live.state, live.head
    assert head is not None  # noqa: S101 - it is open
    rules, signer = book("commission"), Signer(key)
    steps = []
    for command in (BuyIn("dora", Position.DEALER, "ann", 100), CashOut("dora", Position.DEALER, "ann", 100)):
        events = decide(rules, state, command)
        if isinstance(events, Refusal):
            raise SystemExit(events.message)
        state = reduce(evolve, events, state)
        steps.append((write(command), [write(event) for event in events]))
    context = EntryContext(REVISION, round=1)
    database.signer = None  # the links below are made one for each command
    await database.write(lambda tx: tx.change("DELETE FROM meta WHERE name = 'signed_with'"))
    while head.version < entries:
        made: list[Entry] = []
        links, start = [], head
        for number in range(min(AT_ONCE, entries - head.version)):
            text, texts = steps[number % 2]
            now_us = time.time_ns() // 1_000
            record = CommandRecord(now_us, "dora", "dealer", f"long {head.version}", rules.law_hash, text, context)
            new = follow(head.stream, head.version, head.hash, record, texts)
            made += new
            link = signer.links({head.key: Appended(head.version + 1, new[-1].version, new[-1].hash)})
            signer.committed(link)
            links += link
            head = Head(head.stream, head.key, new[-1].version, new[-1].hash)
        await database.write(lambda tx, at=start, all_=made: streams.append(tx, at, all_))  # type: ignore[misc]
        await database.write(lambda tx, all_=links: tx.many(INSERT_LINKS, map(astuple, all_)))  # type: ignore[misc]
    public = (key.public_key,)
    await database.write(lambda tx: tx.change("INSERT INTO meta (name, value) VALUES ('signed_with', ?)", public))
    database.close()
    return key


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000)
    entries = parser.parse_args().entries
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "punto.key"
        path.touch(0o600)
        path.write_text(secrets.token_hex(KEY_BYTES), encoding="ascii")
        os.environ[VARIABLE] = str(path)
        url = str(Path(folder) / "floor.db")
        key = asyncio.run(make(url, entries))
        started_s = time.process_time()
        for number in range(10_000):
            key.sign(number.to_bytes(32, "big"))
        print(f"a signature: {(time.process_time() - started_s) * 100:.1f} us")
        del os.environ[VARIABLE]
        path.rename(Path(folder) / "elsewhere")
        for words, public_key in (("without signatures", ""), ("with signatures", key.public_key)):
            database = read_database(url)
            started_s = time.process_time()
            seen = verify(database, public_key=public_key)
            took_s = time.process_time() - started_s
            database.close()
            print(f"verify {words}: {seen.entries:,} entries in {took_s:.1f} s, faults {seen.faults[:2]}")


if __name__ == "__main__":
    main()
