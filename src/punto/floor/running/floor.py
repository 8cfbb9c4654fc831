"""A floor that runs: its tables, brought back from the journal, created, found and watched."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

import punto
from punto.floor.clock import Clock, SystemClock
from punto.floor.database.base import Database, Duplicate, Transaction
from punto.floor.errors import FloorCode, FloorRefused, in_use
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, Actor, said_by
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import FloorStarted, TableCreated
from punto.floor.journal.house_log import HouseLog
from punto.floor.journal.streams import Head
from punto.floor.running.appender import Also, Appender
from punto.floor.running.catch_up import Follower
from punto.floor.running.commands import Answer, May, TableCommands
from punto.floor.running.live_table import LiveTable
from punto.floor.running.ownership import Ownership
from punto.floor.running.table_setup import TableSetup, setup_hash
from punto.floor.shoes.card_lookup import ShoePlace
from punto.floor.shoes.scan_store import Scans
from punto.floor.shoes.sealed import SealedShoe, SealedShoes
from punto.library import book
from punto.rules.coup.cards import Card
from punto.table.records.commands import Command, OpenTable
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import Position
from punto.table.refusals import TableCode

MAY_CREATE = OpenTable.may | {Position.ADMINISTRATOR, Position.HOUSE}
"""Who may add a table to the floor: whoever may open one, and who sets the floor up."""


class Floor:
    """The tables of one database, as one process runs them. :meth:`start` makes one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self.house_log = HouseLog(database, clock)
        self.tables: dict[str, LiveTable] = {}
        self._loading = asyncio.Lock()
        self._shoes = SealedShoes(database)
        self._scans = Scans(database)
        self._follower = Follower(self.tables)
        appender = Appender(database, clock, self._shoes, self._follower)
        self._ownership = Ownership(database, clock, self.tables, appender)
        self._commands = TableCommands(self.house_log, self._ownership, appender, self._shoes, self._scans)

    @property
    def process(self) -> str:
        """The name of this process in the rows of the tables that it runs."""
        return self._ownership.process

    # ---- the floor itself

    @classmethod
    async def start(cls, database: Database, clock: Clock | None = None) -> "Floor":
        """Bring back every table as the journal has it, and follow what other processes append."""
        if not await asyncio.to_thread(database.enter):
            raise in_use()
        floor = cls(database, clock or SystemClock())
        await floor.house_log.tell(THE_HOUSE, FloorStarted(punto.__version__))
        await floor.load_tables()
        floor._follower.listen(database)
        return floor

    async def put_down(self) -> None:
        """Write what is still to be written, before the database is closed."""
        await self.house_log.write_all()

    async def load_tables(self) -> None:
        """The tables that the database has and this process does not know yet."""
        async with self._loading:
            rows = await self.database.read(lambda tx: tx.rows("SELECT name, setup FROM tables ORDER BY name"))
            rows = [(name, setup) for name, setup in rows if name not in self.tables]
            openings = await self.database.read(streams.openings) if rows else {}
            books = set[str]()
            for name, written in rows:
                setup = msgspec.json.decode(written, type=TableSetup)
                if setup.book not in books:  # a book read for the first time takes too long for the event loop
                    await asyncio.to_thread(book, setup.book)
                    books.add(setup.book)
                self.tables[name] = await LiveTable.load(setup, self.database, openings.get(name, 0))

    async def create_table(self, by: Actor, setup: TableSetup) -> None:
        """A further table, closed."""
        if not is_name(setup.name) or "/" in setup.name:
            raise FloorRefused(TableCode.BAD_NAME, variant="table", most=MAX_NAME_LENGTH)
        await self.house_log.require(by, MAY_CREATE, "create_table", setup.name)
        rules = await asyncio.to_thread(book, setup.book)
        rules.require_decks(setup.decks)

        # before anybody else can see it, so that nobody takes it for one that was left
        held_by = await self._ownership.claim_new(setup.name)

        def work(transaction: Transaction) -> None:
            row = (setup.name, msgspec.json.encode(setup).decode(), held_by)
            transaction.many("INSERT INTO tables (name, setup, held_by) VALUES (?, ?, ?)", [row])
            created = TableCreated(setup.name, setup.book, setup.shoes, setup.decks, setup_hash(row[1]))
            streams.append_house(transaction, said_by(by, self.clock), created)

        try:
            await self.database.write(work)
        except Duplicate as error:
            raise FloorRefused(FloorCode.TABLE_EXISTS, table=setup.name) from error
        await self.load_tables()

    def table(self, name: str) -> LiveTable:
        """A table by its name."""
        live = self.tables.get(name)
        if live is None:
            raise FloorRefused(FloorCode.UNKNOWN_TABLE, table=name[:40])
        return live

    async def find_table(self, name: str) -> LiveTable:
        """The same, also where another process has just created it."""
        if name not in self.tables and self.database.shared:
            await self.load_tables()
        return self.table(name)

    # ---- commands

    async def submit(
        self, by: Actor, table: str, command_id: str, body: dict[str, Any], may: May | None = None
    ) -> Answer:
        """A command as a program sends it: its tag and its fields, but not who gives it."""
        live = self.tables.get(table) or await self.find_table(table)
        return await self._commands.submit(by, live, command_id, body, may)

    async def give(
        self, live: LiveTable, command_id: str, command: Command, at: Head | None = None, also: Also | None = None
    ) -> Answer:
        """A command of this process itself; where ``at`` is given, only while the table stands there."""
        return await self._commands.give(live, command_id, command, at, also)

    async def answer_to(self, command_id: str) -> Answer | None:
        """What was answered to a command id, if it was ever accepted."""
        return await self._commands.answer_to(command_id)

    async def take_over(self, live: LiveTable) -> None:
        """Recover a table that this process has just claimed, unless it ran it last itself."""
        async with live.lock:
            await self._ownership.take_over(live)

    async def sealed_shoe(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None for a real one. For the runtime alone."""
        return await self._shoes.find(name)

    async def scanned(self, live: LiveTable, place: ShoePlace | None) -> Card | None:
        """A card of a real shoe that was scanned and drawn. For the runtime alone."""
        return await self._scans.card(live.stream, live.state, place)

    async def commitment(self, name: str) -> str | None:
        """What was published of a sealed shoe before its first card; None for a real one."""
        sealed = await self._shoes.find(name)
        return None if sealed is None else sealed.commitment

    # ---- watching

    async def watch(self, table: str, after: int = 0, opening: int = 0) -> AsyncIterator[Entry]:
        """Every entry of a table after a version of an opening, the present one where none is named, as it comes."""
        live = await self.find_table(table)
        async for entry in live.watch(after, opening):
            yield entry
