"""Which process runs a table, and what it does with one that another process has left: recover it before anything else.

A process claims a table in the database for as long as it lives, and writes its name into the table's row. If the row
names another process, that one is gone, and an open round is what the book calls an interruption.
"""

import asyncio
from collections.abc import Mapping
from secrets import token_hex

from punto.floor.clock import Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorRefused, VersionConflict, too_busy
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, said_by
from punto.floor.journal.command_ids import RECOVERY_ID
from punto.floor.journal.house_events import TableRecovered
from punto.floor.running.appender import Appender
from punto.floor.running.live_table import LiveTable
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.records.positions import Position
from punto.table.records.reports import ReportInterruption
from punto.table.records.state import Phase

MAX_TAKEOVER_TRIES = 100
"""How often a table is read again before it is called too busy."""


class Ownership:
    """Claims tables for this process and recovers those that another one has left."""

    def __init__(self, database: Database, clock: Clock, tables: Mapping[str, LiveTable], appender: Appender) -> None:
        self.process = token_hex(8)
        """The name of this process in the rows of the tables that it runs."""
        self._database = database
        self._clock = clock
        self._tables = tables
        self._appender = appender

    async def claim_new(self, table: str) -> str:
        """Claim a table that nobody else can see yet; the process to write into its row, none where it is taken."""
        claimed = await asyncio.to_thread(self._database.claim, [claim_of(table)])
        return self.process if claimed else ""

    # ---- call these with the table's lock held

    async def hold(self, live: LiveTable) -> None:
        """Claim a table if nobody else runs it, and recover it, so that nothing is judged at one that was left."""
        if live.held:
            return
        claim = [claim_of(live.setup.name)]
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
                held_by = await self._database.read(lambda transaction: _held_by(transaction, live.setup.name))
                if held_by != self.process:
                    await self._recover(live)
            except VersionConflict:
                continue
            live.held = True
            return
        raise too_busy(live.setup.name)

    async def _recover(self, live: LiveTable) -> None:
        """Continue or void an open round as the book has it, in one transaction with who runs the table from now on."""
        said, recovered = said_by(THE_HOUSE, self._clock), _recovered(live)

        def hold(transaction: Transaction) -> None:
            if recovered is not None:
                streams.append_house(transaction, said, recovered)
            row = (self.process, live.setup.name)
            transaction.change("UPDATE tables SET held_by = ? WHERE name = ?", row)

        command = _interruption(live)
        decision = None if command is None else decide(live.rules, live.state, command)
        if command is not None and isinstance(decision, tuple):
            command_id = f"{RECOVERY_ID}{live.stream}:{live.head.version if live.head else 0}"
            await self._appender.append(live, command_id, command, command, decision, also=hold)
            return

        def work(transaction: Transaction) -> None:
            if live.head is not None:
                streams.require_end(transaction, live.head)
            hold(transaction)

        await self._database.write(work)


def claim_of(table: str) -> str:
    """The name of the claim on a table."""
    return f"table {table}"


def _held_by(transaction: Transaction, table: str) -> str:
    """The process that last ran the table."""
    rows = transaction.rows("SELECT held_by FROM tables WHERE name = ?", (table,))
    return str(rows[0][0])


def _recovered(live: LiveTable) -> TableRecovered | None:
    """What the house writes down of it; nothing of a table that is closed."""
    if live.head is None or live.state.phase is Phase.CLOSED:
        return None
    return TableRecovered(str(live.stream), live.head.version, _round_open(live))


def _interruption(live: LiveTable) -> ReportInterruption | None:
    """The interruption of the round that is open there, if the book has a clause on that."""
    if not _round_open(live) or not live.rules.topics[Topic.INTERRUPTION]:
        return None
    return ReportInterruption(THE_HOUSE.name, Position.HOUSE, "the table was taken over")


def _round_open(live: LiveTable) -> bool:
    return live.state.phase in (Phase.BETTING, Phase.DEALING)
