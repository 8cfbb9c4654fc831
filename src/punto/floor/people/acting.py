"""Commands that come through a session: where they may be given, and whom they may name.

The table's law does not know who is registered, who is a visitor, who is on duty where and which tables are for play
money.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeGuard

import msgspec
from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.floor.chips.floor_chips import find_chip_set
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.accounts import find_account
from punto.floor.house.projections.duty import OnDuty
from punto.floor.house.projections.sessions import find_visit, visitor_names
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.entry import COMMANDS_BY_TAG, NO_CONTEXT, EntryContext, command_of, tag
from punto.floor.journal.house_events import AuthorityRefused
from punto.floor.people.approvals.four_eyes import NOT_NEEDED, find_four_eyes
from punto.floor.people.approvals.lone_accounts import find_lone_acts
from punto.floor.people.duty import not_on_duty_here
from punto.floor.people.floor_rules import FloorRules, require_kind
from punto.floor.people.players import registered, was_erased
from punto.floor.running.appender import ExtraWork
from punto.floor.running.commands import Answer, Previewed, command_name
from punto.floor.running.floor import Floor
from punto.floor.settings.floor_settings import find_settings
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shoe_register import put_on_table
from punto.library import book
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records.chips import MAX_PILE_MINOR, CountTray, ReceiveSlip, RequestSlip, SendSlip, VoidSlip
from punto.table.records.commands import (
    BuyIn,
    CallInsurance,
    CashOut,
    ChangeSettings,
    CloseTable,
    Command,
    IdentifyPlayer,
    LoadShoe,
    OpenTable,
    PlaceBet,
    Sit,
    StandBehind,
    TakeInsurance,
)
from punto.table.records.corrections import CorrectBet, CorrectInsurance
from punto.table.records.events import MoneyEvent
from punto.table.records.identity import Place, exact_form, is_plain_name, player_number
from punto.table.records.ledger import MAX_AMOUNT_MINOR, moved_minor
from punto.table.records.names import is_name
from punto.table.records.positions import STAFF, Position
from punto.table.records.reports import ReplaceShoe, ReportLateBet, Rule
from punto.table.records.state import Table
from punto.table.refusals import TableCode

ON_RECORD = frozenset({FloorCode.VISITOR_ELSEWHERE, FloorCode.STAFF_NEVER_PLAY, FloorCode.NOT_ON_DUTY_HERE})
"""Refusals that are written to the house's stream."""

NEW_PEOPLE: dict[str, str] = {
    tag(BuyIn): "who",
    tag(Rule): "amounts",
    tag(ReportLateBet): "who",
    tag(IdentifyPlayer): "player_id",
    tag(OpenTable): "no_insurance_asked_by",
    tag(ChangeSettings): "no_insurance_asked_by",
}
"""The commands that can name somebody who is not at the table, and the field in which they do.

A table refuses strangers in every other command, except that a felt table takes in ids and places.
"""
TAKEN_IN = frozenset(
    tag(kind)
    for kind in (Sit, StandBehind, CashOut, PlaceBet, TakeInsurance, CallInsurance, CorrectBet, CorrectInsurance)
)
"""The commands with which a felt table takes in somebody; a player's id in their ``who`` must be in the register."""
_TRAY = (RequestSlip, SendSlip, ReceiveSlip, VoidSlip, CountTray)
_RECEIVE, _COUNT = tag(ReceiveSlip), tag(CountTray)
_SLIPS = frozenset({tag(SendSlip), _RECEIVE})
_VOID = tag(VoidSlip)
_OPENING = frozenset({tag(OpenTable), tag(CloseTable)})
_RULE = tag(Rule)
_BY_TWO = _OPENING | _SLIPS | {_VOID, _COUNT, _RULE}
_PILES, _AMOUNTS = frozenset({tag(RequestSlip), _COUNT}), frozenset({tag(BuyIn), tag(CashOut)})
SHOES_PUT_ON = frozenset({tag(LoadShoe), tag(ReplaceShoe)})
_BUY_IN = tag(BuyIn)
_IDENTIFY = tag(IdentifyPlayer)
_BY_ID = frozenset({_BUY_IN, _IDENTIFY})
"""The commands for which a player's id must be in the register even if they are at the table: they may be erased."""


class Acting:
    def __init__(
        self, floor: Floor, rules: Callable[[], Awaitable[FloorRules]], on_duty: Callable[[], Awaitable[OnDuty]]
    ) -> None:
        """``rules`` gives the floor's rules, for every command; ``on_duty`` who is on duty, for those of dealers."""
        self._floor, self._rules, self._on_duty = floor, rules, on_duty
        self._confirmed = 0
        """Up to this version of the house's stream nothing about accounts waits to be confirmed."""

    async def submit(
        self,
        by: Actor,
        table: str,
        command_id: str,
        body: dict[str, Any],
        context: EntryContext = NO_CONTEXT,
        extra: ExtraWork | None = None,
    ) -> Answer:
        """Submit a command as a client sends it: see :meth:`Floor.submit`."""
        rules = await self._rules()
        kind = command_name(body)
        eyes, ruling_minor = NOT_NEEDED, 0
        if kind in _BY_TWO and not context.approved_by:
            eyes, settings = await self._floor.database.read(lambda tr: (find_four_eyes(tr), find_settings(tr)))
            ruling_minor = 0 if rules.for_play_money(table) else settings.ruling_by_two_minor
            state = (await self._floor.find_table(table)).state
            if eyes.alone and second_needed(table, state, body, ruling_minor) is None:
                eyes = NOT_NEEDED
        works = [] if extra is None else [extra]
        if kind in SHOES_PUT_ON and by.position is not Position.HOUSE:
            works += await self._register_work(by, table, body, context)
        if kind in NEW_PEOPLE and not rules.for_play_money(table):
            works.append(require_kind(table, for_play_money=False))

        async def check(state: Table) -> None:
            await self._check(rules, by, table, state, body)
            if eyes.needs_second and (refused := second_needed(table, state, body, ruling_minor)):
                raise refused

        def write(transaction: Transaction) -> None:
            for work in works:
                work(transaction)

        try:
            return await self._floor.submit(
                by, table, command_id, body, check, write if works else None, replace(context, alone=eyes.alone)
            )
        except FloorRefused as refused:
            await self._record(by, kind, table, refused)
            raise

    async def check(self, by: Actor, table: str, body: Mapping[str, Any]) -> None:
        """Refuse what the floor forbids, without giving the command."""
        rules, live = await self._rules(), await self._floor.find_table(table)
        try:
            await self._check(rules, by, table, live.state, body)
        except FloorRefused as refused:
            await self._record(by, command_name(body), table, refused)
            raise

    async def _register_work(
        self, by: Actor, table: str, body: Mapping[str, Any], context: EntryContext
    ) -> list[ExtraWork]:
        """Notes in the register of shoes that a real shoe was put on the table."""
        live, shoe = await self._floor.find_table(table), body.get("shoe")
        if live.setup.shoes is not ShoeKind.MANUAL or not isinstance(shoe, str):
            return []
        tables = {name: each.state for name, each in self._floor.tables.items()}
        return [put_on_table(by, self._floor.clock, shoe, table, context, tables)]

    async def preview(
        self, by: Actor, table: str, body: dict[str, Any], happened_at_us: int = 0
    ) -> Previewed | Refusal:
        """What a command would lead to if somebody who may give it did so now. ``by`` proposes it."""
        rules = await self._rules()

        async def check(state: Table) -> None:
            await self._check(rules, by, table, state, body)

        try:
            return await self._floor.preview(by, table, body, check, happened_at_us)
        except FloorRefused as refused:
            await self._record(by, command_name(body), table, refused)
            raise

    async def _check(self, rules: FloorRules, by: Actor, table: str, state: Table, body: Mapping[str, Any]) -> None:
        """Refuse what the floor forbids to somebody whose position allows the command."""
        command = COMMANDS_BY_TAG.get(command_name(body))
        if by.position is Position.DEALER and not (on_duty := await self._on_duty()).lets_act(by, table):
            raise not_on_duty_here(on_duty, by.name, table)
        box = body.get("box")
        if refused := floor_refusal(rules, by, table, state, command, box if type(box) is int else None):
            raise refused
        if command is OpenTable and not rules.for_play_money(table):
            await self._require_confirmed()
        if command is not None and by.position is not Position.PLAYER:
            await self._check_people(rules, table, state, body)
            await self._check_chips(rules, table, body)

    async def _require_confirmed(self) -> None:
        """Refuse a table for money while one person's acts about accounts and tokens wait for two to confirm them.

        A floor with one officer has no two: what that one does is marked, as the opening itself is.
        """
        after = self._confirmed
        found, four_eyes = await self._floor.database.read(
            lambda transaction: (find_lone_acts(transaction, after), find_four_eyes(transaction)), long=True
        )
        self._confirmed = found.until
        switched_off_alone = "" in found.names
        if found.acts and (four_eyes.needs_second or switched_off_alone):
            if names := tuple(name for name in found.names if name):
                raise FloorRefused(FloorCode.ACCOUNTS_TO_CONFIRM, names=names)
            raise FloorRefused(FloorCode.ACCOUNTS_TO_CONFIRM, variant="rules")

    async def _check_chips(self, rules: FloorRules, table: str, body: Mapping[str, Any]) -> None:
        """Refuse more than a table can hold, and chips that the floor does not have. A count says what lies there."""
        kind = command_name(body)
        if rules.for_play_money(table) or kind not in _PILES | _AMOUNTS:
            return
        chip_set, settings = await self._floor.database.read(lambda tr: (find_chip_set(tr), find_settings(tr)))
        values = [chip.value_minor for chip in chip_set.chips]
        piles, most_minor = _piles(body) if kind in _PILES else [], settings.tray_chips * max(values)
        if foreign := next((value for value, _ in piles if value not in values), 0):
            raise FloorRefused(FloorCode.NOT_A_CHIP, value=Money(foreign))
        amount_minor = sum(value * count for value, count in piles) if piles else body.get("amount_minor")
        if kind != _COUNT and type(amount_minor) is int and most_minor < amount_minor <= MAX_AMOUNT_MINOR:
            raise FloorRefused(FloorCode.MORE_THAN_TRAY, most=Money(most_minor), amount=Money(amount_minor))

    async def _record(self, by: Actor, kind: str, table: str, refused: FloorRefused) -> None:
        if refused.code in ON_RECORD:
            await self._floor.house_log.record(by, AuthorityRefused(table, by.name, by.position, kind, refused.code))

    async def _check_people(self, rules: FloorRules, table: str, state: Table, body: Mapping[str, Any]) -> None:
        """Refuse people whom nobody knows. Reads the database for new ones, and for those in ``_BY_ID`` commands."""
        named = _people_in(body)
        new = sorted(named - state.people)
        if rules.for_play_money(table):
            if new:
                asks = NEW_PEOPLE.get(body["command"]) == "no_insurance_asked_by"
                await self._floor.database.read(lambda transaction: _require_visitors(transaction, new, asks=asks))
            return
        sold = {who for who in named if is_plain_name(who)} if body["command"] == _BUY_IN else set()
        by_id = {who for who in named if player_number(who) is not None} if body["command"] in _BY_ID else set()
        if new or sold or by_id:
            to_know = sorted({*new, *by_id})
            await self._floor.database.read(lambda transaction: _require_players(transaction, to_know, sold))


def floor_refusal(
    rules: FloorRules, by: Actor, table: str, state: Table, command: type[Command] | None, box: int | None
) -> FloorRefused | None:
    """What the floor's rules forbid in the current state. ``box`` is the command's, if it has one."""
    if by.position is Position.PLAYER:
        if by.table:
            return _refuse_player(rules, by, table, state)
        if not rules.may_play(by, table):
            return FloorRefused(FloorCode.VISITOR_ELSEWHERE, table=table)
        takes_box = command is Sit or (command is PlaceBet and box not in state.behind.get(by.name, ()))
        if takes_box and not rules.has_room(state, by.name, box):
            return FloorRefused(FloorCode.NO_MORE_BOXES, boxes=rules.boxes)
    elif command is BuyIn and by.position in BuyIn.may and rules.for_play_money(table):
        return FloorRefused(FloorCode.PLAY_MONEY_ONLY, table=table)
    elif command is IdentifyPlayer and by.position in IdentifyPlayer.may and rules.for_play_money(table):
        return FloorRefused(FloorCode.PLAY_MONEY_ONLY, variant="identify", table=table)
    elif command in _TRAY and by.position in STAFF and rules.for_play_money(table):
        return FloorRefused(FloorCode.PLAY_MONEY_ONLY, variant="tray", table=table)
    return None


def second_needed(table: str, state: Table, body: Mapping[str, Any], ruling_minor: int = 0) -> FloorRefused | None:
    """The refusal of a command that needs two people, where the floor's rules want them; None if it needs one.

    A slip needs them when its chips reach or leave the tray, and to be voided once its chips have left the cage; a
    ruling if it moves ``ruling_minor`` or more, which is 0 where no ruling needs them.
    """
    kind, number = command_name(body), body.get("slip")
    if kind == _RULE and ruling_minor and _ruled_minor(state, body) >= ruling_minor:
        return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="ruling", table=table, amount=Money(ruling_minor))
    if kind in _OPENING:
        return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="table", table=table)
    if kind == _COUNT:
        return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="count", table=table)
    slip = state.slips.get(number) if kind in _SLIPS | {_VOID} and isinstance(number, int) else None
    if slip is None:
        return None
    if slip.sent if kind == _VOID else slip.moves_next and slip.sent is (kind == _RECEIVE):
        return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="slip", table=table)
    return None


def _ruled_minor(state: Table, body: Mapping[str, Any]) -> int:
    """What players would get and lose by a ruling; 0 if the table refuses it."""
    try:
        command = command_of({**body, "by": THE_HOUSE.name, "position": Position.CASINO_MANAGER})
    except msgspec.ValidationError:
        return 0
    decision = decide(book(state.book), state, command) if state.book else ()
    if isinstance(decision, Refusal):
        return 0
    return moved_minor(posting for event in decision if isinstance(event, MoneyEvent) for posting in event.postings)


def _piles(body: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Values and numbers of a slip or a count. What is neither is left to the table, which refuses it."""
    piles = body.get("piles")
    told = [pile for pile in piles if isinstance(pile, Mapping)] if _is_list(piles) else []
    figures = ((pile.get("value_minor"), pile.get("count")) for pile in told)
    return [(value, count) for value, count in figures if _fits(value) and _fits(count)]


def _fits(figure: object) -> TypeGuard[int]:
    return type(figure) is int and 0 < figure <= MAX_PILE_MINOR


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _refuse_player(rules: FloorRules, by: Actor, table: str, state: Table) -> FloorRefused | None:
    """Registered players act at the table of their code, while its bets are placed on screens."""
    if not rules.may_play(by, table):
        return FloorRefused(FloorCode.VISITOR_ELSEWHERE, variant="code", table=by.table)
    if state.settings is not None and state.settings.felt:
        return FloorRefused(FloorCode.VISITOR_ELSEWHERE, variant="felt", table=table)
    return None


def _people_in(body: Mapping[str, Any]) -> set[str]:
    """The people whom a command names and who may be new to the table.

    What is not a name, not of the right type, or not an id where it has to be, is left to the table, which refuses it.
    """
    takes_in = body["command"] in TAKEN_IN
    field = "who" if takes_in else NEW_PEOPLE.get(body["command"], "")
    value = body.get(field)
    if field == "amounts":
        names = list(value) if isinstance(value, dict) else []
    else:
        names = [value] if isinstance(value, str) else []
    only_ids = takes_in or body["command"] == _IDENTIFY
    return {name for name in names if is_name(name) and not (only_ids and player_number(name) is None)}


def _require_visitors(transaction: Transaction, people: list[str], *, asks: bool) -> None:
    """At a play-money table, refuse newcomers. Somebody who only ``asks`` for something may be any visitor."""
    for who in people:
        if not asks:
            raise FloorRefused(TableCode.UNKNOWN_PERSON, who=who)
        if who not in visitor_names(transaction):
            raise FloorRefused(TableCode.UNKNOWN_PERSON, variant="visitor", who=who)


def _require_players(transaction: Transaction, people: list[str], sold: set[str]) -> None:
    """Refuse people who are neither registered nor named by their place, and chips for staff and visitors."""
    for who in sorted({*people, *sold}):
        if is_plain_name(who) and find_account(transaction, who) is not None:
            raise FloorRefused(FloorCode.STAFF_NEVER_PLAY, name=who)
        if who in sold and find_visit(transaction, who) is not None:
            raise FloorRefused(FloorCode.NAME_TAKEN, variant="visitor", name=who)
    for who in people:
        number = player_number(who)
        if number is not None and not registered(transaction, number):
            erased = was_erased(transaction, number)
            raise FloorRefused(TableCode.UNKNOWN_PERSON, variant="erased" if erased else "register", who=who)
        if number is None and Place.find(who) is None:
            if (form := exact_form(who)) is not None:
                raise FloorRefused(TableCode.UNKNOWN_PERSON, variant="form", who=who, form=form)
            raise FloorRefused(TableCode.UNKNOWN_PERSON, variant="name", who=who)
