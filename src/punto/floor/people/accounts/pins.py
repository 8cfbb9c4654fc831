"""PINs: six digits that approve at a terminal, unlock an idle session of their owner there, and relieve its dealer.

They open no other session.

Six digits can be tried out, so wrong ones are counted by name and terminal, and lock the name there; twice as many at
all terminals together lock it everywhere. Both ring in the pit. One PIN is checked at a time at each terminal, and only
of names that have one: nobody fills the lane in which the staff sign in.
"""

import asyncio
from weakref import WeakValueDictionary

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.projection import Stored
from punto.floor.house.projections.accounts import Account, Holder, find_account
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.house_events import HouseEvent, PinLocked, PinSet
from punto.floor.names.names import fold
from punto.floor.people.accounts.common_passwords import is_common
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.accounts.terminals import require_seen_by_two
from punto.floor.people.sessions.sessions import Sessions
from punto.floor.runtime.sign_in_locks import CountedTry, count_wrong_pin, forget_wrong_pins
from punto.table.records.names import is_name

PIN_DIGITS = 6


class _Try(Struct, frozen=True):
    """A try that was counted, before the PIN is checked."""

    account: Account
    pin_hash: str
    counted: CountedTry


class Pins:
    def __init__(self, sessions: Sessions, passwords: Passwords) -> None:
        self._sessions, self._passwords = sessions, passwords
        self._log = sessions.log
        self._checks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By terminal, while somebody waits."""

    async def set(self, token: str, password: str, pin: str) -> None:
        """Set the PIN of this session's account. Needs the password."""
        require_good_pin(pin)
        pin_hash = await self._passwords.hash(pin)

        def change(_: Transaction, account: Account) -> tuple[None, list[Stored]]:
            return None, [Stored(PinSet(account.name, fingerprint(pin_hash)), {"hash": pin_hash})]

        await self._sessions.change_own(token, password, change)

    async def approver(self, name: str, pin: str, terminal: str) -> Actor:
        """Somebody who gives their name and PIN at a terminal, in their current position."""
        account = await self.check(name, pin, terminal)
        standing = await self._sessions.standing_of(account)
        actor = standing.actor()
        if isinstance(actor, FloorRefused):
            raise actor
        return actor

    async def check(self, name: str, pin: str, terminal: str) -> Account:
        """The account of a name, if the PIN is right. Each failure counts towards the locks, here and everywhere."""
        if not terminal:
            raise FloorRefused(FloorCode.NOT_A_TERMINAL)
        checks = self._checks.setdefault(terminal, asyncio.Lock())
        async with checks:
            await self._log.database.read(lambda transaction: self._require_checkable(transaction, name, terminal))
            async with self._passwords.turn_to_verify(known=True):
                tried = await self._count(name, terminal)
                right = await self._passwords.verify(tried.pin_hash, pin)
            account, counted = tried.account, tried.counted
            if right:
                await self._log.database.write(
                    lambda transaction: forget_wrong_pins(transaction, account.name, terminal, counted)
                )
                return account
            if counted.locked_until_us:
                where = "" if counted.everywhere_us else terminal
                locked = PinLocked(account.name, where, counted.locked_until_us)
                await self._log.change(THE_HOUSE, lambda _: (None, [locked]))
        raise FloorRefused(FloorCode.WRONG_PIN)

    def _require_checkable(self, transaction: Transaction, name: str, terminal: str) -> tuple[Account, str]:
        """The account and the hash of its PIN; refused at a new terminal, for a name without an account or a PIN."""
        require_seen_by_two(transaction, terminal, self._log.clock.now_us())
        account = find_account(transaction, name) if is_name(name) else None
        if account is None or account.holder is not Holder.PERSON:
            raise FloorRefused(FloorCode.WRONG_PIN)
        if not (pin_hash := find_pin(transaction, account.name)):
            raise FloorRefused(FloorCode.NO_PIN, name=account.name)
        return account, pin_hash

    async def _count(self, name: str, terminal: str) -> _Try:
        """Count a try before checking the PIN, so parallel tries get no advantage. Refused while it is locked."""
        now_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[_Try, list[HouseEvent]]:
            account, pin_hash = self._require_checkable(transaction, name, terminal)
            return _Try(account, pin_hash, count_wrong_pin(transaction, name, terminal, now_us)), []

        tried = await self._log.change(THE_HOUSE, change)
        if tried.counted.locked_before:
            minutes = -(-(tried.counted.locked_until_us - now_us) // (60 * SECOND_US))
            raise FloorRefused(FloorCode.PIN_LOCKED, wait_s=minutes * 60, minutes=minutes)
        return tried


def require_good_pin(pin: str) -> None:
    """Refuse what is not six digits, and PINs that are tried first."""
    if not (len(pin) == PIN_DIGITS and pin.isascii() and pin.isdigit()):
        raise FloorRefused(FloorCode.BAD_PIN, variant="form", digits=PIN_DIGITS)
    repeats = pin in (pin[:2] * 3, pin[:3] * 2) or pin[::2] == pin[1::2]
    if len(set(pin)) < 3 or repeats or is_common(pin):
        raise FloorRefused(FloorCode.BAD_PIN, variant="easy")


def find_pin(transaction: Transaction, name: str) -> str:
    """The hash of somebody's PIN; empty if they have none."""
    rows = transaction.rows("SELECT hash FROM pins WHERE folded = ?", (fold(name),))
    return str(rows[0][0]) if rows else ""
