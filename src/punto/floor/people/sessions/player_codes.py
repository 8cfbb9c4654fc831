"""Codes on buy-in slips, with which registered players sign in and act for themselves at one table.

A code works once, for the player whose id is beside it, until the gaming day ends. So does the session it opens.
"""

from collections.abc import Awaitable, Callable
from typing import NoReturn
from unicodedata import normalize

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.projection import Stored
from punto.floor.house.projections.duty import OnDuty
from punto.floor.house.projections.player_codes import StoredCode, end_code, find_code
from punto.floor.house.projections.sessions import (
    end_expired,
    key_of,
    new_token,
)
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.house_events import HouseEvent, LockedOut
from punto.floor.journal.pit_events import PlayerCodeIssued, PlayerCodeUsed
from punto.floor.people.accounts.passwords import Passwords, one_time_code
from punto.floor.people.duty import not_on_duty_here
from punto.floor.people.floor_rules import find_floor_rules
from punto.floor.people.players import require_player
from punto.floor.people.sessions.sessions import SignIn
from punto.floor.people.stopped_people import require_may_enter, require_not_stopped
from punto.floor.running.floor import Floor
from punto.floor.runtime.sign_in_locks import count_failure, forget_failures
from punto.floor.settings.floor_settings import find_settings
from punto.table.records.identity import exact_form, player_number
from punto.table.records.positions import DEALER_UP, SUPERVISOR_UP, Position
from punto.table.records.state import Table

MAX_TYPED_LENGTH = 40


class IssuedCode(Struct, frozen=True):
    """A new code. It is returned only here and not stored."""

    player: str
    table: str
    code: str
    expires_us: int


class PlayerCodes:
    def __init__(self, floor: Floor, passwords: Passwords, on_duty: Callable[[], Awaitable[OnDuty]]) -> None:
        self._floor, self._passwords, self._on_duty = floor, passwords, on_duty
        self._log, self._clock = floor.house_log, floor.clock

    async def issue(self, by: Actor, player: str, table: str) -> IssuedCode:
        """Give a player who is at a table a code. It replaces the one before; their session goes on until it is used.

        Refused unless the table is open, for money, and takes bets on screens.
        """
        await self._log.require(by, DEALER_UP, "issue_player_code", table[:40])
        live = await self._floor.find_table(table)
        if not (on_duty := await self._on_duty()).lets_act(by, table):
            await self._log.refuse(by, "issue_player_code", not_on_duty_here(on_duty, by.name, table), table)
        if live.database.shared:
            async with live.lock:
                await live.catch_up()
        code = one_time_code()
        code_hash = await self._passwords.hash(_plain(code))

        def change(transaction: Transaction) -> tuple[IssuedCode, list[Stored]]:
            who = require_player(transaction, player).id
            if find_floor_rules(transaction).for_play_money(table):
                raise FloorRefused(FloorCode.NO_PLAYER_CODE, variant="play_money", table=table)
            _require_at_screens(live.state, table, who)
            require_not_stopped(transaction, StopScope.PLAYER, who)
            now_us, day = self._clock.now_us(), find_settings(transaction).gaming_day
            expires_us = day.period(day.day_of(now_us)).until_us or now_us
            forget_failures(transaction, who)
            issued = IssuedCode(who, table, code, expires_us)
            event = PlayerCodeIssued(who, table, fingerprint(code_hash), expires_us)
            return issued, [Stored(event, {"hash": code_hash})]

        return await self._log.change(by, change)

    async def revoke(self, by: Actor, player: str) -> None:
        """Void a player's code and end their session."""
        await self._log.require(by, SUPERVISOR_UP, "revoke_player_code")

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, end_code(transaction, require_player(transaction, player).id)

        await self._log.change(by, change)

    async def sign_in(self, player: str, code: str, address: str) -> SignIn:
        """Open the session of a player. A wrong id gives the same answer as a wrong code, after the same time."""
        async with self._passwords.turn_to_verify(known=False):  # first: what is refused for haste is no failure
            stored, locked_us = await self._count_try(player, address)
            right = await self._passwords.verify(stored.hash if stored else None, _plain(code))
        if stored is None:
            _wrong_code()
        if not right:
            if locked_us:
                await self._log.write(THE_HOUSE, LockedOut(stored.player, locked_us))
            _wrong_code()
        token, who = new_token(), stored.player

        def change(transaction: Transaction) -> tuple[SignIn, list[HouseEvent]]:
            require_may_enter(transaction, who)
            now_us = self._clock.now_us()
            if stored.expires_us <= now_us or find_code(transaction, who) != stored:
                _wrong_code()
            forget_failures(transaction, who)
            end_expired(transaction, now_us)
            signed_in = SignIn(token, who, Position.PLAYER, to_change=False, expires_us=stored.expires_us)
            return signed_in, [PlayerCodeUsed(who, stored.table, key_of(token), stored.expires_us)]

        return await self._log.change(Actor(who, Position.PLAYER), change)

    async def _count_try(self, player: str, address: str) -> tuple[StoredCode | None, int]:
        """Count a try before checking the code, so parallel tries get no advantage.

        Return the code of the player, if there is one, and until when this try locks it. Refused while it is locked.
        """
        who = exact_form(player[:MAX_TYPED_LENGTH])
        if who is None or player_number(who) is None:
            return None, 0
        now_us = self._clock.now_us()
        stored, counted = await self._floor.database.write(
            lambda transaction: (find_code(transaction, who), count_failure(transaction, who, address, now_us))
        )
        if counted.locked_before:
            minutes = -(-(counted.locked_until_us - now_us) // (60 * SECOND_US))
            raise FloorRefused(FloorCode.LOCKED_OUT, variant="player_code", wait_s=minutes * 60, minutes=minutes)
        return stored, counted.locked_until_us


def _require_at_screens(state: Table, table: str, who: str) -> None:
    if state.settings is None:
        raise FloorRefused(FloorCode.NO_PLAYER_CODE, variant="closed", table=table)
    if state.settings.felt:
        raise FloorRefused(FloorCode.NO_PLAYER_CODE, variant="felt", table=table)
    if who not in state.people:
        raise FloorRefused(FloorCode.NO_PLAYER_CODE, variant="not_here", who=who, table=table)


def _plain(code: str) -> str:
    """A code as it is compared: small letters, without what people put between them."""
    folded = normalize("NFKC", code[:MAX_TYPED_LENGTH]).casefold()
    return "".join(each for each in folded if each.isalnum())


def _wrong_code() -> NoReturn:
    raise FloorRefused(FloorCode.WRONG_CODE, variant="player")
