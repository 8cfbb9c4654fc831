"""Writes the floor of one book with the code of an earlier release, prints what the tests need, and waits to be killed.

Run by :mod:`tests.floor.upgrades.write_old_floors`, with the source of the earlier release first on the path. Its
modules are imported by name, because this release has others.
"""

import asyncio
import json
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from argon2 import Parameters, Type

from tests.floor.upgrades.stages import FELT, MANAGER, SCANNED, SEALED, At, stages_of

START_US = 1_760_000_000_000_000
PASSWORD = "twelve cards in a row"  # noqa: S105 - for tests
CHEAP = Parameters(type=Type.ID, version=19, salt_len=16, hash_len=32, time_cost=1, memory_cost=8, parallelism=1)
STAFF = {"root": "administrator", "sue": "pit_supervisor", "dora": "dealer", "olga": "auditor", "eve": None}
VISITORS = ("vera", "vito")

accounts, actors, database_room, passwords, positions, runtime, sessions, setups, visitors = (
    import_module(f"punto.{name}")
    for name in (
        *("floor.accounts", "floor.actors", "floor.database", "floor.passwords", "table.positions", "floor.runtime"),
        *("floor.sessions", "floor.setups", "floor.visitors"),
    )
)
automation = import_module("punto.table.settings").Automation
scanning = import_module("punto.floor.scanning") if find_spec("punto.floor.scanning") else None
vars(import_module("punto.floor.live"))["SNAPSHOT_EVERY"] = 15  # so short journals have snapshots too


class Clock:
    """Advances by a millisecond each time it is read."""

    def __init__(self) -> None:
        self._us = START_US

    def now_us(self) -> int:
        self._us += 1_000
        return self._us

    def steady_s(self) -> float:
        return self._us / 1_000_000

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError(f"nothing here waits {seconds} s")


class Release:
    """A floor run by the code of an earlier release."""

    def __init__(self, url: str, book: str) -> None:
        self.rules = import_module("punto").book(book)
        self.clock = Clock()
        self.database = database_room.open_database(url)
        self.floor = runtime.Floor(self.database, self.clock)
        self.visitors = visitors.Visitors(self.floor)
        self.automations = [step.value for step in automation]
        self.visitors_in = VISITORS
        self.tokens: dict[str, str] = {}
        self.commands: list[dict[str, Any]] = []
        self.play_tables: list[str] = []

    def actor(self, by: tuple[str, str]) -> Any:
        return actors.Actor(by[0], positions.Position(by[1]))

    async def submit(self, table: str, command_id: str, by: tuple[str, str], body: dict[str, Any]) -> Any:
        visitor = by[0] in self.tokens and by[1] == "player" and hasattr(self.visitors, "command")
        give = self.visitors.command if visitor else self.floor.submit
        answer = await give(self.actor(by), table, command_id, body)
        if answer.entries:
            versions = [entry.version for entry in answer.entries]
            stream = answer.entries[0].stream
            self.commands.append(
                {"table": table, "id": command_id, "by": by, "body": body, "stream": stream, "versions": versions}
            )
        return answer

    async def scan(self, table: str, shoe: str, card: str) -> None:
        """Read the next card, as a scanner does."""
        assert scanning is not None
        draw = 1 + await self.database.read(
            lambda tx: tx.rows("SELECT count(*) FROM scans WHERE shoe = ?", (shoe,))[0][0]
        )
        scan = import_module("punto.floor.scans").Scan(shoe, draw, import_module("punto.rules.cards").Card(card))
        taken = await scanning.take(self.floor, self.actor(("bridge", "dealer")), table, scan)
        if not isinstance(taken, scanning.Scanned):
            raise TypeError(f"{table}: {taken}")

    async def play_money(self, who: str, table: str) -> None:
        await self.visitors.buy_in(self.tokens[who], table)

    async def write(self) -> dict[str, Any]:
        """Write the whole floor; return what the tests need to know about it."""
        await self.floor.start()
        staff = await self._hire()
        felt, sealed = stages_of(FELT, self.rules.topics), stages_of(SEALED, self.rules.topics)
        scanned = SCANNED if scanning is not None else ()
        for stage in (*felt, *scanned):
            await self._create(f"felt {stage.name}", setups.ShoeKind.MANUAL)
        for stage in sealed:
            await self._create(f"screen {stage.name}", setups.ShoeKind.VIRTUAL)
        self.play_tables = [f"screen {stage.name}" for stage in sealed]
        await self._let_visitors_in()
        for stage in (*felt, *scanned):
            await stage.reach(At(self, f"felt {stage.name}", self.rules, sealed=False))
        for stage in sealed:
            await stage.reach(At(self, f"screen {stage.name}", self.rules, sealed=True))
        await self._go_beyond()
        if hasattr(self.floor, "put_down"):
            await self.floor.put_down()
        return {
            "commands": self.commands,
            "tables": {name: _summary(live) for name, live in sorted(self.floor.tables.items())},
            "visitors": self.tokens,
            "staff": staff,
            "play_tables": self.play_tables,
            "ended_us": self.clock.now_us(),
        }

    def offer_side(self, state: Any) -> Any:
        return state.round.offer_side

    def options_open(self, state: Any) -> bool:
        return state.round.options is not None

    async def _create(self, name: str, shoes: Any) -> None:
        # the automatic dealer deals at once and leaves the start of a round and the close of betting to people
        pace = {**dict.fromkeys(setups.Pace.__struct_fields__, 0.0)}
        pace |= dict.fromkeys(("open_betting_s", "close_betting_s", "next_round_s", "load_shoe_s"), 86_400.0)
        setup = setups.TableSetup(name, self.rules.id, shoes, self.rules.decks.most, setups.Pace(**pace))
        await self.floor.create_table(self.actor(MANAGER), setup)

    async def _hire(self) -> dict[str, str]:
        """Accounts in every state: signed in, off duty, a machine with a token."""
        cheap = passwords.Passwords(CHEAP)
        office = accounts.Accounts(self.database, self.clock, cheap)
        desk = sessions.Sessions(self.database, self.clock, cheap)
        tokens = {}
        for name, position in STAFF.items():
            held = None if position is None else positions.Position(position)
            once = await office.create(accounts.THE_CONSOLE, name, held)
            token = (await desk.sign_in(name, once)).token
            await desk.change_password(token, once, PASSWORD)
            tokens[name] = token
        await office.create(accounts.THE_CONSOLE, "new", positions.Position.DEALER)
        return tokens

    async def _let_visitors_in(self) -> None:
        rules = visitors.FloorRules(visitors=True, buy_in_minor=5_000_00, buy_ins=3, tables=tuple(self.play_tables))
        await self.visitors.change_rules(self.actor(("root", "administrator")), rules)
        for name in VISITORS:
            self.tokens[name] = (await self.visitors.enter(name)).token

    async def _go_beyond(self) -> None:
        """A refusal for lack of authority, and a visitor with chips that the dealer sold at a customers' table."""
        answer = await self.submit("felt ready", "beyond", ("dora", "dealer"), {"command": "close_table.1"})
        assert answer.refusal is not None
        bought = {"command": "buy_in.1", "who": "vito", "amount_minor": 300_00}
        await self.submit("felt ready", "sold", ("dora", "dealer"), bought)


def _summary(live: Any) -> dict[str, Any]:
    """A table as its own release had it."""
    state, now = live.state, live.state.round
    return {
        "phase": state.phase,
        "version": live.head.version,
        "balances": state.balances if state.phase != "closed" else live.closing,
        "seats": state.seats,
        "round": now.number if now else 0,
        "cards": now.cards if now else (),
        "bets": [[bet.who, bet.box, bet.bet, bet.stake_minor] for bet in now.bets.values()] if now else [],
    }


async def main(url: str, book: str) -> None:
    written = await Release(url, book).write()
    sys.stdout.write(f"{json.dumps(written)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
