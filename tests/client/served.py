"""A ``punto serve`` process that a test can kill and start again."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from punto.client import AsyncClient, Client
from punto.floor.database import read_database
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import Pace, TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.web.views.visibility import without_tray
from tests.floor.play_money import set_rules
from tests.floor.playing import MANAGER, At, manual_table, running
from tests.floor.staff_floor import SetClock, Staffed
from tests.waiting import DEADLINE_S

BUY_IN_MINOR = 1_000_00
QUICK = Pace(**{**dict.fromkeys(Pace.__struct_fields__, 0.002), "close_betting_s": 0.02})
"""Fast enough for constant events, slow enough to leave the machine to others."""

HALL = 16
"""Tables for tests that share a server."""


def client_at(url: str, token: str | None = None) -> Client:
    """A client as patient as a test."""
    return Client(url, token, patience_s=DEADLINE_S, timeout_s=DEADLINE_S)


def async_client_at(url: str, token: str | None = None) -> AsyncClient:
    """The same, asynchronous."""
    return AsyncClient(url, token, patience_s=DEADLINE_S, timeout_s=DEADLINE_S)


class Server:
    """``punto serve`` on a database. Killed at the end, if it is still running."""

    def __init__(self, db: Path, *flags: str) -> None:
        self.db, self._flags = db, flags
        self.port = 0
        self.start()

    def start(self) -> None:
        """Start it, at the same address as before, if any."""
        self._log = self.db.with_suffix(".log").open("ab")
        flags = ("--db", str(self.db), "--port", str(self.port), "--log", "warning", *self._flags)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "punto", "serve", *flags],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if " at http://" in line:
                self.port = int(line.rpartition(":")[2])
                return
        raise AssertionError(f"it has ended: {self._process.wait()}; {self.db.with_suffix('.log').read_text()[-2000:]}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """Kill it, as a power failure would."""
        self._process.kill()
        self._end()

    def stop(self) -> None:
        """Stop it, as an operator would."""
        self._process.terminate()
        self._end()

    def _end(self) -> None:
        self._process.wait(DEADLINE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()


def prepared(db: Path, prepare: Callable[[Floor], Awaitable[None]]) -> str:
    """Prepare a floor before it is served. Returns a supervisor's token."""

    async def whole() -> str:
        async with running(str(db)) as floor:
            await prepare(floor)
            supervisor = await Staffed(floor, SetClock()).hired("sam", Position.PIT_SUPERVISOR)
            names = tuple(sorted(floor.tables))
            await set_rules(Visitors(floor), FloorRules(True, BUY_IN_MINOR, 1, names))  # noqa: FBT003
            return supervisor

    return asyncio.run(whole())


async def by_hand(floor: Floor) -> None:
    """A table with a real shoe that waits for commands, with ann and ben seated."""
    await manual_table(floor, "salon 1", "commission-insurance")


async def a_hall(floor: Floor) -> None:
    for number in range(1, HALL + 1):
        await manual_table(floor, f"salon {number}", "commission-insurance")


async def by_itself(floor: Floor) -> None:
    """A table that runs by itself."""
    await automatic(floor, "salon 1")


async def automatic(
    floor: Floor, name: str, rules: str = "commission-insurance", seed: str = "", pace: Pace = QUICK, **changes: Any
) -> None:
    """A table that runs by itself, optionally on a seed."""
    kind = ShoeKind.SEEDED if seed else ShoeKind.VIRTUAL
    await floor.create_table(MANAGER, TableSetup(name, rules, kind, pace=pace, seed=seed))
    await At(floor, name).open(rules, **{"automations": tuple(Automation), **changes})


def journal_of(db: Path, table: str = "salon 1", opening: int = 1) -> list[Entry]:
    """All entries of an opening, read from the database. A server may be running on it."""
    database = read_database(str(db))
    try:
        head = database.reading(lambda transaction: streams.head(transaction, f"{table}/{opening}")).result()
        return list(streams.read_all(database, head))
    finally:
        database.close()


def told_of(entry: Entry) -> dict[str, Any]:
    """The event of an entry, as shown to staff who count the tray."""
    told: dict[str, Any] = msgspec.json.decode(entry.event)
    return without_tray(told)
