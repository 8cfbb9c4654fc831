"""Writes events to the house's stream, including refusals for lack of authority and attempts to bet too late."""

from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from punto.floor.clock import Clock, SystemClock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorRefused
from punto.floor.house.projection import Stored
from punto.floor.house.recorded_refusals import RecordedRefusals
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, AnyActor, command_record, with_context
from punto.floor.journal.entry import NO_CONTEXT, EntryContext
from punto.floor.journal.house_events import (
    AuthorityRefused,
    HouseEvent,
    LateAttempt,
    PositionAssigned,
    SessionsRevoked,
    SignedOut,
)
from punto.table.records.positions import Position, in_order
from punto.table.refusals import TableCode

T = TypeVar("T")
Change = Callable[[Transaction], tuple[T, Sequence[HouseEvent | Stored]]]
"""A database job that also returns the events to write."""
Judge = Callable[[Transaction], EntryContext]
"""Looks at the floor in the transaction of a change, before it: refuses it, or gives the context of its entries."""


class HouseLog:
    """The owner of the database creates one, and all others share it."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self.clock = clock or SystemClock()
        self._refusals = RecordedRefusals(database, self.clock)
        self.sign_outs = 0
        """Changes of this process that ended a session or changed a position: open connections then look again."""

    async def write(self, by: AnyActor, *events: HouseEvent | Stored) -> None:
        """Write events that come without a change."""
        record = command_record(by, self.clock)
        await self.database.write(lambda transaction: append_house(transaction, record, *events))

    async def change(self, by: AnyActor, change: Change[T], judge: Judge = lambda _: NO_CONTEXT) -> T:
        """Make a change and write its events in one transaction. Changes of all processes run one after the other."""
        record = command_record(by, self.clock)
        ended = False

        def work(transaction: Transaction) -> T:
            nonlocal ended
            streams.lock_house(transaction)  # so what this change reads stays true until the commit
            context = judge(transaction)
            answer, events = change(transaction)
            if events:
                append_house(transaction, with_context(record, context), *events)
            ended = any(isinstance(event, SignedOut | SessionsRevoked | PositionAssigned) for event in events)
            return answer

        try:
            return await self.database.write(work)
        finally:
            self.sign_outs += ended

    async def require(self, by: Actor, may: frozenset[Position], what: str, table: str = "") -> None:
        """Refuse and record what this position may not do."""
        if by.position not in may:
            refused = FloorRefused(TableCode.NOT_AUTHORISED, positions=in_order(may), position=by.position)
            await self.refuse(by, what, refused, table)

    async def refuse(self, by: AnyActor, what: str, refused: FloorRefused, table: str = "") -> NoReturn:
        """Record a refusal for lack of authority and raise it."""
        await self.record(by, AuthorityRefused(table, by.name, by.position, what, refused.code))
        raise refused

    async def record(self, by: AnyActor, event: AuthorityRefused | LateAttempt) -> None:
        """Record a refusal: a late attempt once for each player and round, the others unless there are too many."""
        if isinstance(event, LateAttempt):
            await self._refusals.record_late(by, event)
        else:
            await self._refusals.record(by, event)

    async def flush(self) -> None:
        """Write everything outstanding, before the database is closed."""
        await self._refusals.flush()
