"""Commands. Nothing else changes a table."""

import asyncio
from typing import Any

from punto.catalogue.sentence import phrase
from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import person_key
from punto.floor.journal.entry import COMMANDS_BY_TAG, EntryContext, context_of, tag, tag_name
from punto.floor.journal.token_bounds import TokenWork
from punto.floor.people.acting import floor_refusal, second_needed
from punto.floor.people.approvals.four_eyes import find_four_eyes
from punto.floor.running.adopted_readings import adopted_settings
from punto.floor.running.commands import NEEDS_TRAINING, Answer
from punto.floor.running.late_entry import read_moment
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.card_lookup import needs_real_shoe
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.interpretations import SettingValue
from punto.table import legal
from punto.table.moves.listing import SOME_ID
from punto.table.moves.sensible import sensible
from punto.table.records.chips import CountTray, RequestSlip
from punto.table.records.commands import ChangeSettings, Command, OpenTable, PlaceBet, Sit, client_fields
from punto.table.records.corrections import CorrectCard
from punto.table.records.positions import Position
from punto.table.records.reports import ReportLaterError
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.http.errors import RefusedByTable
from punto.web.messages import Accepted, CommandRequest, Legal, Sensible
from punto.web.views.cursors import cursor_of
from punto.web.views.visibility import cut_all
from punto.web.words.consequence_words import who_may
from punto.web.words.translator import translator

_NEEDS_TRAINING = frozenset(tag(kind) for kind in NEEDS_TRAINING)
_TABLE_CODES = frozenset(TableCode)


async def give(call: HttpRequest) -> Accepted:
    """Give a command. It is stored on disk before the answer is sent."""
    request, by, service = call.body, call.by, call.service
    call.log_fields["command_id"] = request.id[:100]
    service.limits.commands.take(person_key(by))
    named = request.command.get("command")
    # metrics and logs contain only known commands, not any text a client sends
    kind = call.log_fields["command"] = named if isinstance(named, str) and named in COMMANDS_BY_TAG else "unknown"
    counter = service.metrics.commands
    context = EntryContext(happened_at_us=0 if request.happened_at is None else read_moment(request.happened_at))
    with service.limits.accepting(by, call.address):
        try:
            answer = await service.acting.submit(by, call.path["table"], request.id, request.command, context)
        except FloorRefused as refused:
            if refused.code not in _TABLE_CODES:
                counter.labels(kind, str(refused.code)).inc()
                raise
            answer = Answer(refusal=refused.refusal)  # answered like a refusal by the table, with what is legal
        counter.labels(kind, str(answer.refusal.code) if answer.refusal else "accepted").inc()
        return await accepted(call, answer)


async def accepted(call: HttpRequest, answer: Answer) -> Accepted:
    """The events of a command, as its sender may see them. A refusal lists what would be accepted instead."""
    if answer.refusal is not None:
        live = call.service.floor.table(call.path["table"])
        raise RefusedByTable(answer.refusal, live.rules.id, await legal_now(call, live))
    sight = await call.sight()
    incident = context_of(answer.entries[0]).incident if sight.whole else 0
    return Accepted(cursor=cursor_of(answer.entries[-1]), events=cut_all(answer.entries, sight), incident=incident)


async def legal_now(call: HttpRequest, live: LiveTable) -> tuple[Legal, ...]:
    """The commands that the table and the floor would accept from the sender now."""
    floor_rules, by, state = await call.service.floor_view.rules(), call.by, live.state
    if not (await call.service.floor_view.on_duty()).lets_act(by, live.setup.name):
        return ()
    options = await asyncio.to_thread(legal, live.rules, state, by.name, by.position)
    is_closed = state.phase is Phase.CLOSED
    adopted = await adopted_settings(call.service.floor.database, live.rules) if is_closed else {}
    listed = (
        Legal(
            command=_to_send(state, option.command, adopted), most=option.most, ends_with_minor=option.ends_with_minor
        )
        for option in options
        if floor_refusal(floor_rules, by, live.setup.name, state, type(option.command), _box(option.command)) is None
    )
    manual = live.setup.shoes is ShoeKind.MANUAL
    accepted_here = tuple(each for each in listed if manual or not needs_real_shoe(state, each.command))
    if live.setup.shoes is ShoeKind.SEEDED and not call.service.floor.training:
        accepted_here = tuple(each for each in accepted_here if each.command["command"] not in _NEEDS_TRAINING)
    by_two = {at for at, each in enumerate(accepted_here) if second_needed(live.setup.name, state, each.command)}
    if not by_two or not (await call.service.floor.database.read(find_four_eyes)).needs_second:
        return accepted_here
    return tuple(each for at, each in enumerate(accepted_here) if at not in by_two)


async def sensible_now(call: HttpRequest, live: LiveTable) -> tuple[Sensible, ...]:
    """The few commands that make sense now; for players, those they may give themselves."""
    by, state = call.by, live.state
    t = translator(call.language, at_shuffler=state.at_shuffler)
    on_duty = (await call.service.floor_view.on_duty()).lets_act(by, live.setup.name)
    manual = live.setup.shoes is ShoeKind.MANUAL
    found: list[Sensible] = []
    for each in await asyncio.to_thread(sensible, live.rules, state):
        command, missing = each.move.command, each.missing
        if not manual:
            missing = tuple(name for name in missing if name != "card")  # the floor knows it
        fields = {name: value for name, value in _to_send(state, command, {}).items() if name not in each.missing}
        own = by.position is not Position.PLAYER or getattr(command, "who", None) == by.name
        yours = on_duty and own and by.position in each.positions
        if (yours or call.sees_all) and (manual or not needs_real_shoe(state, fields)):
            found.append(
                Sensible(
                    command=fields,
                    title=t.write(phrase(f"command.{tag_name(type(command))}")),
                    missing=missing,
                    clauses=each.clauses,
                    positions=each.positions,
                    who_may=who_may(each.positions, t),
                    yours=yours,
                    ends_with_minor=each.move.ends_with_minor,
                )
            )
    return tuple(found)


def _box(command: Command) -> int | None:
    return command.box if isinstance(command, Sit | PlaceBet) else None


def _to_send(state: Table, command: Command, adopted: dict[str, SettingValue]) -> dict[str, Any]:
    """A listed command as a client sends it back, for the current round. What is to fill in is empty.

    ``adopted`` are the settings that the house gives a table it opens.
    """
    fields: dict[str, Any] = {name: "" if value == SOME_ID else value for name, value in client_fields(command).items()}
    if isinstance(command, OpenTable):
        fields["settings"] |= adopted
    if isinstance(command, OpenTable | ChangeSettings):
        fields["settings"].pop("tray_par_minor", None)  # left out, it stays as it was: people count the tray blind
    if isinstance(command, CorrectCard):
        del fields["card"]  # people say which card lies there
    if isinstance(command, RequestSlip | CountTray):
        fields["piles"] = ()  # people say which chips
    if not isinstance(command, ReportLaterError):  # its round is an earlier one
        fields["round"] = state.round.number if state.round else 0
    return fields


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/tables/{table}/commands",
        give,
        "Give a command",
        Accepted,
        CommandRequest,
        work=TokenWork.COMMANDS,
    ),
)
