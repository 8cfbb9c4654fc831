"""What a proposal is about, in figures: what was set, and what the table and the house hold that bears on it."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.floor.chips.floor_chips import chips_on_record
from punto.floor.database.base import Transaction
from punto.floor.house.projections.proposals import Proposal
from punto.floor.journal import streams
from punto.floor.journal.entry import COMMANDS_BY_TAG, context_of, event_of, text_start
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.approvals.proposed_acts import AnyAct, ChangeChipSet, ChangeFloorRules, ChangeFloorSettings
from punto.floor.running.live_table import LiveTable
from punto.floor.settings.floor_settings import as_event
from punto.floor.shoes.shoe_register import all_lives, problem_at
from punto.table.procedure.chip_set import ChipSet
from punto.table.records.chips import CountPurpose, ReceiveSlip, SendSlip, TrayCounted, VoidSlip
from punto.table.records.commands import ChangeSettings, CloseTable, Command, LoadShoe, OpenTable, client_fields
from punto.table.records.events import MoneyEvent, ShoeReconciled
from punto.table.records.kinds import ShoeCheck
from punto.table.records.ledger import from_tray, player_of
from punto.table.records.reports import ReplaceShoe
from punto.table.records.state import Table
from punto.web.http.context import Service
from punto.web.messages.record import ChangedValue
from punto.web.words.event_words import Writer
from punto.web.words.house_words import HouseNames
from punto.web.words.proposal_words import (
    asked,
    figures,
    floor_words,
    opening_words,
    pile_words,
    rules_words,
    settings_words,
    slip_words,
)

_COUNTED, _ENDED, _MOVES = text_start(TrayCounted), text_start(ShoeReconciled), '"postings":[['


class OpeningSoFar(Struct, frozen=True):
    """What an opening of a table left behind for its closing."""

    count: TrayCounted | None = None
    counted_by: tuple[str, ...] = ()
    moved: bool = False
    """Whether chips came into the tray or left it after that count."""
    uncounted: tuple[str, ...] = ()
    """Shoes that were ended, and nobody counted what was left in them."""


async def figures_of(service: Service, proposal: Proposal, writer: Writer) -> tuple[ChangedValue, ...]:
    """Everything that is approved with it, by label."""
    house = HouseNames(writer.t, writer.names, {name: each.title for name, each in service.floor.tables.items()})
    if not proposal.table:
        act = msgspec.json.decode(proposal.body, type=AnyAct)
        return (*figures(proposal.fields, writer, house), *await _of_floor(service, act, house))
    fields, live = proposal.fields, service.floor.tables[proposal.table]
    given = {**fields, "by": proposal.by, "position": proposal.position}
    command: Command = msgspec.convert(given, COMMANDS_BY_TAG[fields["command"]])
    return (
        *figures(client_fields(command), writer, house),
        *_settings(live.state, command, fields.get("settings", {}), house),
        *_slip(live.state, command, writer),
        *await _shoe(service, proposal.table, command, writer),
        *(await _closing(live, proposal, writer) if isinstance(command, CloseTable) else ()),
    )


async def _of_floor(service: Service, act: AnyAct, house: HouseNames) -> tuple[ChangedValue, ...]:
    """What an act changes of the floor's rules, settings and chips."""
    match act:
        case ChangeFloorRules():
            return tuple(rules_words(to_builtins(await service.floor_view.rules()), to_builtins(act.rules), house))
        case ChangeFloorSettings():
            before = await service.floor_view.settings()
            return tuple(floor_words(as_event(before), as_event(act.changes.applied_to(before)), house))
        case ChangeChipSet():
            present = chips_on_record(await service.floor_view.chip_set())
            return tuple(floor_words(present, chips_on_record(ChipSet(act.chips)), house))
    return ()


def _settings(table: Table, command: Command, given: Mapping[str, object], house: HouseNames) -> Iterator[ChangedValue]:
    """What should lie in the tray only if it is given, and never what it was: the reader may have to count blind."""
    words: Iterator[ChangedValue] = iter(())
    if isinstance(command, OpenTable):
        words = opening_words(command.settings, house)
    elif isinstance(command, ChangeSettings) and table.settings is not None:
        words = settings_words(table.settings, command.settings, house)
    for each in words:
        if each.name != "tray_par_minor":
            yield each
        elif each.name in given:
            yield replace(each, before="")


def _slip(table: Table, command: Command, writer: Writer) -> Iterator[ChangedValue]:
    if isinstance(command, SendSlip | ReceiveSlip | VoidSlip) and (slip := table.slips.get(command.slip)) is not None:
        yield slip_words(slip, writer)


async def _shoe(service: Service, table: str, command: Command, writer: Writer) -> tuple[ChangedValue, ...]:
    """What the register says of a shoe that is put on; nothing in a house that does not use it."""
    if not isinstance(command, LoadShoe | ReplaceShoe):
        return ()
    lives = {life.shoe: life for life in await service.floor.database.read(all_lives)}
    if not lives:
        return ()
    t, shoe = writer.t, command.shoe
    tables = {name: each.state for name, each in service.floor.tables.items()}
    problem = problem_at(lives.get(shoe), shoe, table, tables)
    words = t("proposed.fit") if problem is None else t("proposed.unfit", problem=problem)
    return (asked("registered", words, t("proposed.registered")),)


# ---- closing a table


async def _closing(live: LiveTable, proposal: Proposal, writer: Writer) -> Iterator[ChangedValue]:
    name = StreamName.parse(proposal.stream)
    so_far = await live.database.read(lambda transaction: read_opening(transaction, name), long=True)
    uncounted = [each["shoe"] for each in proposal.shown_events if _is_uncounted(each)]
    return iter((*_count(so_far, writer), *_chips(live.state, writer), *_shoes(live.state, so_far, uncounted, writer)))


def _is_uncounted(event: dict[str, object]) -> bool:
    return str(event["event"]).startswith("shoe_reconciled") and event.get("counted") is None


def read_opening(transaction: Transaction, name: StreamName) -> OpeningSoFar:
    """From the end of the stream back, so that what came after the last count is known when it is met."""
    head = streams.find(transaction, name)
    count, counted_by, moved, uncounted = None, list[str](), False, list[str]()
    for entry in streams.read_back(transaction, head) if head is not None else ():
        if entry.event.startswith(_ENDED):
            event = event_of(entry)
            if isinstance(event, ShoeReconciled) and event.counted is None:
                uncounted.append(event.shoe)
        elif count is None and entry.event.startswith(_COUNTED):
            event = event_of(entry)
            assert isinstance(event, TrayCounted)  # noqa: S101 - so its text begins
            count, counted_by = event, [each for each in (context_of(entry).proposed_by, entry.actor) if each]
        elif count is None and not moved and _MOVES in entry.event:
            event = event_of(entry)
            moved = isinstance(event, MoneyEvent) and from_tray(event.postings) != 0
    return OpeningSoFar(count, tuple(counted_by), moved and count is not None, tuple(reversed(uncounted)))


def _count(so_far: OpeningSoFar, writer: Writer) -> Iterator[ChangedValue]:
    """The closer. Before it is counted nothing is said of the tray: the approver may be one of those who count."""
    t, count = writer.t, so_far.count
    is_closer = count is not None and count.purpose is CountPurpose.CLOSER
    if not is_closer:
        yield asked("closer", t("proposed.no_closer"), t("asked.closer"))
    if count is None:
        return
    values = {"piles": pile_words(count.piles, writer), "people": so_far.counted_by}
    off = phrase("proposed.count_off", difference=Money(count.difference_minor), **values)
    words = off if count.difference_minor else phrase("proposed.count", **values)
    name = "closer" if is_closer else "tray_count"
    yield asked(name, t("proposed.count_moved", count=words) if so_far.moved else t.write(words), t(f"asked.{name}"))


def _chips(table: Table, writer: Writer) -> Iterator[ChangedValue]:
    t, held = writer.t, {who: minor for account, minor in table.balances.items() if (who := player_of(account))}
    have = [phrase("event.moved", who=writer.person(who), amount=Money(each)) for who, each in held.items() if each > 0]
    owe = [phrase("event.moved", who=writer.person(who), amount=Money(-each)) for who, each in held.items() if each < 0]
    yield asked("have_chips", t.write(tuple(have)) if have else t("proposed.nobody"), t("proposed.have_chips"))
    if owe:
        yield asked("owe_chips", t.write(tuple(owe)), t("proposed.owe_chips"))


def _shoes(table: Table, so_far: OpeningSoFar, ending: Sequence[str], writer: Writer) -> Iterator[ChangedValue]:
    t, uncounted = writer.t, tuple(dict.fromkeys((*so_far.uncounted, *ending)))
    words = t.write(uncounted) if uncounted else t("proposed.no_shoe")
    yield asked("not_counted", words, t("proposed.not_counted"))
    if waiting := tuple(shoe for shoe, check in table.taken_off.items() if check is ShoeCheck.OPEN):
        yield asked("not_inspected", t.write(waiting), t("proposed.not_inspected"))
