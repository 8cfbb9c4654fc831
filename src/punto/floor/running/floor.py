"""A running floor: loads its tables from the journal, creates tables and gives commands to them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

import punto
from punto.floor.clock import Clock, SystemClock
from punto.floor.database.base import Database, Duplicate, Row, Transaction
from punto.floor.database.schema import is_backup
from punto.floor.errors import FloorCode, FloorRefused, in_use
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projection import Stored
from punto.floor.house.projections.seals import find_seal
from punto.floor.house.projections.stops import Stop, stops_in_force
from punto.floor.house.signing import sign_with
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, Actor, command_record
from punto.floor.journal.entry import NO_CONTEXT, Entry, EntryContext
from punto.floor.journal.house_events import FloorStarted, TableCreated
from punto.floor.journal.stream_name import is_table_name
from punto.floor.journal.streams import Head
from punto.floor.running.appender import Appender, ExtraWork
from punto.floor.running.build import build_hash, law_hashes, packages_hash
from punto.floor.running.catch_up import Follower
from punto.floor.running.commands import Answer, FloorCheck, Previewed, TableCommands
from punto.floor.running.configuration import configuration_digest, host_name, os_user
from punto.floor.running.gaming_stops import StopsInForce
from punto.floor.running.live_table import LiveTable
from punto.floor.running.ownership import Ownership
from punto.floor.running.table_faults import READ, TableFaults
from punto.floor.running.table_setup import TableSetup, check_setup, setup_hash
from punto.floor.secret_key import SecretKey, floor_key
from punto.floor.shoes.card_lookup import ShoePlace
from punto.floor.shoes.generator_check import Generator, RandomBytes
from punto.floor.shoes.known_orders import was_restored
from punto.floor.shoes.scan_store import Scans
from punto.floor.shoes.sealed import SealedShoe, encrypt_orders
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shoe_runtime import SealedShoes
from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal, Refused
from punto.table.records.commands import Command, OpenTable
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode

MAY_CREATE = OpenTable.may | {Position.ADMINISTRATOR, Position.HOUSE}
"""Positions that may add a table to the floor."""


class Floor:
    """The tables of one database in one process. Create it with :meth:`start`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        key: SecretKey,
        *,
        training: bool = False,
        server_settings: Mapping[str, object] | None = None,
        random_bytes: RandomBytes = secrets.token_bytes,
    ) -> None:
        self.database = database
        self.clock = clock
        self.key = key
        self.training = training
        """Whether tables may deal from seeded shoes, whose cards can be worked out."""
        self._server_settings = server_settings or {}
        self.started = FloorStarted(punto.__version__)
        """What this process has put on record about itself."""
        self.started_us = clock.now_us()
        self.house_log = HouseLog(database, clock)
        self.tables: dict[str, LiveTable] = {}
        self.faults = TableFaults()
        self.stops = StopsInForce()
        self._loading = asyncio.Lock()
        self.generator = Generator(self.house_log, random_bytes)
        self._shoes = SealedShoes(self.house_log, key, self.generator)
        self._scans = Scans(database)
        self._follower = Follower(self.tables)
        appender = Appender(database, clock, self._shoes, self._follower)
        self._ownership = Ownership(database, clock, self.tables, appender)
        self._commands = TableCommands(
            self.house_log, self._ownership, appender, self._shoes, self._scans, self.stops, training=training
        )

    @property
    def process(self) -> str:
        """The name under which this process holds tables."""
        return self._ownership.process

    # ---- the floor itself

    @classmethod
    async def start(
        cls,
        database: Database,
        clock: Clock | None = None,
        key_file: str = "",
        *,
        training: bool = False,
        server_settings: Mapping[str, object] | None = None,
        random_bytes: RandomBytes = secrets.token_bytes,
        by_account: bool = False,
    ) -> "Floor":
        """Load every table from the journal and follow what other processes append.

        ``key_file`` is the file of the secret key: see :func:`~punto.floor.secret_key.floor_key`. The settings of the
        server, without secrets, are part of the configuration whose digest is on record. ``random_bytes`` are tested,
        not dealt from: both are the operating system's. ``by_account`` says that nobody acts without an account.
        """
        if await database.read(is_backup):
            raise FloorRefused(FloorCode.NOT_A_FLOOR, variant="backup")
        if not await asyncio.to_thread(database.enter):
            raise in_use()
        key = await asyncio.to_thread(floor_key, database, key_file)
        await asyncio.to_thread(sign_with, database, key)
        floor = cls(
            database,
            clock or SystemClock(),
            key,
            training=training,
            server_settings=server_settings,
            random_bytes=random_bytes,
        )
        await database.write(lambda transaction: encrypt_orders(transaction, key))
        configuration = await floor.configuration()
        floor.started = await asyncio.to_thread(_started, floor.process, configuration, key.public_key, by_account)
        await floor.house_log.write(THE_HOUSE, floor.started)
        await floor.generator.check()
        await floor.load_tables()
        if await database.read(was_restored):
            await floor._end_known_shoes()
        floor._follower.listen(database)
        return floor

    async def configuration(self) -> str:
        """The digest of the configuration now."""
        given = self._server_settings
        return await self.database.read(lambda transaction: configuration_digest(transaction, given))

    async def _end_known_shoes(self) -> None:
        """After a restore, before anybody can act: see :mod:`punto.floor.shoes.known_orders`."""
        for live in self.tables.values():
            if live.setup.shoes is not ShoeKind.MANUAL:
                await self._ownership.end_known_shoes(live)

    async def flush(self) -> None:
        """Write everything outstanding, before the database is closed."""
        await self.house_log.flush()
        with suppress(FloorRefused):  # the database is gone: the record of the last second has to do
            await self.record_alive()

    async def record_alive(self) -> None:
        """Record that this process is alive, for the one that takes its tables over."""
        await self._ownership.record_alive()

    async def load_tables(self) -> None:
        """Load the tables that this process does not have yet, the titles of all, and what is stopped."""
        async with self._loading:
            rows, stops = await self.database.read(_tables_and_stops)
            for name, _, title in rows:
                if name in self.tables:
                    self.tables[name].retitle(title)
            rows = [row for row in rows if row[0] not in self.tables]
            openings = await self.database.read(streams.openings) if rows else {}
            books = set[str]()
            for name, encoded, title in rows:
                setup = msgspec.json.decode(encoded, type=TableSetup)
                try:
                    if setup.book not in books:  # loading a book takes too long for the event loop
                        await asyncio.to_thread(book, setup.book)
                        books.add(setup.book)
                except Refused as refused:  # its book is not on the shelf, or could not be law: the others go on
                    self.faults.add(name, READ, refused)
                    continue
                self.faults.clear(name, READ)
                live = await LiveTable.load(setup, self.database, openings.get(name, 0), title)
                if setup.shoes is not ShoeKind.MANUAL:
                    await self._shoes.check_in_play(live.state)
                self.tables[name] = live
            self.stops.set(stops, [*self.tables.values()])

    async def require_may_create(self, by: Actor, name: str) -> None:
        """Refuse somebody who may not add a table, and record it."""
        await self.house_log.require(by, MAY_CREATE, "create_table", name[:MAX_NAME_LENGTH])

    async def create_table(self, by: Actor, setup: TableSetup) -> None:
        """Add a table to the floor. It starts closed."""
        await self.require_may_create(by, setup.name)
        if not is_table_name(setup.name):
            raise FloorRefused(TableCode.BAD_NAME, variant="table", most=MAX_NAME_LENGTH)
        check_setup(setup)
        if setup.shoes is ShoeKind.SEEDED and not self.training:
            raise FloorRefused(FloorCode.TRAINING_ONLY)
        rules = await asyncio.to_thread(book, setup.book)
        rules.require_decks(setup.decks)

        # claimed before others can see it, so no process takes it for an abandoned table
        held_by = await self._ownership.claim_new(setup.name)
        record = command_record(by, self.clock)  # here: the database's thread does not know the terminal

        def work(transaction: Transaction) -> None:
            stored = msgspec.json.encode(setup).decode()
            created = TableCreated(setup.name, setup.book, setup.shoes, setup.decks, setup_hash(stored))
            append_house(transaction, record, Stored(created, {"setup": stored, "held_by": held_by}))

        try:
            await self.database.write(work)
        except Duplicate as error:
            raise FloorRefused(FloorCode.TABLE_EXISTS, table=setup.name) from error
        await self.load_tables()

    def table(self, name: str) -> LiveTable:
        """A table by its name; refused if it is unknown."""
        live = self.tables.get(name)
        if live is None:
            raise FloorRefused(FloorCode.UNKNOWN_TABLE, table=name[:40])
        return live

    def title_of(self, name: str) -> str:
        """What pages call a table; the name itself if this process does not know the table."""
        return self.tables[name].title if name in self.tables else name

    async def find_table(self, name: str) -> LiveTable:
        """Like :meth:`table`, including tables that another process has just created."""
        if name not in self.tables and self.database.shared:
            await self.load_tables()
        return self.table(name)

    # ---- commands

    async def submit(
        self,
        by: Actor,
        table: str,
        command_id: str,
        body: dict[str, Any],
        check: FloorCheck | None = None,
        extra: ExtraWork | None = None,
        context: EntryContext = NO_CONTEXT,
    ) -> Answer:
        """Submit a command as a client sends it: tag and fields, without the actor.

        The revision in ``context`` is filled in when the command is written.
        """
        live = self.tables.get(table) or await self.find_table(table)
        return await self._commands.submit(by, live, command_id, body, check, extra, context)

    async def preview(
        self, by: Actor, table: str, body: dict[str, Any], check: FloorCheck, happened_at_us: int = 0
    ) -> Previewed | Refusal:
        """What a command would lead to if somebody who may give it did so now."""
        live = await self.find_table(table)
        return await self._commands.preview(by, live, body, check, happened_at_us)

    async def give(
        self, live: LiveTable, command_id: str, command: Command, at: Head | None = None, extra: ExtraWork | None = None
    ) -> Answer:
        """Give a command of this process itself; if ``at`` is given, only while the table is at that head."""
        return await self._commands.give(live, command_id, command, at, extra)

    async def answer_to(self, command_id: str) -> Answer | None:
        """The answer to a command id; None if it was never accepted."""
        return await self._commands.answer_to(command_id)

    async def take_over(self, live: LiveTable) -> None:
        """Recover a table that this process has just claimed, unless this process was the last to run it."""
        async with live.lock:
            await self._ownership.take_over(live)

    async def sealed_shoe(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None if the shoe is a real one. For the runtime only."""
        return await self._shoes.find(name)

    async def sealed_card(self, live: LiveTable, place: ShoePlace) -> Card | None:
        """The card at a place of a sealed shoe; None if the shoe is a real one. For the runtime only."""
        return await self._shoes.card_at(live.head, live.state, place)

    async def squeezed_cards(self, live: LiveTable) -> dict[int, Card]:
        """By place, the cards of sealed shoes that a player has squeezed and nobody has turned. For that player alone.

        Where the cards are real, the player holds them.
        """
        return await self._shoes.squeezed(live.head, live.state)

    async def scanned_card(self, live: LiveTable, place: ShoePlace | None) -> Card | None:
        """A scanned and drawn card of a real shoe. For the runtime only."""
        return await self._scans.card(live.stream, live.state, place)

    async def is_scanned(self, live: LiveTable, place: ShoePlace) -> bool:
        """Whether a scanner has read the card at a place. Which card it is stays here."""
        return await self._scans.card(live.stream, live.state, place) is not None

    async def commitment(self, name: str) -> str | None:
        """The published commitment of a sealed shoe, or of a block by its ``seal_id``; None if it is a real one."""
        sealed = await self.database.read(lambda transaction: find_seal(transaction, name))
        return None if sealed is None else sealed.commitment

    @property
    def faulty(self) -> tuple[str, ...]:
        """The tables that cannot be run or shown, or are stopped, sorted."""
        stopped = {name for name, live in self.tables.items() if self.is_stopped(live)}
        return tuple(sorted({*self.faults.tables, *stopped}))

    def is_stopped(self, live: LiveTable) -> bool:
        """Whether a table stands still: a shoe in play is not as it was sealed, or the generator has failed.

        In the second case the round in play ends first.
        """
        broken = self.generator.fault is not None and live.setup.shoes is ShoeKind.VIRTUAL
        return (broken and live.state.phase is Phase.READY) or self._shoes.altered(live.state) is not None

    # ---- watching

    @contextmanager
    def watched_by(self, live: LiveTable, by: Actor | None) -> Iterator[None]:
        """While a page or program of somebody watches a table: of players, the table knows that they are there."""
        if by is None or by.position is not Position.PLAYER:
            yield
            return
        live.here.arrived(by.name)
        try:
            yield
        finally:
            live.here.left(by.name, self.clock.steady_s())
            if live.state.round is not None and live.state.round.insurance.offer_open:
                live.signal()  # the automatic dealer may have waited for them

    async def watch(self, table: str, after: int = 0, opening: int = 0) -> AsyncIterator[Entry]:
        """The entries of a table as they are written: see :meth:`LiveTable.watch`."""
        live = await self.find_table(table)
        async for entry in live.watch(after, opening):
            yield entry


def _tables_and_stops(transaction: Transaction) -> tuple[list[Row], list[Stop]]:
    return transaction.rows("SELECT name, setup, title FROM tables ORDER BY name"), stops_in_force(transaction)


def _started(process: str, settings: str, public_key: str, by_account: bool) -> FloorStarted:  # noqa: FBT001 - in a thread
    return FloorStarted(
        punto.__version__,
        build_hash(),
        law_hashes(),
        packages=packages_hash(),
        settings=settings,
        process=process,
        user=os_user(),
        host=host_name(),
        public_key=public_key,
        by_account=by_account,
    )
