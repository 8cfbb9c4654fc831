"""What is written down of a command that was decided: its events, and what the house records with them."""

import asyncio
from collections.abc import Callable

from punto.floor.clock import Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, said_by
from punto.floor.journal.entry import NOTHING_BEFORE, Entry, Said, follow, write
from punto.floor.journal.house_events import HouseEvent, ShoeSealed, StreamClosed, StreamOpened
from punto.floor.journal.replay import closing_in
from punto.floor.journal.streams import Head
from punto.floor.running.catch_up import Follower
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.sealed import SealedShoe, SealedShoes, seal
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from punto.table import evolve
from punto.table.records.commands import Command, OpenTable
from punto.table.records.events import Event
from punto.table.records.state import Phase, Table

Also = Callable[[Transaction], None]
"""What is written with the entries of a command, in one transaction, or not at all."""


class Appender:
    """Appends the events of commands to the streams of their tables. Call it with the table's lock held."""

    def __init__(self, database: Database, clock: Clock, shoes: SealedShoes, follower: Follower) -> None:
        self._database, self._clock = database, clock
        self._shoes, self._follower = shoes, follower

    async def append(
        self,
        live: LiveTable,
        command_id: str,
        command: Command,
        judged: Command,
        events: tuple[Event, ...],
        also: Also | None = None,
    ) -> tuple[Entry, ...]:
        """The entries, once they are on the disk; ``judged`` is the command as the table has decided it."""
        state = live.state
        sealed_shoes = live.setup.shoes is not ShoeKind.MANUAL
        for event in events:
            if sealed_shoes:
                await self._shoes.check(state, event)
            state = evolve(state, event)
        said = Said(self._clock.now_us(), command.by, command.position, command_id, live.rules.law_hash, write(command))
        head = None if isinstance(judged, OpenTable) else live.head
        name = live.stream_of(live.openings + 1 if head is None else live.openings)
        stream = str(name)
        after = (0, NOTHING_BEFORE) if head is None else (head.version, head.hash)
        entries = follow(stream, *after, said, [write(event) for event in events])
        house, sealed = await self._house_events(live, state, judged, entries[-1])
        end = Head(stream, 0 if head is None else head.key, entries[-1].version, entries[-1].hash)
        taken = live.due_snapshot(state, end)

        def work(transaction: Transaction) -> Head:
            start = streams.begin(transaction, name) if head is None else head
            end = streams.append(transaction, start, entries)
            if also is not None:
                also(transaction)
            if sealed is not None:
                seal(transaction, sealed)
            if taken is not None:
                streams.keep_snapshot(transaction, end, taken)
            if house:
                streams.append_house(transaction, said_by(Actor(command.by, command.position), self._clock), *house)
            return end

        try:
            end = await self._database.write(work)
        except asyncio.CancelledError:  # nobody waits for the answer; it is written all the same
            live.stale = True
            self._follower.behind(live)
            raise
        self._shoes.forget(house)
        live.appended(end, state, entries, closing_in(events))
        if taken is not None:
            live.snapshot_at = taken.version
        return tuple(entries)

    async def _house_events(
        self, live: LiveTable, state: Table, judged: Command, last: Entry
    ) -> tuple[list[HouseEvent], SealedShoe | None]:
        """What the house writes down with a command: streams opened and closed, shoes sealed and revealed."""
        house: list[HouseEvent] = []
        if isinstance(judged, OpenTable):
            house.append(StreamOpened(last.stream, live.setup.name))
        if state.phase is Phase.CLOSED:
            house.append(StreamClosed(last.stream, last.version, last.hash))
        if live.setup.shoes is ShoeKind.MANUAL:
            return house, None
        sealed = self._shoes.loaded(live.setup.shoes, live.setup.seed, judged)
        if sealed is not None:
            decks = len(sealed.cards) // len(Card)
            shoe = (sealed.id, live.setup.name, decks, sealed.kind, sealed.commitment)
            house.append(ShoeSealed(*shoe, last.stream, last.version))
        return house + await self._shoes.over(live.state, state), sealed
