"""Stops all gaming, one game, one player or one member of staff, and releases it, each time with a reason on record.

Stopping is urgent, so one person does it at once. To release it takes two where the floor's rules want two.
"""

from msgspec.structs import replace

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.house.projections.accounts import Account, Holder, require_account
from punto.floor.house.projections.sessions import find_visit
from punto.floor.house.projections.stops import (
    Stop,
    StopScope,
    find_stop,
    find_stops,
    next_number,
    stop_of,
    stops_in_force,
)
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import GamingReleased, GamingStopped
from punto.floor.journal.house_events import HouseEvent
from punto.floor.names.names import fold
from punto.floor.people.accounts.accounts import end_all
from punto.floor.people.approvals.four_eyes import Mandate, judge_alone
from punto.floor.people.players import require_player
from punto.floor.running.floor import Floor
from punto.library import book
from punto.table.decision import MAX_REASON_LENGTH
from punto.table.records.identity import exact_form, player_number
from punto.table.records.positions import DEALER_UP, MANAGER_UP, SHIFT_MANAGER_UP, STAFF, Position, at_least
from punto.table.refusals import TableCode

MAY_STOP = MANAGER_UP
MAY_READ_STOPS = DEALER_UP | {Position.AUDITOR, Position.ADMINISTRATOR}
MAX_STOPS = 500
OF_PEOPLE = frozenset({StopScope.PLAYER, StopScope.STAFF})


def _second_needed() -> FloorRefused:
    return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="release")


_ALONE = Mandate(MAY_STOP, judge_alone(_second_needed))


class Stops:
    def __init__(self, floor: Floor) -> None:
        self._floor, self._log = floor, floor.house_log

    async def list(self, by: Actor, *, released: bool = False) -> list[Stop]:
        """Those in force, the oldest first; with the released ones, the last ``MAX_STOPS``, the last first."""
        await self._log.require(by, MAY_READ_STOPS, "list_stops")
        found = await self._log.database.read(lambda tx: find_stops(tx, MAX_STOPS) if released else stops_in_force(tx))
        return [as_seen(stop, by.position) for stop in found]

    async def stop(self, by: Actor, scope: StopScope, of: str, reason: str) -> Stop:
        """``of`` is a book, the id of a registered player or the name of a visitor, or an account."""
        await self._log.require(by, MAY_STOP, "stop_gaming")
        _require_reason(reason)
        if scope is StopScope.STAFF:
            await self._require_may_stop(by, of)
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[Stop, list[HouseEvent]]:
            subject, ended = _subject(transaction, scope, of)
            if (earlier := stop_of(stops_in_force(transaction), scope, subject)) is not None:
                raise FloorRefused(FloorCode.BAD_STOP, variant="already", number=earlier.number)
            stop = Stop(next_number(transaction), scope, subject, reason, by.name, at_us)
            return stop, [GamingStopped(stop.number, scope, subject, reason, at_us), *ended]

        stop = await self._log.change(by, change)
        await self._floor.load_tables()
        return stop

    async def release(self, by: Actor, number: int, reason: str, mandate: Mandate = _ALONE) -> Stop:
        """Gaming goes on. Refused if it needs two people, and for a stop that is over.

        Who may not stop a member of staff may not release them.
        """
        await self._log.require(by, mandate.may, "release_gaming")
        _require_reason(reason)
        found = await self._log.database.read(lambda transaction: find_stop(transaction, number))
        if found.scope is StopScope.STAFF:
            await self._require_may_stop(by, found.of)
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[Stop, list[HouseEvent]]:
            stop = find_stop(transaction, number)
            if stop.released_us:
                raise FloorRefused(FloorCode.BAD_STOP, variant="released", number=number, by=stop.released_by)
            released = replace(stop, released_by=by.name, released_us=at_us, released_because=reason)
            return released, [GamingReleased(number, reason, at_us)]

        stop = await mandate.change(self._log, by, change)
        await self._floor.load_tables()
        return stop

    async def _require_may_stop(self, by: Actor, name: str) -> None:
        """Nobody stops or releases themselves, or somebody of their own position or above."""
        account = await self._log.database.read(lambda transaction: require_account(transaction, name))
        if fold(account.name) == fold(by.name):
            raise FloorRefused(FloorCode.BAD_STOP, variant="own")
        await self._log.require(by, may_stop(account.position), "stop_gaming")


def may_stop(position: Position | None) -> frozenset[Position]:
    """Who may stop a member of staff in this position: those above it, or another casino manager."""
    if position not in STAFF:
        return SHIFT_MANAGER_UP
    above = at_least(position) - {position}
    return above & MAY_STOP or frozenset({Position.CASINO_MANAGER})


def as_seen(stop: Stop, position: Position) -> Stop:
    """Why a person is stopped, and released, is for those who work at the auditor's desk."""
    if stop.scope not in OF_PEOPLE or position in MAY_AUDIT:
        return stop
    return replace(stop, reason="", released_because="")


# ---- database jobs


def _subject(transaction: Transaction, scope: StopScope, of: str) -> tuple[str, list[HouseEvent]]:
    """What is stopped, as it is kept, and what ends with that."""
    match scope:
        case StopScope.ALL:
            return "", []
        case StopScope.GAME:
            return book(of).id, []
        case StopScope.PLAYER:
            return _player(transaction, of), []
        case StopScope.STAFF:
            account = _person(transaction, of)
            return account.name, end_all(transaction, account)


def _player(transaction: Transaction, of: str) -> str:
    form = exact_form(of) if of.isprintable() else None
    if form is not None and player_number(form) is not None:
        return require_player(transaction, form).id
    visit = find_visit(transaction, of) if of.isprintable() else None
    if visit is None:
        raise FloorRefused(FloorCode.UNKNOWN_VISITOR, name=of[:40])
    return visit.name


def _person(transaction: Transaction, name: str) -> Account:
    account = require_account(transaction, name)
    if account.holder is not Holder.PERSON:
        raise FloorRefused(FloorCode.BAD_STOP, variant="machine", name=account.name)
    return account


def _require_reason(reason: str) -> None:
    if not (reason.strip() and reason.isprintable() and len(reason) <= MAX_REASON_LENGTH):
        raise FloorRefused(TableCode.REASON_NEEDED, least=1, most=MAX_REASON_LENGTH)
