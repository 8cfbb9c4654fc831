"""Decides commands, appends their events and only then answers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.errors import CommandIdTaken, FloorCode, FloorRefused, VersionConflict, id_taken, too_busy
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import Actor
from punto.floor.journal.command_ids import MAX_COMMAND_ID, complete_repetition, find_accepted, require_client_id
from punto.floor.journal.entry import COMMANDS_BY_TAG, NO_CONTEXT, Entry, EntryContext, command_of, tag
from punto.floor.journal.house_events import AuthorityRefused, LateAttempt
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.running.adopted_readings import fill_change, fill_opening
from punto.floor.running.appender import Appender, ExtraWork
from punto.floor.running.gaming_stops import StopsInForce
from punto.floor.running.late_entry import check_after_opening, check_moment
from punto.floor.running.live_table import LiveTable
from punto.floor.running.ownership import Ownership
from punto.floor.shoes.card_lookup import refuse_at_sealed_shoe, refuse_named_cards
from punto.floor.shoes.scan_store import Scans
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shoe_runtime import SealedShoes
from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.authority import check_authority, named_in
from punto.table.decision import Decision
from punto.table.preview import check_preview, preview
from punto.table.records.commands import (
    RESERVED_FIELDS,
    ChangeSettings,
    Command,
    LoadShoe,
    OpenTable,
    PlaceBet,
    TakeInsurance,
    WithdrawBet,
)
from punto.table.records.events import Event
from punto.table.records.positions import Position
from punto.table.records.reports import ReplaceShoe
from punto.table.records.settings import check_machine
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse

MAX_DECISION_TRIES = 100
"""Tries to decide a command before its table counts as too busy."""
NEEDS_TRAINING = (OpenTable, LoadShoe, ReplaceShoe)
"""What a table with seeded shoes refuses where there is no training. A round in play is finished."""
AUTHORITY = frozenset({TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN})
"""Refusals that are written to the house's stream."""

_OPEN_TABLE, _CHANGE_SETTINGS = tag(OpenTable), tag(ChangeSettings)

MakeCommand = Callable[[], "Awaitable[Command | _RecordedRefusal | None]"]
"""Makes the command for the current state of the table, or refuses its giver; None if it no longer applies."""
RepeatCommand = Callable[[Command], Command]
"""Makes the command as a repetition of the given one, which was accepted before."""
Append = Callable[[Command, Command, tuple[Event, ...]], Awaitable[tuple[Entry, ...]]]
"""Appends the events of a command: the command to write, the command as decided, and its events."""
FloorCheck = Callable[[Table], Awaitable[None]]
"""Refuses what the floor's rules, rather than the table's law, forbid in the current state."""


class Answer(Struct, frozen=True):
    """The entries of an accepted command, or the refusal. Neither if the command no longer applied."""

    entries: tuple[Entry, ...] = ()
    refusal: Refusal | None = None


class Previewed(Struct, frozen=True):
    """What a command would lead to at a table as it is now."""

    stream: StreamName
    """Where its entries would be."""
    round: int
    """The round now; 0 before the first."""
    table: Table
    command: Command
    """Complete, with the settings that the house fills in."""
    events: tuple[Event, ...]
    positions: tuple[Position, ...]
    """The positions that may give it."""


class _RecordedRefusal(Struct, frozen=True):
    """A refusal to write to the house's stream before it is answered."""

    refusal: Refusal
    by: Actor
    event: AuthorityRefused | LateAttempt


class TableCommands:
    def __init__(
        self,
        house_log: HouseLog,
        ownership: Ownership,
        appender: Appender,
        shoes: SealedShoes,
        scans: Scans,
        stops: StopsInForce,
        *,
        training: bool,
    ) -> None:
        self._house_log, self._database = house_log, house_log.database
        self._ownership, self._appender = ownership, appender
        self._shoes, self._scans, self._stops = shoes, scans, stops
        self._training = training

    async def submit(
        self,
        by: Actor,
        live: LiveTable,
        command_id: str,
        body: dict[str, Any],
        check: FloorCheck | None = None,
        extra: ExtraWork | None = None,
        context: EntryContext = NO_CONTEXT,
    ) -> Answer:
        """Submit a command as a client sends it: tag and fields, without the actor.

        With an approver in ``context``, the command was a proposal, whose id no client can use.
        """
        manual = live.setup.shoes is ShoeKind.MANUAL
        sealed = not manual and by.position is not Position.HOUSE
        try:
            if not context.approved_by:
                require_client_id(command_id)
            if sealed:
                refuse_named_cards(body)
        except FloorRefused:
            if (above := _above_position(live, by, body)) is None:
                raise
            return await self._answered(above)
        await self._refuse_reserved(by, live, body)

        async def make_command() -> Command | _RecordedRefusal:
            if (above := _above_position(live, by, body)) is not None:
                return above
            if check is not None:
                await check(live.state)
            if context.happened_at_us:
                await self._check_moment(by, live, body, context.happened_at_us)
            completed = await self._with_settings(live, body)
            if sealed:
                refuse_at_sealed_shoe(live.state, body)
                completed = await self._shoes.with_card(live.head, live.state, completed)
            elif manual:
                completed = await self._scans.with_card(live.stream, live.state, by.position, completed)
            return _command(by, completed)

        def repeat_command(accepted: Command) -> Command:
            return _command(by, complete_repetition(body, accepted))

        return await self._give(live, command_id, make_command, repeat_command, extra, context)

    async def preview(
        self, by: Actor, live: LiveTable, body: dict[str, Any], check: FloorCheck, happened_at_us: int = 0
    ) -> Previewed | Refusal:
        """What a command would lead to if somebody who may give it did so now. No card is looked up for it."""
        kind, sealed = COMMANDS_BY_TAG.get(command_name(body)), live.setup.shoes is not ShoeKind.MANUAL
        card_named = not sealed and body.get("card") is not None
        if kind is not None and (refusal := check_preview(live.rules, live.state, kind, card_named=card_named)):
            return refusal
        await self._refuse_reserved(by, live, body)
        if sealed:
            refuse_named_cards(body)
        async with live.lock:
            if live.stale or self._database.shared:
                await live.catch_up()
            await check(live.state)
            if happened_at_us:
                await self._check_moment(by, live, body, happened_at_us)
            if sealed:
                refuse_at_sealed_shoe(live.state, body)
            _, command = self._completed(live, _command(by, await self._with_settings(live, body)))
            previewed = _check_for_sealed(live, command) or preview(live.rules, live.state, command)
            if isinstance(previewed, Refusal):
                return previewed
            now, opens = live.state.round, isinstance(command, OpenTable)
            stream = live.stream_of(live.openings + 1) if opens else live.stream
            number = now.number if now else 0
            return Previewed(stream, number, live.state, command, previewed.events, previewed.positions)

    async def _refuse_reserved(self, by: Actor, live: LiveTable, body: Mapping[str, Any]) -> None:
        """Refuse fields that the server fills in, and a command without a name, before anything looks it up."""
        if unwanted := body.keys() & RESERVED_FIELDS:
            refused = FloorRefused(FloorCode.BAD_COMMAND, variant="reserved", fields=tuple(sorted(unwanted)))
            await self._house_log.refuse(by, command_name(body), refused, live.setup.name)
        if not isinstance(body.get("command"), str):
            _command(by, body)

    async def _check_moment(self, by: Actor, live: LiveTable, body: Mapping[str, Any], happened_at_us: int) -> None:
        """Refuse a moment that cannot be when it happened. Players act when they give a command."""
        if by.position is Position.PLAYER:
            raise FloorRefused(FloorCode.BAD_COMMAND, variant="happened_to_player")
        check_moment(happened_at_us, self._house_log.clock.now_us())
        head = live.head
        if head is not None and body.get("command") != _OPEN_TABLE:
            await self._database.read(lambda transaction: check_after_opening(transaction, head, happened_at_us))

    async def _with_settings(self, live: LiveTable, body: dict[str, Any]) -> dict[str, Any]:
        """The body with the settings that it leaves to the readings of the house, or as they were."""
        kind = body.get("command")
        if kind == _OPEN_TABLE:
            return await fill_opening(self._database, live.rules, await live.last_settings(), body)
        if kind == _CHANGE_SETTINGS and live.state.settings is not None:
            return await fill_change(live.state.settings, body)
        return body

    async def give(
        self, live: LiveTable, command_id: str, command: Command, at: Head | None = None, extra: ExtraWork | None = None
    ) -> Answer:
        """Give a command of this process itself; if ``at`` is given, only while the table is at that head."""

        async def make_command() -> Command | None:
            return command if at is None or at == live.head else None

        return await self._give(live, command_id, make_command, lambda _: command, extra)

    async def answer_to(self, command_id: str) -> Answer | None:
        """The answer to a command id; None if it was never accepted."""
        accepted = await self._database.read(lambda transaction: find_accepted(transaction, command_id))
        return None if accepted is None else Answer(accepted.entries)

    async def _give(
        self,
        live: LiveTable,
        command_id: str,
        make_command: MakeCommand,
        repeat_command: RepeatCommand,
        extra: ExtraWork | None = None,
        context: EntryContext = NO_CONTEXT,
    ) -> Answer:
        """Decide, append, and only then answer."""

        def append(command: Command, decided: Command, events: tuple[Event, ...]) -> Awaitable[tuple[Entry, ...]]:
            work = self._stops.work_for(live, decided, events, self._house_log.clock, extra, context.happened_at_us)
            return self._appender.append(live, command_id, command, decided, events, work, context)

        async with live.lock:
            answer = await self._retry(live, command_id, make_command, repeat_command, append)
        # after the lock is released: the next command does not wait for the record of a refusal
        return answer if isinstance(answer, Answer) else await self._answered(answer)

    async def _answered(self, recorded: _RecordedRefusal) -> Answer:
        """Write a refusal to the house's stream, and answer with it."""
        await self._house_log.record(recorded.by, recorded.event)
        return Answer(refusal=recorded.refusal)

    async def _retry(
        self,
        live: LiveTable,
        command_id: str,
        make_command: MakeCommand,
        repeat_command: RepeatCommand,
        append: Append,
    ) -> Answer | _RecordedRefusal:
        """If another process appended first, catch up and decide again."""
        if live.stale:
            await live.catch_up()
        for _ in range(MAX_DECISION_TRIES):
            await self._ownership.hold(live)
            answer = await self._try(live, command_id, make_command, repeat_command, append)
            if answer is not None:
                return answer
            await live.catch_up()
        raise too_busy(live.setup.name)

    # ---- deciding

    async def _try(
        self,
        live: LiveTable,
        command_id: str,
        make_command: MakeCommand,
        repeat_command: RepeatCommand,
        append: Append,
    ) -> Answer | _RecordedRefusal | None:
        """The answer; None if the stream has changed in the meantime.

        An accepted id gets the same answer for ever. It is looked up only if the command cannot be accepted, because
        most commands are new.
        """
        try:
            command = await make_command()
            if isinstance(command, Command):
                self._require_training(live, command)
                self._shoes.require_generator(live.setup.shoes, command)
                self._stops.require_allowed(live, command)
        except FloorRefused:
            if (earlier := await self._earlier_answer(live, command_id, repeat_command)) is not None:
                return earlier
            raise
        if command is None:
            return Answer()
        if isinstance(command, _RecordedRefusal):
            return await self._above(live, command_id, repeat_command, command)
        self._shoes.require_as_sealed(live.state, command)
        command, decided = self._completed(live, command)
        decision = _decide(live, decided)
        if isinstance(decision, Refusal):
            earlier = await self._earlier_answer(live, command_id, repeat_command)
            return earlier or await self._refused(live, command, decision)
        try:
            return Answer(await append(command, decided, decision))
        except VersionConflict:
            return None
        except CommandIdTaken:
            return await self._earlier_answer(live, command_id, repeat_command)
        except FloorRefused as refused:
            # it may or may not be on the disk: read the journal before the next command
            live.stale |= refused.code is not FloorCode.NOT_THE_SEALED_CARD
            live.held &= refused.code is not FloorCode.DATABASE_LOST  # the claim may be lost as well
            raise

    def _require_training(self, live: LiveTable, command: Command) -> None:
        if isinstance(command, NEEDS_TRAINING) and live.setup.shoes is ShoeKind.SEEDED and not self._training:
            raise FloorRefused(FloorCode.TRAINING_ONLY)

    @staticmethod
    def _completed(live: LiveTable, command: Command) -> tuple[Command, Command]:
        """The command to write and the command to decide: an opening carries over what the last closing left."""
        if isinstance(command, OpenTable):
            left = live.closing
            return (
                replace(command, carried={}, taken_off={}, last_slip=0),
                replace(command, carried=left.balances, taken_off=left.taken_off, last_slip=left.last_slip),
            )
        return command, command

    async def _earlier_answer(self, live: LiveTable, command_id: str, repeat_command: RepeatCommand) -> Answer | None:
        """The earlier answer to this id; refused if it belongs to a different command."""
        accepted = await self._database.read(lambda transaction: find_accepted(transaction, command_id))
        if accepted is None:
            return None
        command, _ = self._completed(live, repeat_command(accepted.command))
        if not accepted.is_repeated_by(live.setup.name, command):
            raise id_taken(command_id)
        return Answer(accepted.entries)

    async def _above(
        self, live: LiveTable, command_id: str, repeat_command: RepeatCommand, refused: _RecordedRefusal
    ) -> Answer | _RecordedRefusal | None:
        """The answer to somebody without the authority: the earlier one if they had it when they gave this command."""
        if self._database.shared and await live.catch_up():
            return None
        try:
            return await self._earlier_answer(live, command_id, repeat_command) or refused
        except FloorRefused as other:
            if other.code in (FloorCode.COMMAND_ID_TAKEN, FloorCode.BAD_COMMAND):
                return refused
            raise

    async def _refused(self, live: LiveTable, command: Command, refusal: Refusal) -> Answer | _RecordedRefusal | None:
        """Answer with the refusal, unless the table has changed: then decide again."""
        if self._database.shared and await live.catch_up():
            return None
        if refusal.code is TableCode.INSURANCE_DUE and live.setup.shoes is not ShoeKind.MANUAL:
            refusal = refuse(live.rules, TableCode.INSURANCE_DUE, Topic.INSURANCE, variant="sealed", **refusal.values)
        event = _authority_refused(live, command, refusal) or _late_attempt(live, command, refusal)
        if event is None:
            return Answer(refusal=refusal)
        return _RecordedRefusal(refusal, Actor(command.by, command.position), event)


def _above_position(live: LiveTable, by: Actor, body: Mapping[str, Any]) -> _RecordedRefusal | None:
    """The refusal of somebody who may not give this command, whatever else is wrong with it."""
    kind = COMMANDS_BY_TAG.get(command_name(body))
    if kind is None:
        return None
    refusal = check_authority(live.rules, live.state, kind, by.name, by.position, named_in(body))
    if refusal is None:
        return None
    event = AuthorityRefused(live.setup.name, by.name, by.position, tag(kind), refusal.code)
    return _RecordedRefusal(refusal, by, event)


def _decide(live: LiveTable, command: Command) -> Decision:
    decision = decide(live.rules, live.state, command)
    return decision if isinstance(decision, Refusal) else _check_for_sealed(live, command) or decision


def _check_for_sealed(live: LiveTable, command: Command) -> Refusal | None:
    """Refuse settings that a table with sealed shoes cannot have.

    Such a shoe gives every card with its suit, and the table loads the next one itself, with the decks of its setup.
    """
    if not isinstance(command, OpenTable | ChangeSettings) or live.setup.shoes is ShoeKind.MANUAL:
        return None
    if command.settings.faces_by_rank:
        return refuse(live.rules, TableCode.BAD_SETTING, variant="faces_by_rank")
    return check_machine(live.rules, command.settings, live.setup.decks)


def _authority_refused(live: LiveTable, command: Command, refusal: Refusal) -> AuthorityRefused | None:
    if refusal.code not in AUTHORITY:
        return None
    return AuthorityRefused(live.setup.name, command.by, command.position, tag(type(command)), refusal.code)


def _late_attempt(live: LiveTable, command: Command, refusal: Refusal) -> LateAttempt | None:
    """The record of a player's attempt to change a bet after the close, or to take insurance after the offer."""
    now = live.state.round
    by_player = command.position is Position.PLAYER
    if not by_player or now is None or live.state.phase is not Phase.DEALING:
        return None
    if isinstance(command, PlaceBet | WithdrawBet):
        late = refusal.code is TableCode.BETTING_NOT_OPEN
    elif isinstance(command, TakeInsurance):
        after = bool(now.insurance.offered) and not now.insurance.offer_stands
        late = after and refusal.code in (TableCode.INSURANCE_NOT_OPEN, TableCode.INSURANCE_FORGONE)
    else:
        return None
    where = (live.setup.name, str(live.stream), now.number)
    return LateAttempt(*where, command.who, tag(type(command)), refusal.clauses) if late else None


def command_name(body: Mapping[str, Any]) -> str:
    """The name of a command that was not read, as recorded with its refusal; empty if it is not text."""
    name = body.get("command")
    return name[:MAX_COMMAND_ID].encode(errors="replace").decode() if isinstance(name, str) else ""


def _command(by: Actor, body: Mapping[str, Any]) -> Command:
    try:
        return command_of({**body, "by": by.name, "position": by.position})
    except msgspec.ValidationError as error:
        raise FloorRefused(FloorCode.BAD_COMMAND, variant="unreadable", reason=str(error)) from error
