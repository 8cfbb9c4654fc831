"""Which process runs a table, and the recovery of tables whose process has stopped.

A process claims a table in the database for as long as it lives, and writes its name to the table's row. If it gets the
claim and the row names another process, that process has stopped. An open round was interrupted if its cards are ours;
at a real shoe it went on without us.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from secrets import token_hex

from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorRefused, VersionConflict, too_busy
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, command_record
from punto.floor.journal.command_ids import RECOVERY_ID
from punto.floor.journal.house_events import TableRecovered
from punto.floor.running.appender import Appender
from punto.floor.running.live_table import LiveTable
from punto.floor.runtime.holders import note_holder
from punto.floor.runtime.process_times import forget_stopped, last_alive_us, record_alive
from punto.floor.shoes.known_orders import known_orders, shoes_to_come
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.decision import Decision
from punto.table.records.commands import LoadShoe
from punto.table.records.events import Event
from punto.table.records.findings import RoundVoided
from punto.table.records.ledger import chip_changes
from punto.table.records.positions import Position
from punto.table.records.reports import ExchangeShoe, ReportInterruption, ReportRestart
from punto.table.records.state import Phase

MAX_TAKEOVER_TRIES = 100
"""Tries to take over a table before it counts as too busy."""
WAIT_FOR_OTHER_S = 0.1
"""Wait while another process recovers a table."""


class Ownership:
    """Claims tables for this process and recovers those of stopped processes."""

    def __init__(self, database: Database, clock: Clock, tables: Mapping[str, LiveTable], appender: Appender) -> None:
        self.process = token_hex(8)
        """The name under which this process holds tables."""
        self._database = database
        self._clock = clock
        self._tables = tables
        self._appender = appender

    async def claim_new(self, table: str) -> str:
        """Claim a table before it exists. Return the name for its row; empty if another process has the claim."""
        claimed = await asyncio.to_thread(self._database.claim, [claim_of(table)])
        return self.process if claimed else ""

    # ---- the caller must hold the table's lock

    async def hold(self, live: LiveTable) -> None:
        """Claim and recover a table that no other process runs, before anything is decided there."""
        if live.held:
            return
        claim = [claim_of(live.setup.name)]
        try:
            claimed = await asyncio.to_thread(self._database.claim, claim)
        except FloorRefused:  # the connection was dead, so all claims are lost
            for each in self._tables.values():
                each.held = False
            claimed = await asyncio.to_thread(self._database.claim, claim)
        if claimed:
            await self.take_over(live)

    async def take_over(self, live: LiveTable) -> None:
        """Recover a table that this process has claimed, unless this process was the last to run it."""
        if live.held:
            return
        for _ in range(MAX_TAKEOVER_TRIES):
            await live.catch_up()
            try:
                held_by, alive_us = await self._database.read(lambda transaction: _last_run(transaction, live))
                if held_by != self.process:
                    await self._recover(live, alive_us)
            except VersionConflict:
                continue
            live.held = True
            return
        raise too_busy(live.setup.name)

    async def end_known_shoes(self, live: LiveTable) -> None:
        """End the shoes whose order somebody may know, after the takeover and before anything is decided there.

        A round that the takeover has left open goes on from a new shoe. Another process may do it instead.
        """
        for _ in range(MAX_TAKEOVER_TRIES):
            async with live.lock:
                await live.catch_up()
                if not await self._has_known_shoes(live):
                    return
                await self.hold(live)
                if live.held and (not await self._has_known_shoes(live) or not await self._exchange(live)):
                    return
            if not live.held:
                await self._clock.sleep(WAIT_FOR_OTHER_S)
        raise too_busy(live.setup.name)

    async def _has_known_shoes(self, live: LiveTable) -> bool:
        shoes = shoes_to_come(live.state)
        return bool(shoes and await self._database.read(lambda transaction: known_orders(transaction, shoes)))

    async def _exchange(self, live: LiveTable) -> bool:
        """Put a new shoe on. Return False if the table's law lets nobody do so: then nobody can draw a card either."""
        state = live.state
        kind = ExchangeShoe if _round_open(live) else LoadShoe
        decks = live.setup.decks if state.shoe is None else state.shoe.decks
        command = kind(THE_HOUSE.name, Position.HOUSE, f"restored {token_hex(6)}", decks)
        decision = decide(live.rules, state, command)
        if not isinstance(decision, tuple):
            return False
        with suppress(VersionConflict):  # another process was first: look again
            await self._appender.append(live, f"{_recovery_id(live)}:shoe", command, command, decision)
        return True

    async def _recover(self, live: LiveTable, alive_us: int) -> None:
        """Report what an open round went through, and take the table over in the same transaction."""
        record = command_record(THE_HOUSE, self._clock)
        away = (min(alive_us, record.at_us), record.at_us) if _has_real_shoe(live) else (0, 0)
        command = _report(live, away)
        decision = None if command is None else decide(live.rules, live.state, command)
        recovered = _recovered(live, away, decision)

        def hold(transaction: Transaction) -> None:
            if recovered is not None:
                append_house(transaction, record, recovered)
            note_holder(transaction, live.setup.name, self.process)
            if _has_real_shoe(live):
                record_alive(transaction, self.process, record.at_us)
            forget_stopped(transaction)

        if command is not None and isinstance(decision, tuple):
            await self._appender.append(live, _recovery_id(live), command, command, decision, extra=hold)
            return

        def work(transaction: Transaction) -> None:
            if live.head is not None:
                streams.require_end(transaction, live.head)
            hold(transaction)

        await self._database.write(work)

    # ---- without a lock

    async def record_alive(self) -> None:
        """Record that this process is alive, if it runs an open table with a real shoe."""
        if any(
            live.held and live.state.phase is not Phase.CLOSED for live in self._tables.values() if _has_real_shoe(live)
        ):
            now_us = self._clock.now_us()
            await self._database.write(lambda transaction: record_alive(transaction, self.process, now_us))


def claim_of(table: str) -> str:
    return f"table {table}"


def _recovery_id(live: LiveTable) -> str:
    return f"{RECOVERY_ID}{live.stream}:{live.head.version if live.head else 0}"


def _last_run(transaction: Transaction, live: LiveTable) -> tuple[str, int]:
    """The process that last ran a table, and the last time at which the table certainly had a process."""
    held_by = str(transaction.rows("SELECT held_by FROM tables WHERE name = ?", (live.setup.name,))[0][0])
    written_us = streams.written_us(transaction, live.head) if live.head is not None else 0
    return held_by, max(written_us, last_alive_us(transaction, held_by))


def _recovered(live: LiveTable, away: tuple[int, int], decision: Decision | None) -> TableRecovered | None:
    """The event for the house's stream, with what the interruption voided; None for a closed table."""
    if live.head is None or live.state.phase is Phase.CLOSED:
        return None
    now = live.state.round if _round_open(live) else None
    recovered = TableRecovered(
        str(live.stream),
        live.head.version,
        now is not None,
        live.head.hash,
        *away,
        round=now.number if now else 0,
        shoes=live.setup.shoes,
        cards=len(now.cards) if now else 0,
    )
    return was_voided(recovered, decision if isinstance(decision, tuple) else ())


def was_voided(recovered: TableRecovered, events: Iterable[Event]) -> TableRecovered:
    """The takeover with what the events that followed from it voided."""
    void = next((event for event in events if isinstance(event, RoundVoided)), None)
    if void is None:
        return recovered
    return replace(recovered, voided=True, returned_minor=dict(sorted(chip_changes(void.postings).items())))


def _report(live: LiveTable, away: tuple[int, int]) -> ReportInterruption | ReportRestart | None:
    """What to report of an open round: an absence at a real shoe, elsewhere an interruption if the book has one."""
    if not _round_open(live):
        return None
    if _has_real_shoe(live):
        return ReportRestart(THE_HOUSE.name, Position.HOUSE, *away)
    if not live.rules.has(Topic.INTERRUPTION):
        return None
    return ReportInterruption(THE_HOUSE.name, Position.HOUSE, "the table was taken over")


def _has_real_shoe(live: LiveTable) -> bool:
    return live.setup.shoes is ShoeKind.MANUAL


def _round_open(live: LiveTable) -> bool:
    return live.state.phase in (Phase.BETTING, Phase.DEALING)
