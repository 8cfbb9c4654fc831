"""A floor that runs: commands decided, appended, and only then acknowledged."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import punto
from punto.floor.clock import Clock, SystemClock
from punto.floor.database.base import Database, Duplicate, Transaction
from punto.floor.errors import (
    CommandIdTaken,
    FloorCode,
    FloorRefused,
    VersionConflict,
    id_taken,
    in_use,
    too_busy,
)
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, Actor, said_by
from punto.floor.journal.command_ids import MAX_COMMAND_ID, find_accepted, require_client_id
from punto.floor.journal.entry import NOTHING_BEFORE, Entry, Said, command_of, follow, tag, write
from punto.floor.journal.house_events import (
    FloorStarted,
    HouseEvent,
    ShoeSealed,
    StreamClosed,
    StreamOpened,
    TableCreated,
)
from punto.floor.journal.house_log import HouseLog
from punto.floor.journal.replay import closing_in
from punto.floor.journal.streams import Head
from punto.floor.running.catch_up import Follower
from punto.floor.running.live_table import LiveTable
from punto.floor.running.ownership import Ownership
from punto.floor.running.table_setup import TableSetup, setup_hash
from punto.floor.shoes.card_lookup import ShoePlace, refuse_named_cards, with_card_of
from punto.floor.shoes.scan_store import Scans
from punto.floor.shoes.sealed import SealedShoe, SealedShoes, seal
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.table import decide, evolve
from punto.table.records.commands import RESERVED_FIELDS, Command, OpenTable
from punto.table.records.events import Event
from punto.table.records.names import MOST_NAME, is_name
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode

MAX_DECISION_TRIES = 100
"""How often a command is judged again before its table is called too busy."""
AUTHORITY = frozenset({TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN})
"""Refusals that go on record."""
MAY_CREATE = OpenTable.may | {Position.ADMINISTRATOR, Position.HOUSE}
"""Who may add a table to the floor: whoever may open one, and who sets the floor up."""


Asking = Callable[[], Awaitable[Command | None]]
"""The command as it is for the table as it stands; None where it is no longer to be given."""
Repeating = Callable[[Command], Command]
"""The command as it is if it repeats this one, which was accepted before."""
May = Callable[[Table], None]
"""Refuses what the floor, and not the table's law, does not allow at a table as it stands."""
Also = Callable[[Transaction], None]
"""What is written with the entries of a command, in one transaction, or not at all."""


class Answer(Struct, frozen=True):
    """What became of a command: the entries it has brought about, or why there are none."""

    entries: tuple[Entry, ...] = ()
    refusal: Refusal | None = None


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
        self._ownership = Ownership(database, clock, self.tables, self._append)

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
            raise FloorRefused(TableCode.BAD_NAME, variant="table", most=MOST_NAME)
        if by.position not in MAY_CREATE:
            await self.house_log.tell_refusal(by, setup.name, "create_table", TableCode.NOT_AUTHORISED)
            positions = tuple(sorted(MAY_CREATE))
            raise FloorRefused(TableCode.NOT_AUTHORISED, positions=positions, position=by.position)
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
        require_client_id(command_id)
        if unwanted := body.keys() & RESERVED_FIELDS:
            await self._claimed(by, live, body)
            raise FloorRefused(FloorCode.BAD_COMMAND, variant="reserved", fields=tuple(sorted(unwanted)))
        real = live.setup.shoes is ShoeKind.MANUAL
        sealed = not real and by.position is not Position.HOUSE
        if sealed:
            refuse_named_cards(body)

        async def asking() -> Command:
            if may is not None:
                may(live.state)
            whole = body
            if sealed:
                whole = await self._shoes.with_card(live.state, body)
            elif real:
                whole = await self._scans.with_card(live.stream, live.state, by.position, body)
            return _command(by, whole)

        def repeating(accepted: Command) -> Command:
            return _command(by, with_card_of(body, accepted))

        return await self._give(live, command_id, asking, repeating)

    async def _claimed(self, by: Actor, live: LiveTable, body: dict[str, Any]) -> None:
        """Whoever sets a reserved field claims an authority that they do not have: on record."""
        what = str(body.get("command", ""))[:MAX_COMMAND_ID].encode(errors="replace").decode()
        await self.house_log.tell_refusal(by, live.setup.name, what, FloorCode.BAD_COMMAND)

    async def give(
        self, live: LiveTable, command_id: str, command: Command, at: Head | None = None, also: Also | None = None
    ) -> Answer:
        """A command of this process itself; where ``at`` is given, only while the table stands there."""

        async def asking() -> Command | None:
            return command if at is None or at == live.head else None

        return await self._give(live, command_id, asking, lambda _: command, also)

    async def answer_to(self, command_id: str) -> Answer | None:
        """What was answered to a command id, if it was ever accepted."""
        accepted = await self.database.read(lambda transaction: find_accepted(transaction, command_id))
        return None if accepted is None else Answer(accepted.entries)

    async def _give(
        self, live: LiveTable, command_id: str, asking: Asking, repeating: Repeating, also: Also | None = None
    ) -> Answer:
        """Decide, append, and only then answer. If another process appended first, catch up and decide again."""
        async with live.lock:
            if live.stale:
                await live.catch_up()
            for _ in range(MAX_DECISION_TRIES):
                await self._ownership.hold(live)
                answer = await self._try(live, command_id, asking, repeating, also)
                if answer is not None:
                    return answer
                await live.catch_up()
        raise too_busy(live.setup.name)

    async def take_over(self, live: LiveTable) -> None:
        """Recover a table that this process has just claimed, unless it ran it last itself."""
        async with live.lock:
            await self._ownership.take_over(live)

    # ---- judging

    async def _try(
        self, live: LiveTable, command_id: str, asking: Asking, repeating: Repeating, also: Also | None
    ) -> Answer | None:
        """The answer; None where the stream has moved on meanwhile. An id that was accepted answers the same for ever.

        That is asked where something is in the way of the command: most commands have not been given before.
        """
        try:
            command = await asking()
        except FloorRefused:
            if (before := await self._answered(live, command_id, repeating)) is not None:
                return before
            raise
        if command is None:
            return Answer()
        command, judged = self._completed(live, command)
        decision = decide(live.rules, live.state, judged)
        if isinstance(decision, Refusal):
            before = await self._answered(live, command_id, repeating)
            return before or await self._refused(live, command, decision)
        try:
            return await self._append(live, command_id, command, judged, decision, also)
        except VersionConflict:
            return None
        except CommandIdTaken:
            return await self._answered(live, command_id, repeating)
        except FloorRefused as refused:
            # it may or may not be on the disk: the journal knows
            live.stale |= refused.code is not FloorCode.NOT_THE_SEALED_CARD
            live.held &= refused.code is not FloorCode.DATABASE_LOST  # the claim may be lost as well
            raise

    @staticmethod
    def _completed(live: LiveTable, command: Command) -> tuple[Command, Command]:
        """As it is written down and as it is judged: an opening carries over what the last closing left, only that."""
        if isinstance(command, OpenTable):
            return replace(command, carried={}), replace(command, carried=live.closing)
        return command, command

    async def _answered(self, live: LiveTable, command_id: str, repeating: Repeating) -> Answer | None:
        """What was answered to this id before, if it was accepted; refused where that was another command."""
        accepted = await self.database.read(lambda transaction: find_accepted(transaction, command_id))
        if accepted is None:
            return None
        command, _ = self._completed(live, repeating(accepted.command))
        if not accepted.is_repeated_by(live.setup.name, command):
            raise id_taken(command_id)
        return Answer(accepted.entries)

    async def _refused(self, live: LiveTable, command: Command, refusal: Refusal) -> Answer | None:
        """A refusal is judged afresh each time."""
        if self.database.shared and await live.catch_up():
            return None
        if refusal.code in AUTHORITY:
            by = Actor(command.by, command.position)
            await self.house_log.tell_refusal(by, live.setup.name, tag(type(command)), refusal.code)
        return Answer(refusal=refusal)

    async def _append(
        self,
        live: LiveTable,
        command_id: str,
        command: Command,
        judged: Command,
        events: tuple[Event, ...],
        also: Also | None = None,
    ) -> Answer:
        state = live.state
        sealed_shoes = live.setup.shoes is not ShoeKind.MANUAL
        for event in events:
            if sealed_shoes:
                await self._shoes.check(state, event)
            state = evolve(state, event)
        said = Said(self.clock.now_us(), command.by, command.position, command_id, live.rules.law_hash, write(command))
        head = None if isinstance(judged, OpenTable) else live.head
        name = live.stream_of(live.openings + 1 if head is None else live.openings)
        stream = str(name)
        after = (0, NOTHING_BEFORE) if head is None else (head.version, head.hash)
        entries = follow(stream, *after, said, [write(event) for event in events])
        house, sealed = await self._house_events(live, state, judged, entries[-1])
        end = Head(stream, 0 if head is None else head.key, entries[-1].version, entries[-1].hash)
        taken = live.due_snapshot(state, end)

        def work(transaction: Transaction) -> Head:
            start = streams.begin(transaction, name) if head is None else head
            end = streams.append(transaction, start, entries)
            if also is not None:
                also(transaction)
            if sealed is not None:
                seal(transaction, sealed)
            if taken is not None:
                streams.keep_snapshot(transaction, end, taken)
            if house:
                streams.append_house(transaction, said_by(Actor(command.by, command.position), self.clock), *house)
            return end

        try:
            end = await self.database.write(work)
        except asyncio.CancelledError:  # nobody waits for the answer; it is written all the same
            live.stale = True
            self._follower.behind(live)
            raise
        self._shoes.forget(house)
        live.appended(end, state, entries, closing_in(events))
        if taken is not None:
            live.snapshot_at = taken.version
        return Answer(tuple(entries))

    async def _house_events(
        self, live: LiveTable, state: Table, judged: Command, last: Entry
    ) -> tuple[list[HouseEvent], SealedShoe | None]:
        """What the house writes down with a command: streams opened and closed, shoes sealed and revealed."""
        house: list[HouseEvent] = []
        if isinstance(judged, OpenTable):
            house.append(StreamOpened(last.stream, live.setup.name))
        if state.phase is Phase.CLOSED:
            house.append(StreamClosed(last.stream, last.version, last.hash))
        if live.setup.shoes is ShoeKind.MANUAL:
            return house, None
        sealed = self._shoes.loaded(live.setup.shoes, live.setup.seed, judged)
        if sealed is not None:
            decks = len(sealed.cards) // len(Card)
            shoe = (sealed.id, live.setup.name, decks, sealed.kind, sealed.commitment)
            house.append(ShoeSealed(*shoe, last.stream, last.version))
        return house + await self._shoes.over(live.state, state), sealed

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


def _command(by: Actor, body: Mapping[str, Any]) -> Command:
    try:
        return command_of({**body, "by": by.name, "position": by.position})
    except msgspec.ValidationError as error:
        raise FloorRefused(FloorCode.BAD_COMMAND, variant="unreadable", reason=str(error)) from error
