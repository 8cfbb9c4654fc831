"""Tables taken over from a process that is gone: nothing is judged at one before it is recovered."""

import asyncio
from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Protocol

from punto.floor.clock import Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorRefused, VersionConflict, too_busy
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, said_by
from punto.floor.running import ownership
from punto.floor.running.live_table import LiveTable
from punto.table import decide
from punto.table.records.commands import Command
from punto.table.records.events import Event

MAX_TAKEOVER_TRIES = 100
"""How often a table is read again before it is called too busy."""


class Accepting(Protocol):
    """Appends the events of a command, and whatever else belongs into the same transaction."""

    async def __call__(
        self,
        live: LiveTable,
        command_id: str,
        command: Command,
        asked: Command,
        events: tuple[Event, ...],
        also: Callable[[Transaction], None] | None = None,
    ) -> object: ...


class TakingOver:
    """Claims tables for this process and recovers those that another one has left."""

    def __init__(self, database: Database, clock: Clock, tables: Mapping[str, LiveTable], accept: Accepting) -> None:
        self.process = token_hex(8)
        """What this process is called where it writes down that it runs a table."""
        self._database = database
        self._clock = clock
        self._tables = tables
        self._accept = accept

    async def claimed_by(self, table: str) -> str:
        """Claim a table that nobody else can see yet; the process to write down for it, none where it is taken."""
        claimed = await asyncio.to_thread(self._database.claim, [ownership.claim_of(table)])
        return self.process if claimed else ""

    # ---- all of this is for who holds the table's lock

    async def hold(self, live: LiveTable) -> None:
        """Nothing is judged at a table that was left: whoever can claim it recovers it first."""
        if live.held:
            return
        claim = [ownership.claim_of(live.setup.name)]
        try:
            claimed = await asyncio.to_thread(self._database.claim, claim)
        except FloorRefused:  # the connection was dead, and with it went all that was claimed
            for each in self._tables.values():
                each.held = False
            claimed = await asyncio.to_thread(self._database.claim, claim)
        if claimed:
            await self.take_over(live)

    async def take_over(self, live: LiveTable) -> None:
        """Recover a table that this process has claimed, unless it ran it last itself."""
        if live.held:
            return
        for _ in range(MAX_TAKEOVER_TRIES):
            await live.catch_up()
            try:
                held_by = await self._database.read(lambda transaction: ownership.held_by(transaction, live.setup.name))
                if held_by != self.process:
                    await self._recover(live)
            except VersionConflict:
                continue
            live.held = True
            return
        raise too_busy(live.setup.name)

    async def _recover(self, live: LiveTable) -> None:
        """Continue or void an open round as the book has it; in one transaction with who runs the table from now on."""
        said, told = said_by(THE_HOUSE, self._clock), ownership.recovered(live)

        def hold(transaction: Transaction) -> None:
            if told is not None:
                streams.append_house(transaction, said, told)
            ownership.hold(transaction, live.setup.name, self.process)

        command = ownership.interruption(live, THE_HOUSE.name)
        decision = None if command is None else decide(live.rules, live.state, command)
        if command is not None and isinstance(decision, tuple):
            command_id = f"recovery:{live.stream}:{live.head.version if live.head else 0}"
            await self._accept(live, command_id, command, command, decision, also=hold)
            return

        def work(transaction: Transaction) -> None:
            if live.head is not None:
                ownership.require_end(transaction, live.head)
            hold(transaction)

        await self._database.write(work)
