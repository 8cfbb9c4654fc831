"""Refusals for lack of authority, written to the house's stream.

Each is counted, but a person who is refused too often gets one entry for many, so that nobody can fill the disk.
"""

import asyncio
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import OnRecord, said_by
from punto.floor.journal.house_events import AuthorityRefused

WRITTEN_ONE_BY_ONE = 100
"""How many refusals of one person are written one by one before time has to pass: more than there are commands."""
EVERY_S = 1.0
"""How long until one more entry may be written."""
MAX_PEOPLE = 10_000
"""How many people are counted; beyond that, only those with refusals still to be written or written lately."""


class _LeftOut(Struct, frozen=True):
    """Refusals of one person that are counted and not written yet."""

    by: OnRecord
    last: AuthorityRefused
    times: int


class _Person:
    """How many entries one person may still cause, and what was left out."""

    def __init__(self, now_s: float) -> None:
        self.room, self.at_s = float(WRITTEN_ONE_BY_ONE), now_s
        self.left_out: _LeftOut | None = None

    def leave_out(self, by: OnRecord, refused: AuthorityRefused) -> None:
        """Count a refusal that there is no room for."""
        self.left_out = _LeftOut(by, refused, 1 + (self.left_out.times if self.left_out else 0))

    def put_back(self, unwritten: _LeftOut) -> None:
        """Count again what could not be written, with what came meanwhile."""
        later = self.left_out
        self.left_out = replace(later, times=later.times + unwritten.times) if later else unwritten

    def has_room(self, now_s: float) -> bool:
        """Take one entry, if there is room for one."""
        self.room = min(WRITTEN_ONE_BY_ONE, self.room + max(0.0, now_s - self.at_s) / EVERY_S)
        self.at_s = now_s
        if self.room < 1:
            return False
        self.room -= 1
        return True


class AuthorityRefusals:
    """Writes the refusals of one database, as one process sees them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._people: dict[str, _Person] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def tell(self, by: OnRecord, refused: AuthorityRefused) -> None:
        """Write a refusal; beyond the limit it is counted, and the entry that says how many follows within moments."""
        now_s = self._clock.steady_s()
        person = self._people.get(by.name)
        if person is None:
            self._make_room(now_s)
            person = self._people[by.name] = _Person(now_s)
        if by.name in self._waiting or not person.has_room(now_s):
            person.leave_out(by, refused)
            if by.name not in self._waiting:
                self._waiting[by.name] = asyncio.create_task(self._later(by.name, person))
            return
        await self._write(by, refused)

    async def _later(self, name: str, person: _Person) -> None:
        try:
            while person.left_out is not None:
                await self._clock.sleep(EVERY_S)
                if person.has_room(self._clock.steady_s()):
                    with suppress(FloorRefused):  # the database does not answer: the next time will do
                        await self._write_left_out(person)
        finally:
            del self._waiting[name]

    async def write_all(self) -> None:
        """Write what was left out, before the floor ends."""
        for waiting in list(self._waiting.values()):
            waiting.cancel()
        await asyncio.gather(*self._waiting.values(), return_exceptions=True)
        for person in list(self._people.values()):
            await self._write_left_out(person)

    async def _write_left_out(self, person: _Person) -> None:
        left_out = person.left_out
        if left_out is None:
            return
        # before the wait: others may come meanwhile, and a cancelled write is written all the same
        person.left_out = None
        try:
            await self._write(left_out.by, replace(left_out.last, times=left_out.times))
        except FloorRefused:
            person.put_back(left_out)
            raise

    async def _write(self, by: OnRecord, refused: AuthorityRefused) -> None:
        said = said_by(by, self._clock)
        await self._database.write(lambda transaction: streams.append_house(transaction, said, refused))

    def _make_room(self, now_s: float) -> None:
        if len(self._people) >= MAX_PEOPLE:
            full_s = WRITTEN_ONE_BY_ONE * EVERY_S
            people = self._people.items()
            self._people = {name: one for name, one in people if one.left_out is not None or now_s - one.at_s < full_s}
