"""A floor of this release, with a table stopped in every stage of a round.

``python -m tests.floor.upgrades.this_release URL BOOK`` writes one, prints its manifest and waits to be killed. That is
how :mod:`tests.floor.upgrades.write_old_floors` runs it with the code of a release that has the same modules and
commands.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from punto.floor.clock import SystemClock
from punto.floor.database import open_database
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE, Accounts
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.sessions import Sessions
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running import live_table, scanner
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import Pace, TableSetup
from punto.floor.shoes.scan_store import Scan
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Table
from tests.floor.staff_floor import CHEAP, PASSWORD
from tests.floor.upgrades.old_floors import OldCommand, OldFloor, OldTable
from tests.floor.upgrades.stages import CORRECTED, FELT, SCANNED, SEALED, At, stages_of

START_US = 1_790_000_000_000_000
VISITORS = ("vera", "vito")
STAFF = {"root": Position.ADMINISTRATOR, "sue": Position.PIT_SUPERVISOR, "dora": Position.DEALER, "eve": None}
_PEOPLE_ACT_S = 3_600.0
PACE = Pace(
    **{
        **dict.fromkeys(Pace.__struct_fields__, 0.0),
        **dict.fromkeys(("open_betting_s", "close_betting_s", "next_round_s", "load_shoe_s"), _PEOPLE_ACT_S),
    }
)


class LaterClock(SystemClock):
    """A clock that starts at a given time."""

    def __init__(self, start_us: int) -> None:
        self._us = start_us

    def now_us(self) -> int:
        self._us += 1_000
        return self._us


class ThisRelease:
    """What :class:`tests.floor.upgrades.old_release.Release` is for an earlier one."""

    def __init__(self, floor: Floor, rules: str) -> None:
        self.floor, self.rules = floor, book(rules)
        self.visitors = Visitors(floor)
        self.automations = [step.value for step in Automation]
        self.visitors_in = VISITORS
        self.tokens: dict[str, str] = {}
        self.staff: dict[str, str] = {}
        self.commands: list[OldCommand] = []

    async def submit(self, table: str, command_id: str, by: tuple[str, str], body: dict[str, Any]) -> Answer:
        actor = Actor(by[0], Position(by[1]))
        answer = await self.floor.submit(actor, table, command_id, body)
        if answer.entries:
            stream, versions = str(answer.entries[0].stream), [entry.version for entry in answer.entries]
            self.commands.append(OldCommand(table, command_id, (actor.name, actor.position), body, stream, versions))
        return answer

    async def scan(self, table: str, shoe: str, card: str) -> None:
        count = "SELECT count(*) FROM scans WHERE shoe = ?"
        draw = 1 + (await self.floor.database.read(lambda tx: tx.rows(count, (shoe,))))[0][0]
        taken = await scanner.take(self.floor, Actor("bridge", Position.DEALER), table, Scan(shoe, draw, Card(card)))
        assert not isinstance(taken, Refusal), taken

    async def play_money(self, who: str, table: str) -> None:
        await self.visitors.buy_in(self.tokens[who], table)

    def offer_side(self, state: Table) -> str | None:
        assert state.round is not None
        return state.round.insurance.offer_side

    def options_open(self, state: Table) -> bool:
        assert state.round is not None
        return state.round.irregularities.options is not None

    async def hire(self) -> None:
        """Accounts in every state: signed in, off duty, with a password to change, a machine with a token."""
        log, cheap = self.floor.house_log, Passwords(CHEAP)
        accounts, sessions = Accounts(log, cheap), Sessions(log, self.floor.key, cheap)
        for name, position in STAFF.items():
            once = await accounts.create(THE_CONSOLE, name, position)
            self.staff[name] = (await sessions.sign_in(name, once)).token
            await sessions.change_password(self.staff[name], once, PASSWORD)
        await accounts.create(THE_CONSOLE, "new", Position.DEALER)
        self.staff["bridge"] = await accounts.issue_token(
            THE_CONSOLE, "bridge", Position.DEALER, TokenBounds(TokenWork.READ)
        )

    async def write(self) -> None:
        await self.hire()
        felt = [*stages_of(FELT, self.rules.topics), *SCANNED, *CORRECTED]
        sealed = stages_of(SEALED, self.rules.topics)
        kinds = {f"felt {stage.name}": ShoeKind.MANUAL for stage in felt}
        kinds |= {f"screen {stage.name}": ShoeKind.VIRTUAL for stage in sealed}
        for name, shoes in kinds.items():
            await self.floor.create_table(
                THE_HOUSE, TableSetup(name, self.rules.id, shoes, self.rules.decks.most, PACE)
            )
        play_tables = tuple(name for name, shoes in kinds.items() if shoes is ShoeKind.VIRTUAL)
        await self.visitors.change_rules(THE_CONSOLE, FloorRules(True, 5_000_00, 3, play_tables))  # noqa: FBT003
        for name in VISITORS:
            self.tokens[name] = (await self.visitors.enter(name)).token
        for stage in felt:
            await stage.reach(At(self, f"felt {stage.name}", self.rules, sealed=False))
        for stage in sealed:
            await stage.reach(At(self, f"screen {stage.name}", self.rules, sealed=True))


@asynccontextmanager
async def written_floor(url: str, rules: str) -> AsyncIterator[OldFloor]:
    """Write a floor; at the end it is dropped as if its process had stopped."""
    database = open_database(url)
    try:
        clock = LaterClock(START_US)
        release = ThisRelease(await Floor.start(database, clock), rules)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(live_table, "ENTRIES_A_SNAPSHOT", 15)  # so short journals have snapshots too
            await release.write()
        tables = {name: OldTable.of(live) for name, live in release.floor.tables.items()}
        play_tables = [name for name in tables if name.startswith("screen")]
        yield OldFloor(release.commands, tables, release.tokens, release.staff, play_tables, clock.now_us())
    finally:
        database.close()


async def main(url: str, rules: str) -> None:
    async with written_floor(url, rules) as written:
        sys.stdout.write(f"{msgspec.json.encode(written).decode()}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
