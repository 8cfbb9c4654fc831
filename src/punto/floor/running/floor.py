"""A floor that runs: commands decided, appended, and only then acknowledged."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
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
from punto.floor.journal.authority_refusals import refusals_of
from punto.floor.journal.entry import NOTHING_BEFORE, Entry, Said, command_of, follow, write
from punto.floor.journal.house_events import (
    AuthorityRefused,
    FloorStarted,
    HouseEvent,
    ShoeSealed,
    StreamClosed,
    StreamOpened,
    TableCreated,
)
from punto.floor.journal.replay import closing_in
from punto.floor.journal.streams import Head
from punto.floor.running.catch_up import Follower
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import ShoeKind, TableSetup, setup_hash
from punto.floor.running.takeover import TakingOver
from punto.floor.shoes import sealed_shoe
from punto.floor.shoes.card_lookup import SealedShoes
from punto.floor.shoes.scan_store import Scans
from punto.floor.shoes.sealed_shoe import SealedShoe
from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.table import decide, evolve
from punto.table.records.commands import Command, OpenTable
from punto.table.records.events import Event
from punto.table.records.names import MOST_NAME, is_name
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode

MAX_DECISION_TRIES = 100
"""How often a command is judged again before its table is called too busy."""
MOST_ID = 100
OF_THE_HOUSE = ("house:", "auto:", "recovery:", "scan:")
"""How the house's own command ids begin: they follow from the state, and nobody else may take one."""
AUTHORITY = frozenset({TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN})
"""Refusals that go on record."""
NOT_TO_SAY = frozenset({"by", "position", "carried"})
"""What no command may say of itself: who gives it, says his session; what is carried over, the last closing."""
MAY_CREATE = OpenTable.may | {Position.ADMINISTRATOR, Position.HOUSE}
"""Who may add a table to the floor: whoever may open one, and who sets the floor up."""


__all__ = ["THE_HOUSE", "Actor", "Answer", "Floor"]

Asking = Callable[[], Awaitable[Command | None]]
"""The command as it is for the table as it stands; None where it is no longer to be given."""
May = Callable[[Table], None]
"""Refuses what the floor, and not the table's law, does not allow at a table as it stands."""
Also = Callable[[Transaction], None]
"""What is written with the entries of a command, in one transaction, or not at all."""


class Answer(Struct, frozen=True):
    """What became of a command: the entries it has brought about, or why there are none."""

    entries: tuple[Entry, ...] = ()
    refusal: Refusal | None = None


class Floor:
    """The tables of one database, as one process runs them."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self.clock = clock or SystemClock()
        self.tables: dict[str, LiveTable] = {}
        self._loading = asyncio.Lock()
        self._shoes = SealedShoes(database)
        self._scans = Scans(database)
        self._follower = Follower(self.tables)
        self._taking_over = TakingOver(database, self.clock, self.tables, self._accepted)

    @property
    def process(self) -> str:
        """What this process is called where it writes down that it runs a table."""
        return self._taking_over.process

    # ---- the floor itself

    async def start(self) -> None:
        """Bring back every table as the journal has it, and follow what other processes append."""
        if not await asyncio.to_thread(self.database.enter):
            raise in_use()
        await self.tell_house(THE_HOUSE, FloorStarted(punto.__version__))
        await self.load_tables()
        self._follower.listen(self.database)

    async def put_down(self) -> None:
        """Before its database is closed: what is still to be written is."""
        await refusals_of(self.database, self.clock).write_all()

    async def load_tables(self) -> None:
        """The tables that the database has and this process does not know yet."""
        async with self._loading:
            rows = await self.database.read(lambda tx: tx.rows("SELECT name, setup FROM tables ORDER BY name"))
            rows = [(name, setup) for name, setup in rows if name not in self.tables]
            openings = await self.database.read(streams.openings) if rows else {}
            for name, setup in rows:
                live = LiveTable(msgspec.json.decode(setup, type=TableSetup), self.database)
                await live.load_from(openings.get(name, 0))
                self.tables[name] = live

    async def create_table(self, by: Actor, setup: TableSetup) -> None:
        """A further table, closed."""
        if not is_name(setup.name) or "/" in setup.name:
            raise FloorRefused(TableCode.BAD_NAME, variant="table", most=MOST_NAME)
        if by.position not in MAY_CREATE:
            await self.tell_refusal(by, setup.name, "create_table", TableCode.NOT_AUTHORISED)
            positions = tuple(sorted(MAY_CREATE))
            raise FloorRefused(TableCode.NOT_AUTHORISED, positions=positions, position=by.position)
        rules = book(setup.book)
        rules.require_decks(setup.decks)

        # before anybody else can see it, so that nobody takes it for one that was left
        held_by = await self._taking_over.claimed_by(setup.name)

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

    async def tell_house(self, by: Actor, *events: HouseEvent) -> None:
        """Write into the house's own stream."""
        said = said_by(by, self.clock)
        await self.database.write(lambda transaction: streams.append_house(transaction, said, *events))

    async def tell_refusal(self, by: Actor, table: str, what: str, code: str) -> None:
        """That somebody was refused for lack of authority is on record."""
        refused = AuthorityRefused(table, by.name, by.position, what, code)
        await refusals_of(self.database, self.clock).tell(by, refused)

    # ---- commands

    async def submit(
        self, by: Actor, table: str, command_id: str, body: dict[str, Any], may: May | None = None
    ) -> Answer:
        """A command as a program sends it: its tag and its fields, but not who gives it."""
        live = self.tables.get(table) or await self.find_table(table)
        _check_id(command_id)
        if unwanted := body.keys() & NOT_TO_SAY:
            await self._claimed(by, live, body)
            raise FloorRefused(FloorCode.BAD_COMMAND, variant="reserved", fields=tuple(sorted(unwanted)))
        sealed = live.setup.shoes is not ShoeKind.MANUAL and by.position is not Position.HOUSE

        async def asking() -> Command:
            if may is not None:
                may(live.state)
            if sealed:
                asked = await self._shoes.with_card(live.state, command_id, body)
            else:
                asked = await self._scans.with_card(live, by.position, command_id, body)
            try:
                return command_of({**asked, "by": by.name, "position": by.position})
            except msgspec.ValidationError as error:
                raise FloorRefused(FloorCode.BAD_COMMAND, variant="unreadable", reason=str(error)) from error

        return await self._give(live, command_id, asking)

    async def _claimed(self, by: Actor, live: LiveTable, body: dict[str, Any]) -> None:
        """Who says what is not for him to say claims an authority that he has not: on record."""
        tag = str(body.get("command", ""))[:MOST_ID].encode(errors="replace").decode()
        await self.tell_refusal(by, live.setup.name, tag, FloorCode.BAD_COMMAND)

    async def give(
        self, live: LiveTable, command_id: str, command: Command, at: Head | None = None, also: Also | None = None
    ) -> Answer:
        """A command of this process itself; where ``at`` is given, only while the table stands there."""

        async def asking() -> Command | None:
            return command if at is None or at == live.head else None

        return await self._give(live, command_id, asking, also)

    async def _give(self, live: LiveTable, command_id: str, asking: Asking, also: Also | None = None) -> Answer:
        """Decide, append, and only then say so; judge again as long as somebody else was quicker."""
        async with live.lock:
            if live.stale:
                await live.catch_up()
            for _ in range(MAX_DECISION_TRIES):
                await self._taking_over.hold(live)
                command = await asking()
                answer = Answer() if command is None else await self._judge(live, command_id, command, also)
                if answer is not None:
                    return answer
                await live.catch_up()
        raise too_busy(live.setup.name)

    async def take_over(self, live: LiveTable) -> None:
        """Recover a table that this process has just claimed, unless it ran it last itself."""
        async with live.lock:
            await self._taking_over.take_over(live)

    # ---- judging

    async def _judge(
        self, live: LiveTable, command_id: str, command: Command, also: Also | None = None
    ) -> Answer | None:
        """The answer; None where the stream has moved on meanwhile."""
        command, asked = self._completed(live, command)
        decision = decide(live.rules, live.state, asked)
        if isinstance(decision, Refusal):
            return await self._refused(live, command_id, command, decision)
        try:
            return await self._accepted(live, command_id, command, asked, decision, also)
        except VersionConflict:
            return None
        except CommandIdTaken:
            return await self._before(live, command_id, command)
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

    async def _refused(self, live: LiveTable, command_id: str, command: Command, refusal: Refusal) -> Answer | None:
        """A refusal is judged afresh each time, unless the id was accepted before."""
        if (before := await self._before(live, command_id, command)) is not None:
            return before
        if self.database.shared and await live.catch_up():
            return None
        if refusal.code in AUTHORITY:
            tag = str(type(command).__struct_config__.tag)
            await self.tell_refusal(Actor(command.by, command.position), live.setup.name, tag, refusal.code)
        return Answer(refusal=refusal)

    async def _before(self, live: LiveTable, command_id: str, command: Command) -> Answer | None:
        """What was answered to this id before, if it was this command."""
        entries = await self.database.read(lambda transaction: streams.accepted(transaction, command_id))
        if not entries:
            return None
        if (
            _told(entries[0].command) != _told(write(command))
            or entries[0].stream.rpartition("/")[0] != live.setup.name
        ):
            raise id_taken(command_id)
        return Answer(tuple(entries))

    async def _accepted(
        self,
        live: LiveTable,
        command_id: str,
        command: Command,
        asked: Command,
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
        head = None if isinstance(asked, OpenTable) else live.head
        stream = live.stream_of(live.openings + 1) if head is None else head.stream
        after = (0, NOTHING_BEFORE) if head is None else (head.version, head.hash)
        entries = follow(stream, *after, said, [write(event) for event in events])
        house, sealed = await self._house_events(live, state, asked, stream, entries[-1])
        end = Head(stream, 0 if head is None else head.key, entries[-1].version, entries[-1].hash)
        taken = live.due_snapshot(state, end)

        def work(transaction: Transaction) -> Head:
            start = streams.begin(transaction, stream) if head is None else head
            end = streams.append(transaction, start, entries)
            if also is not None:
                also(transaction)
            if sealed is not None:
                sealed_shoe.seal(transaction, sealed)
            if taken is not None:
                streams.keep_snapshot(transaction, end, taken)
            if house:
                streams.append_house(transaction, said_by(Actor(command.by, command.position), self.clock), *house)
            return end

        try:
            end = await self.database.write(work)
        except asyncio.CancelledError:  # whoever asked has gone; it is written all the same
            live.stale = True
            self._follower.behind(live)
            raise
        self._shoes.forget(house)
        live.appended(end, state, entries, closing_in(events))
        if taken is not None:
            live.snapshot_at = taken.version
        return Answer(tuple(entries))

    async def _house_events(
        self, live: LiveTable, state: Table, asked: Command, stream: str, last: Entry
    ) -> tuple[list[HouseEvent], SealedShoe | None]:
        """What the house writes down with a command: streams opened and closed, shoes sealed and revealed."""
        house: list[HouseEvent] = []
        if isinstance(asked, OpenTable):
            house.append(StreamOpened(stream, live.setup.name))
        if state.phase is Phase.CLOSED:
            house.append(StreamClosed(stream, last.version, last.hash))
        if live.setup.shoes is ShoeKind.MANUAL:
            return house, None
        sealed = self._shoes.loaded(live.setup, asked)
        if sealed is not None:
            decks = len(sealed.cards) // len(Card)
            told = (sealed.id, live.setup.name, decks, sealed.kind, sealed.commitment, stream, last.version)
            house.append(ShoeSealed(*told))
        return house + await self._shoes.over(live.state, state), sealed

    async def sealed_shoe(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None for a real one. For the runtime alone."""
        return await self._shoes.find(name)

    async def scanned(self, live: LiveTable, where: tuple[str, int] | None) -> Card | None:
        """A card of a real shoe that was scanned and drawn. For the runtime alone."""
        return await self._scans.card(live, where)

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


def _told(command: str | None) -> dict[str, Any]:
    """What a command says, in whichever position: that may change between two askings."""
    told: dict[str, Any] = msgspec.json.decode(command or "{}")
    return {**told, "position": None}


def _check_id(command_id: str) -> None:
    if not (0 < len(command_id) <= MOST_ID and command_id.isprintable()):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="form", most=MOST_ID)
    if command_id.startswith(OF_THE_HOUSE):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="house", prefixes=OF_THE_HOUSE)
