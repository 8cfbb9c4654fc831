"""Writes refusals for lack of authority to the house's stream.

All are counted. If one person is refused very often, one entry stands for many, so nobody can fill the disk.
"""

import asyncio
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import AnyActor, command_record, person_key
from punto.floor.journal.house_events import AuthorityRefused

MAX_BURST = 100
"""Refusals of one person that are written at once; more than there are kinds of commands."""
REFILL_S = 1.0
"""After a burst, one more entry may be written each time this passes."""
MAX_PEOPLE = 10_000
"""People to keep in memory; beyond this, only those with unwritten or recent refusals."""


class _Unwritten(Struct, frozen=True):
    """Refusals of one person that are counted but not yet written."""

    by: AnyActor
    last: AuthorityRefused
    times: int


class _Person:
    """The entries one person may still cause, and their unwritten refusals."""

    def __init__(self, now_s: float) -> None:
        self.tokens, self.at_s = float(MAX_BURST), now_s
        self.unwritten: _Unwritten | None = None

    def postpone(self, by: AnyActor, refused: AuthorityRefused) -> None:
        self.unwritten = _Unwritten(by, refused, 1 + (self.unwritten.times if self.unwritten else 0))

    def put_back(self, failed: _Unwritten) -> None:
        """Count refusals again that could not be written, with those that came in the meantime."""
        later = self.unwritten
        self.unwritten = replace(later, times=later.times + failed.times) if later else failed

    def take_token(self, now_s: float) -> bool:
        """Use up one entry if one is left."""
        self.tokens = min(MAX_BURST, self.tokens + max(0.0, now_s - self.at_s) / REFILL_S)
        self.at_s = now_s
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


class AuthorityRefusals:
    """Writes the refusals that one process sees."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._people: dict[str, _Person] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def record(self, by: AnyActor, refused: AuthorityRefused) -> None:
        """Write a refusal. Beyond the limit it is only counted, and an entry with the count follows shortly."""
        now_s, key = self._clock.steady_s(), person_key(by)
        person = self._people.get(key)
        if person is None:
            self._make_room(now_s)
            person = self._people[key] = _Person(now_s)
        if key in self._waiting or not person.take_token(now_s):
            person.postpone(by, refused)
            if key not in self._waiting:
                self._waiting[key] = asyncio.create_task(self._later(key, person))
            return
        await self._write(by, refused)

    async def _later(self, key: str, person: _Person) -> None:
        try:
            while person.unwritten is not None:
                await self._clock.sleep(REFILL_S)
                if person.take_token(self._clock.steady_s()):
                    with suppress(FloorRefused):  # the database does not answer: try again next time
                        await self._write_unwritten(person)
        finally:
            del self._waiting[key]

    async def flush(self) -> None:
        """Write all counted refusals, before the floor stops."""
        for waiting in list(self._waiting.values()):
            waiting.cancel()
        await asyncio.gather(*self._waiting.values(), return_exceptions=True)
        for person in list(self._people.values()):
            await self._write_unwritten(person)

    async def _write_unwritten(self, person: _Person) -> None:
        unwritten = person.unwritten
        if unwritten is None:
            return
        # cleared before the await: more may come in the meantime, and a cancelled write is still written
        person.unwritten = None
        try:
            await self._write(unwritten.by, replace(unwritten.last, times=unwritten.times))
        except FloorRefused:
            person.put_back(unwritten)
            raise

    async def _write(self, by: AnyActor, refused: AuthorityRefused) -> None:
        record = command_record(by, self._clock)
        await self._database.write(lambda transaction: streams.append_house(transaction, record, refused))

    def _make_room(self, now_s: float) -> None:
        if len(self._people) >= MAX_PEOPLE:
            full_s = MAX_BURST * REFILL_S
            people = self._people.items()
            self._people = {key: one for key, one in people if one.unwritten is not None or now_s - one.at_s < full_s}
