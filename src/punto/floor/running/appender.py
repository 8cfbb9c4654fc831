"""Appends the events of a decided command, together with the house's events."""

import asyncio
from collections.abc import Callable
from functools import reduce

from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.house.writer import append_house
from punto.floor.journal import incident_index, round_index, streams
from punto.floor.journal.actor import Actor, command_record, terminal_of, with_context
from punto.floor.journal.entry import NO_CONTEXT, NO_PREVIOUS_HASH, CommandRecord, Entry, EntryContext, follow, write
from punto.floor.journal.house_events import HouseEvent, ShoeSealed, StreamClosed, StreamOpened
from punto.floor.journal.incidents import GivenCommand
from punto.floor.journal.replay import closing_in
from punto.floor.journal.streams import Head
from punto.floor.running.catch_up import Follower
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.machine_orders import SealedBlock
from punto.floor.shoes.scan_store import forget_undrawn
from punto.floor.shoes.sealed import SealedOrders
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shoe_runtime import SealedShoes
from punto.table import evolve
from punto.table.records.commands import Command, OpenTable
from punto.table.records.events import Event, OrderRevealed, ShoeLoaded, TableClosed
from punto.table.records.state import Phase, Table
from punto.table.revision import REVISION

ExtraWork = Callable[[Transaction], None]
"""Written in the same transaction as the entries of a command."""


class Appender:
    """Appends events to the streams of tables. The caller must hold the table's lock."""

    def __init__(self, database: Database, clock: Clock, shoes: SealedShoes, follower: Follower) -> None:
        self._database, self._clock = database, clock
        self._shoes, self._follower = shoes, follower

    async def append(
        self,
        live: LiveTable,
        command_id: str,
        command: Command,
        decided: Command,
        events: tuple[Event, ...],
        extra: ExtraWork | None = None,
        context: EntryContext = NO_CONTEXT,
    ) -> tuple[Entry, ...]:
        """Return the entries when they are on the disk.

        ``command`` is written to the journal; ``decided`` is the command as the table decided it.
        """
        state, events = await self._state_after(live, events)
        law = live.state.law_hash or live.rules.law_hash  # the law that the table was opened under
        given = (command.by, command.position, command_id, law, write(command))
        terminal = context.terminal or terminal_of(command.position)
        written = replace(context, revision=REVISION, terminal=terminal)
        number = live.state.round.number if live.state.round else 0
        record = CommandRecord(self._clock.now_us(), *given, replace(written, round=number))
        head = None if isinstance(decided, OpenTable) else live.head
        name = live.stream_of(live.openings + 1 if head is None else live.openings)
        stream = str(name)
        after = (0, NO_PREVIOUS_HASH) if head is None else (head.version, head.hash)
        texts = [write(event) for event in events]
        unnumbered = follow(stream, *after, record, texts)
        house_events, sealed = await self._house_events(live, state, decided, events, unnumbered[-1])
        step = GivenCommand(live.state, state, events, unnumbered[0].version, record.at_us)
        concerns_incidents = head is not None and step.concerns_incidents
        end = Head(stream, 0 if head is None else head.key, unnumbered[-1].version, unnumbered[-1].hash)
        snapshot = None if concerns_incidents else live.due_snapshot(state, end)  # else with the next command
        house_record = with_context(command_record(Actor(command.by, command.position), self._clock), written)

        def work(transaction: Transaction) -> tuple[Head, list[Entry]]:
            start = streams.create(transaction, name) if head is None else head
            incident = incident_index.index_step(transaction, start, step) if concerns_incidents else 0
            entries = unnumbered
            if incident:
                numbered = replace(record, context=replace(record.context, incident=incident))
                entries = follow(stream, *after, numbered, texts)
            end = streams.append(transaction, start, entries)
            round_index.index_rounds(transaction, end, entries)
            for event in events:
                forget_undrawn(transaction, name, event)
            if extra is not None:
                extra(transaction)
            if sealed is not None:
                self._shoes.seal(transaction, sealed)
            if snapshot is not None:
                streams.save_snapshot(transaction, end, snapshot)
            if house_events:
                append_house(transaction, house_record, *house_events)
            return end, entries

        try:
            end, entries = await self._database.write(work)
        except asyncio.CancelledError:  # the caller is gone, but the write still happens
            live.stale = True
            self._follower.follow(live)
            raise
        self._shoes.forget(house_events, live.state, state)
        live.appended(end, state, entries, closing_in(events))
        if snapshot is not None:
            live.snapshot_at = snapshot.version
        return tuple(entries)

    async def _state_after(self, live: LiveTable, events: tuple[Event, ...]) -> tuple[Table, tuple[Event, ...]]:
        """The table after the events, and the events with the orders that they reveal.

        Refused if a card is not the one that was sealed.
        """
        if live.setup.shoes is ShoeKind.MANUAL:
            return reduce(evolve, events, live.state), events
        states = [live.state]
        for event in events:
            await self._shoes.check(live.head, states[-1], event)
            states.append(evolve(states[-1], event))
        revealed = await self._shoes.reveal_orders(live.head, states)
        return reduce(evolve, revealed, states[-1]), _with_revealed(events, revealed)

    async def _house_events(
        self, live: LiveTable, state: Table, decided: Command, events: tuple[Event, ...], last: Entry
    ) -> tuple[list[HouseEvent], SealedOrders | None]:
        """The house's events that belong to a command, and the shoe or block to seal."""
        house_events: list[HouseEvent] = []
        if isinstance(decided, OpenTable):
            house_events.append(StreamOpened(last.stream, live.setup.name, last.law))
        if state.phase is Phase.CLOSED:
            house_events.append(StreamClosed(last.stream, last.version, last.hash))
        if live.setup.shoes is ShoeKind.MANUAL:
            return house_events, None
        sealed = await self._shoes.shuffle_for(live.setup.shoes, live.setup.seed, events, state)
        if sealed is not None:
            shoe = (sealed.shoe, live.setup.name, sealed.decks, sealed.kind, sealed.commitment)
            orders = (len(sealed.orders), sealed.block) if isinstance(sealed, SealedBlock) else ()
            house_events.append(ShoeSealed(*shoe, last.stream, last.version, *orders))
        return house_events + await self._shoes.reveal(live.setup.name, live.state, state), sealed


def _with_revealed(events: tuple[Event, ...], revealed: tuple[OrderRevealed, ...]) -> tuple[Event, ...]:
    """Revealed orders come last, but a table closes and a shoe is loaded with the last event."""
    at = len(events) - isinstance(events[-1], TableClosed | ShoeLoaded)
    return (*events[:at], *revealed, *events[at:])
