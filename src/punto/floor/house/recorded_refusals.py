"""Writes refusals for lack of authority, and attempts to bet after the close, to the house's stream.

All refusals are counted. If one person or one address is refused very often, one entry stands for many, so nobody can
fill the disk. A late attempt is written once for each player and round.
"""

import asyncio
from contextlib import suppress
from contextvars import ContextVar

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.database.base import Database
from punto.floor.errors import CommandIdTaken, FloorRefused
from punto.floor.house.writer import append_house
from punto.floor.journal.actor import AnyActor, command_record, person_key
from punto.floor.journal.command_ids import HOUSE_ID
from punto.floor.journal.house_events import AuthorityRefused, LateAttempt

CLIENT_ADDRESS: ContextVar[str] = ContextVar("CLIENT_ADDRESS", default="")
"""The address of the request that is being handled; empty: none."""
MAX_BURST = 100
"""Refusals of one person that are written at once; more than there are kinds of commands."""
REFILL_S = 1.0
"""After a burst, one more entry may be written each time this passes."""
ADDRESS_FACTOR = 3
"""One address may cause this many times the entries of one person: it can be that of a whole house."""
MAX_KEYS = 10_000
"""People, and addresses, to keep in memory; beyond this, only those with unwritten or recent refusals."""


Recorded = AuthorityRefused | LateAttempt


class _Unwritten(Struct, frozen=True):
    """Refusals of one person that are counted but not yet written."""

    by: AnyActor
    last: Recorded
    times: int

    @property
    def event(self) -> Recorded:
        return self.last if isinstance(self.last, LateAttempt) else replace(self.last, times=self.times)


_Key = tuple[str, int]
"""Stream and round of a late attempt; all other refusals have the same key."""


def _key(recorded: Recorded) -> _Key:
    return (recorded.stream, recorded.round) if isinstance(recorded, LateAttempt) else ("", 0)


class _Allowance:
    """The entries that one person or one address may still cause."""

    def __init__(self, now_s: float, factor: int = 1) -> None:
        self._left, self._factor, self.at_s = float(MAX_BURST * factor), factor, now_s

    def is_left(self, now_s: float) -> bool:
        refilled = self._left + self._factor * max(0.0, now_s - self.at_s) / REFILL_S
        self._left, self.at_s = min(MAX_BURST * self._factor, refilled), now_s
        return self._left >= 1

    def use(self) -> None:
        self._left -= 1

    def is_needed(self, now_s: float) -> bool:
        """Whether it can still be less than full."""
        return now_s - self.at_s < MAX_BURST * REFILL_S


class _Person:
    """A person's allowance and their unwritten refusals."""

    def __init__(self, now_s: float) -> None:
        self.allowance = _Allowance(now_s)
        self.unwritten: dict[_Key, _Unwritten] = {}

    def postpone(self, by: AnyActor, refused: Recorded) -> None:
        before = self.unwritten.get(_key(refused))
        self.unwritten[_key(refused)] = _Unwritten(by, refused, 1 + (before.times if before else 0))

    def put_back(self, failed: _Unwritten) -> None:
        """Count refusals again that could not be written, with those that came in the meantime."""
        later = self.unwritten.get(_key(failed.last))
        self.unwritten[_key(failed.last)] = replace(later, times=later.times + failed.times) if later else failed


class RecordedRefusals:
    """Writes the refusals that one process sees."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._people: dict[str, _Person] = {}
        self._addresses: dict[str, _Allowance] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._late: dict[str, tuple[_Key, set[str]]] = {}
        """By table, the last round with late attempts, and whose are recorded."""

    async def record_late(self, by: AnyActor, late: LateAttempt) -> None:
        """Write a late attempt, unless one of this player and round is recorded."""
        round_key, people = self._late.get(late.table, (None, set()))
        if round_key != _key(late):
            people = set()
            self._late[late.table] = _key(late), people
        if late.who in people:
            return
        people.add(late.who)  # before the await: others may come in the meantime
        try:
            await self.record(by, late)
        except FloorRefused:
            people.discard(late.who)
            raise

    async def record(self, by: AnyActor, refused: Recorded) -> None:
        """Write a refusal. Beyond the limit it is only counted, and an entry with the count follows shortly."""
        key, address = person_key(by), CLIENT_ADDRESS.get()
        person = self._people.get(key)
        if person is None:
            self._make_room()
            person = self._people[key] = _Person(self._clock.steady_s())
        if key in self._waiting or not self._take(person, address):
            person.postpone(by, refused)
            if key not in self._waiting:
                self._waiting[key] = asyncio.create_task(self._later(key, person, address))
            return
        await self._write(by, refused)

    def _take(self, person: _Person, address: str) -> bool:
        """Use up one entry of the person and of the address, if both have one left."""
        now_s = self._clock.steady_s()
        allowances = [person.allowance]
        if address:
            if address not in self._addresses:
                self._make_room()
                self._addresses[address] = _Allowance(now_s, ADDRESS_FACTOR)
            allowances.append(self._addresses[address])
        if not all(each.is_left(now_s) for each in allowances):
            return False
        for each in allowances:
            each.use()
        return True

    async def _later(self, key: str, person: _Person, address: str) -> None:
        try:
            while person.unwritten:
                await self._clock.sleep(REFILL_S)
                if self._take(person, address):
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
            while person.unwritten:
                await self._write_unwritten(person)

    async def _write_unwritten(self, person: _Person) -> None:
        # removed before the await: more may come in the meantime, and a cancelled write is still written
        unwritten = person.unwritten.pop(next(iter(person.unwritten)))
        try:
            await self._write(unwritten.by, unwritten.event)
        except FloorRefused:
            person.put_back(unwritten)
            raise

    async def _write(self, by: AnyActor, refused: Recorded) -> None:
        record = command_record(by, self._clock)
        if isinstance(refused, LateAttempt):  # the id is unique, so no other process writes it again
            record = replace(record, command_id=f"{HOUSE_ID}late:{refused.stream}:{refused.round}:{refused.who}")
        with suppress(CommandIdTaken):
            await self._database.write(lambda transaction: append_house(transaction, record, refused))

    def _make_room(self) -> None:
        now_s = self._clock.steady_s()
        if len(self._people) >= MAX_KEYS:
            people = self._people.items()
            self._people = {key: one for key, one in people if one.unwritten or one.allowance.is_needed(now_s)}
        if len(self._addresses) >= MAX_KEYS:
            self._addresses = {key: one for key, one in self._addresses.items() if one.is_needed(now_s)}
