"""A floor with staff, a clock that the test sets, and cheap password hashes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from argon2 import Parameters, Type
from msgspec.structs import replace

from punto.floor.database import open_database
from punto.floor.database.signatures import Signer
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import HOUSE, HouseEvent, read_house_event
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE, Accounts
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.acting import Acting
from punto.floor.people.duty import Duty
from punto.floor.people.players import Players
from punto.floor.people.sessions.player_codes import PlayerCodes
from punto.floor.people.sessions.sessions import Sessions
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.keys import TEST_KEY

CHEAP = Parameters(type=Type.ID, version=19, salt_len=16, hash_len=32, time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "twelve cards in a row"  # noqa: S105 - for tests
MINUTE_US = 60_000_000
READER = TokenBounds(TokenWork.READ)
BRIDGE = TokenBounds(TokenWork.CARDS, "t1")
TABLET = TokenBounds(TokenWork.COMMANDS, "t1")


class SetClock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.us = 1_700_000_000_000_000

    def now_us(self) -> int:
        return self.us

    def steady_s(self) -> float:
        return self.us / 1_000_000

    async def sleep(self, seconds: float) -> None:
        self.us += int(seconds * 1_000_000)
        await asyncio.sleep(0)

    def go_on(self, minutes: float) -> None:
        self.us += int(minutes * MINUTE_US)


class Staffed:
    """A floor and the managers of its people."""

    def __init__(self, floor: Floor, clock: SetClock) -> None:
        self.database = floor.database
        self.clock = clock
        self.floor = floor
        self.accounts = Accounts(floor.house_log, Passwords(CHEAP))
        self.sessions = Sessions(floor.house_log, floor.key, Passwords(CHEAP))
        self.visitors = Visitors(floor)
        self.players = Players(floor.house_log)
        self.acting = Acting(floor, self.visitors.rules, Duty(floor.house_log).now)
        self.player_codes = PlayerCodes(floor, Passwords(CHEAP), Duty(floor.house_log).now)

    async def hired(self, name: str, position: Position | None) -> str:
        """The token of a new member of staff who has signed in and changed their password."""
        once = await self.accounts.create(THE_CONSOLE, name, position)
        token = (await self.sessions.sign_in(name, once)).token
        await self.sessions.change_password(token, once, PASSWORD)
        return token

    async def table(self, name: str, book: str = "commission-insurance") -> None:
        """A table with a real shoe."""
        await self.floor.create_table(THE_HOUSE, TableSetup(name, book, ShoeKind.MANUAL))

    async def entries(self) -> list[Entry]:
        """The house's stream."""
        heads = await self.database.read(streams.heads)
        return await self.database.read(lambda transaction: streams.read(transaction, heads[HOUSE], 0))

    async def told(self, kind: type[HouseEvent] = HouseEvent) -> list[tuple[str, str, HouseEvent]]:
        """Name, position and event of the house's entries, of one kind or all. Without keys, which differ each time."""
        read = [(entry.actor, entry.position, _without_keys(entry.event)) for entry in await self.entries()]
        return [one for one in read if isinstance(one[2], kind)]


def _without_keys(text: str) -> HouseEvent:
    event = read_house_event(text)
    keys = dict.fromkeys(("session", "but", "password", "key", "fingerprint"), "")
    values: dict[str, object] = {**keys, "expires_us": 0, "one_time_until_us": 0}
    if "player" in event.__struct_fields__:
        values["commitment"] = ""
    return replace(event, **{key: value for key, value in values.items() if key in event.__struct_fields__})


@asynccontextmanager
async def staffed(url: str, *, running: bool = True) -> AsyncIterator[Staffed]:
    """Start a floor for a test; one that is not running only manages people, like the command line."""
    database = open_database(url)
    database.signer = Signer(TEST_KEY)
    try:
        clock = SetClock()
        yield Staffed(await Floor.start(database, clock) if running else Floor(database, clock, TEST_KEY), clock)
    finally:
        await asyncio.to_thread(database.close)


def run(url: str, test: Callable[[Staffed], Awaitable[None]]) -> None:
    """Run a test on its own floor."""

    async def whole() -> None:
        async with staffed(url) as house:
            await test(house)

    asyncio.run(whole())


async def refused(waiting: Awaitable[object], code: FloorCode | TableCode) -> FloorRefused:
    """Expect a refusal with this code and a message."""
    with pytest.raises(FloorRefused) as trouble:
        await waiting
    assert trouble.value.code is code, trouble.value
    assert trouble.value.message
    return trouble.value


ADMINISTRATOR = Actor("root", Position.ADMINISTRATOR)
DEALER = Actor("dora", Position.DEALER)
SUPERVISOR = Actor("sam", Position.PIT_SUPERVISOR)
