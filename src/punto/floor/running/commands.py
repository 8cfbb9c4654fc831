"""Commands at the tables of a floor: decided, appended, and only then acknowledged."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.errors import CommandIdTaken, FloorCode, FloorRefused, VersionConflict, id_taken, too_busy
from punto.floor.journal.actor import Actor
from punto.floor.journal.command_ids import MAX_COMMAND_ID, find_accepted, require_client_id
from punto.floor.journal.entry import Entry, command_of, tag
from punto.floor.journal.house_log import HouseLog
from punto.floor.journal.streams import Head
from punto.floor.running.appender import Also, Appender
from punto.floor.running.live_table import LiveTable
from punto.floor.running.ownership import Ownership
from punto.floor.shoes.card_lookup import refuse_named_cards, with_card_of
from punto.floor.shoes.scan_store import Scans
from punto.floor.shoes.sealed import SealedShoes
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records.commands import RESERVED_FIELDS, Command, OpenTable
from punto.table.records.positions import Position
from punto.table.records.state import Table
from punto.table.refusals import TableCode

MAX_DECISION_TRIES = 100
"""How often a command is judged again before its table is called too busy."""
AUTHORITY = frozenset({TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN})
"""Refusals that go on record."""

Asking = Callable[[], Awaitable[Command | None]]
"""The command as it is for the table as it stands; None where it is no longer to be given."""
Repeating = Callable[[Command], Command]
"""The command as it is if it repeats this one, which was accepted before."""
May = Callable[[Table], None]
"""Refuses what the floor, and not the table's law, does not allow at a table as it stands."""


class Answer(Struct, frozen=True):
    """What became of a command: the entries it has brought about, or why there are none."""

    entries: tuple[Entry, ...] = ()
    refusal: Refusal | None = None


class TableCommands:
    """Gives commands to the tables that a process runs."""

    def __init__(
        self, house_log: HouseLog, ownership: Ownership, appender: Appender, shoes: SealedShoes, scans: Scans
    ) -> None:
        self._house_log, self._database = house_log, house_log.database
        self._ownership, self._appender = ownership, appender
        self._shoes, self._scans = shoes, scans

    async def submit(
        self, by: Actor, live: LiveTable, command_id: str, body: dict[str, Any], may: May | None = None
    ) -> Answer:
        """A command as a program sends it: its tag and its fields, but not who gives it."""
        require_client_id(command_id)
        if unwanted := body.keys() & RESERVED_FIELDS:
            refused = FloorRefused(FloorCode.BAD_COMMAND, variant="reserved", fields=tuple(sorted(unwanted)))
            await self._house_log.refuse(by, _claimed(body), refused, live.setup.name)
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

    async def give(
        self, live: LiveTable, command_id: str, command: Command, at: Head | None = None, also: Also | None = None
    ) -> Answer:
        """A command of this process itself; where ``at`` is given, only while the table stands there."""

        async def asking() -> Command | None:
            return command if at is None or at == live.head else None

        return await self._give(live, command_id, asking, lambda _: command, also)

    async def answer_to(self, command_id: str) -> Answer | None:
        """What was answered to a command id, if it was ever accepted."""
        accepted = await self._database.read(lambda transaction: find_accepted(transaction, command_id))
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
            return Answer(await self._appender.append(live, command_id, command, judged, decision, also))
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
        accepted = await self._database.read(lambda transaction: find_accepted(transaction, command_id))
        if accepted is None:
            return None
        command, _ = self._completed(live, repeating(accepted.command))
        if not accepted.is_repeated_by(live.setup.name, command):
            raise id_taken(command_id)
        return Answer(accepted.entries)

    async def _refused(self, live: LiveTable, command: Command, refusal: Refusal) -> Answer | None:
        """A refusal is judged afresh each time."""
        if self._database.shared and await live.catch_up():
            return None
        if refusal.code in AUTHORITY:
            by = Actor(command.by, command.position)
            await self._house_log.tell_refusal(by, live.setup.name, tag(type(command)), refusal.code)
        return Answer(refusal=refusal)


def _claimed(body: Mapping[str, Any]) -> str:
    """What goes on record of a command with a reserved field: it claims an authority that its sender does not have."""
    return str(body.get("command", ""))[:MAX_COMMAND_ID].encode(errors="replace").decode()


def _command(by: Actor, body: Mapping[str, Any]) -> Command:
    try:
        return command_of({**body, "by": by.name, "position": by.position})
    except msgspec.ValidationError as error:
        raise FloorRefused(FloorCode.BAD_COMMAND, variant="unreadable", reason=str(error)) from error
