"""Changes beside the tables: each in one transaction with its events of the house, and a refusal is on record too."""

from collections.abc import Callable
from typing import NoReturn, TypeVar

from punto.floor.clock import Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, OnRecord, said_by
from punto.floor.journal.authority_refusals import refusals_of
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, HouseEvent
from punto.table.records.positions import Position
from punto.table.refusals import TableCode

Answer = TypeVar("Answer")
Change = Callable[[Transaction], tuple[Answer, list[HouseEvent]]]
"""A piece of work that also says what the house writes down of it."""


class Record:
    """Writes changes of accounts, sessions and floor rules, one after the other on all processes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock

    async def change(self, by: OnRecord, change: Change[Answer]) -> Answer:
        """Do it, with its events by whoever does it; when this returns, both are on the disk."""
        said = said_by(by, self.clock)

        def work(transaction: Transaction) -> Answer:
            # whoever else changes accounts waits here, so what is looked up stays true until the commit
            transaction.change("UPDATE streams SET version = version WHERE name = ?", (HOUSE,))
            answer, events = change(transaction)
            if events:
                streams.append_house(transaction, said, *events)
            return answer

        return await self.database.write(work)

    async def require(self, by: Actor, may: frozenset[Position], what: str) -> None:
        """Refuse, on record, what is not for this position."""
        if by.position not in may:
            refused = FloorRefused(TableCode.NOT_AUTHORISED, positions=tuple(sorted(may)), position=by.position)
            await self.refuse(by, what, refused)

    async def refuse(self, by: OnRecord, what: str, refused: FloorRefused) -> NoReturn:
        """Refuse for lack of authority, on record."""
        entry = AuthorityRefused("", by.name, by.position, what, refused.code)
        await refusals_of(self.database, self.clock).tell(by, entry)
        raise refused
