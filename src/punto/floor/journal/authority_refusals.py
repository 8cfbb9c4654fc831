"""Refusals for lack of authority, on record: one by one, and of who asks too quickly so many at once.

Each is counted. Whoever could have one written for every request would fill the disk with them.
"""

import asyncio
from contextlib import suppress

from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import OnRecord, said_by
from punto.floor.journal.house_events import AuthorityRefused

WRITTEN_ONE_BY_ONE = 100
"""So many refusals of one person are written one by one before time has to pass: more than there are commands."""
EVERY_S = 1.0
"""How much time for each further entry."""
MAX_PEOPLE = 10_000
"""Of so many people it is kept in mind; then of those alone who are over it."""


class _Person:
    """How many entries somebody may still bring about, and what was left out."""

    def __init__(self, now_s: float) -> None:
        self.room, self.at_s = float(WRITTEN_ONE_BY_ONE), now_s
        self.by: OnRecord | None = None
        self.last: AuthorityRefused | None = None
        self.left_out = 0

    def has_room(self, now_s: float) -> bool:
        """Take one entry, if there is room for one."""
        self.room = min(WRITTEN_ONE_BY_ONE, self.room + max(0.0, now_s - self.at_s) / EVERY_S)
        self.at_s = now_s
        if self.room < 1:
            return False
        self.room -= 1
        return True


class Refusals:
    """Writes the refusals of one database, as one process sees them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._people: dict[str, _Person] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def tell(self, by: OnRecord, refused: AuthorityRefused) -> None:
        """On the disk when this returns; of who asks too quickly within moments, with how many there were."""
        now_s = self._clock.steady_s()
        person = self._people.get(by.name)
        if person is None:
            self._make_room(now_s)
            person = self._people[by.name] = _Person(now_s)
        if by.name in self._waiting or not person.has_room(now_s):
            person.by, person.last = by, refused
            person.left_out += 1
            if by.name not in self._waiting:
                self._waiting[by.name] = asyncio.create_task(self._later(by.name, person))
            return
        await self._write(by, refused)

    async def _later(self, name: str, person: _Person) -> None:
        try:
            while person.left_out:
                await self._clock.sleep(EVERY_S)
                if person.has_room(self._clock.steady_s()):
                    with suppress(FloorRefused):  # the database does not answer: the next time will do
                        await self._write_left_out(person)
        finally:
            del self._waiting[name]

    async def write_all(self) -> None:
        """What was left out, now: nothing is to be forgotten when a floor ends."""
        for waiting in list(self._waiting.values()):
            waiting.cancel()
        await asyncio.gather(*self._waiting.values(), return_exceptions=True)
        for person in list(self._people.values()):
            await self._write_left_out(person)

    async def _write_left_out(self, person: _Person) -> None:
        times, by, last = person.left_out, person.by, person.last
        if not times or by is None or last is None:
            return
        person.left_out = 0  # at once: others may come meanwhile, and who is called off has written all the same
        try:
            await self._write(by, replace(last, times=times))
        except FloorRefused:
            person.left_out += times
            raise

    async def _write(self, by: OnRecord, refused: AuthorityRefused) -> None:
        said = said_by(by, self._clock)
        await self._database.write(lambda transaction: streams.append_house(transaction, said, refused))

    def _make_room(self, now_s: float) -> None:
        if len(self._people) >= MAX_PEOPLE:
            full_s = WRITTEN_ONE_BY_ONE * EVERY_S
            people = self._people.items()
            self._people = {name: one for name, one in people if one.left_out or now_s - one.at_s < full_s}
