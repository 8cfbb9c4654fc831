"""What concerns the floor and not one table: written to the house's own stream, refusals for lack of authority too."""

from collections.abc import Callable
from typing import NoReturn, TypeVar

from punto.floor.clock import Clock, SystemClock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, OnRecord, said_by
from punto.floor.journal.authority_refusals import AuthorityRefusals
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, HouseEvent
from punto.table.records.positions import Position, in_order
from punto.table.refusals import TableCode

T = TypeVar("T")
Change = Callable[[Transaction], tuple[T, list[HouseEvent]]]
"""A piece of work that also says what the house writes down of it."""


class HouseLog:
    """Writes events of the house. Whoever owns the database makes one, and everybody else shares it."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self.clock = clock or SystemClock()
        self._refusals = AuthorityRefusals(database, self.clock)

    async def tell(self, by: OnRecord, *events: HouseEvent) -> None:
        """Write events that no change comes with."""
        said = said_by(by, self.clock)
        await self.database.write(lambda transaction: streams.append_house(transaction, said, *events))

    async def change(self, by: OnRecord, change: Change[T]) -> T:
        """Make a change and write its events in one transaction, one change after the other on all processes."""
        said = said_by(by, self.clock)

        def work(transaction: Transaction) -> T:
            # whoever else changes accounts waits here, so what is looked up stays true until the commit
            transaction.change("UPDATE streams SET version = version WHERE name = ?", (HOUSE,))
            answer, events = change(transaction)
            if events:
                streams.append_house(transaction, said, *events)
            return answer

        return await self.database.write(work)

    async def require(self, by: Actor, may: frozenset[Position], what: str, table: str = "") -> None:
        """Refuse, on record, what is not for this position; ``table`` where it concerns one."""
        if by.position not in may:
            refused = FloorRefused(TableCode.NOT_AUTHORISED, positions=in_order(may), position=by.position)
            await self.refuse(by, what, refused, table)

    async def refuse(self, by: OnRecord, what: str, refused: FloorRefused, table: str = "") -> NoReturn:
        """Refuse for lack of authority, on record."""
        await self.tell_refusal(by, table, what, refused.code)
        raise refused

    async def tell_refusal(self, by: OnRecord, table: str, what: str, code: str) -> None:
        """Write down that somebody was refused for lack of authority."""
        await self._refusals.tell(by, AuthorityRefused(table, by.name, by.position, what, code))

    async def write_all(self) -> None:
        """Write what is still to be written, before the database is closed."""
        await self._refusals.write_all()
