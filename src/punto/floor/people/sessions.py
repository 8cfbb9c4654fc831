"""Sessions: sign in with a name and a password for a token, then act with the token.

:meth:`Sessions.actor` is the only way for a client to become an :class:`Actor`. It runs for every command and reads the
current position, so a change of position, a sign-out or an expiry applies to the next command.
"""

from typing import NoReturn

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import TERMINAL, THE_HOUSE, Actor, AnyActor
from punto.floor.journal.house_events import HouseEvent, LockedOut, PasswordChanged, SignedIn, SignedOut
from punto.floor.journal.house_log import HouseLog
from punto.floor.people.accounts import Account, Holder, end_all, find_account, set_password
from punto.floor.people.known_devices import known_device, new_mark
from punto.floor.people.passwords import Passwords, require_good
from punto.floor.people.positions import OFF, position_of
from punto.floor.people.session_lookup import SessionLookup
from punto.floor.people.session_store import (
    Session,
    SessionKind,
    end_expired,
    end_session,
    find_session,
    key_of,
    new_token,
    open_session,
    visit_started_us,
)
from punto.floor.people.sign_in_locks import CountedTry, count_failure, forget_failures
from punto.table.records.names import is_name
from punto.table.records.positions import Position

SESSION_S = 12 * 3_600
"""A shift and some time to hand over."""


class SignIn(Struct, frozen=True):
    """A new session. The token is returned only here and not stored."""

    token: str
    name: str
    position: Position | None
    to_change: bool
    """Whether the password must be changed before anything else."""
    expires_us: int
    mark: str = ""
    """By which the device is known from now on; empty for visitors."""


class Standing(Struct, frozen=True):
    """The person or machine behind a session."""

    name: str
    position: Position | None
    """None if off duty."""
    to_change: bool = False
    """Whether the password must be changed before anything else."""
    since_us: int = 0
    """When a visit started; 0 for staff."""

    def actor(self) -> Actor | FloorRefused:
        """The actor, or the reason why this session may not act."""
        if self.to_change:
            return FloorRefused(FloorCode.PASSWORD_TO_CHANGE)
        if self.position is None:
            return FloorRefused(FloorCode.NO_POSITION, name=self.name)
        return Actor(self.name, self.position, self.since_us)


class Sessions:
    def __init__(self, log: HouseLog, passwords: Passwords | None = None) -> None:
        self.log, self._database, self._clock = log, log.database, log.clock
        self._passwords = passwords or Passwords()
        self._lookup = SessionLookup(log.database)

    # ---- acting

    async def actor(self, token: str, what: str = "") -> Actor:
        """The actor of this token, in the current position.

        If the session is valid but may not act, the refusal is recorded with ``what`` as the command.
        """
        standing = await self.standing(token)
        actor = standing.actor()
        if isinstance(actor, FloorRefused):
            await self.log.refuse(self_actor(standing.name, standing.position), what, actor)
        return actor

    async def standing(self, token: str) -> Standing:
        """Whose session it is, even if they may not act."""
        row = await self._lookup.find(key_of(token))
        if row is None or row[3] <= self._clock.now_us():
            _not_signed_in()
        _, name, kind, expires_us, holder, position, to_change = row
        if kind == SessionKind.VISITOR:
            return Standing(name, Position.PLAYER, since_us=visit_started_us(expires_us))
        if (kind, holder) not in ((SessionKind.STAFF, Holder.PERSON), (SessionKind.MACHINE, Holder.MACHINE)):
            _not_signed_in()
        return Standing(name, position_of(position), bool(to_change))

    # ---- signing in and out

    async def known_device(self, name: str, marks: str) -> str:
        """Identifies a device that has signed in to the account before, by the marks it has; empty if it has not."""
        if not marks or not is_name(name):
            return ""
        account = await self._database.read(lambda transaction: find_account(transaction, name))
        return "" if account is None else known_device(account, marks, self._clock.now_us())

    async def sign_in(self, name: str, password: str, address: str = "", device: str = "") -> SignIn:
        """Open a session for staff. A wrong name gives the same answer as a wrong password, after the same time.

        ``device`` is what :meth:`known_device` gave.
        """
        account = await self._check_password(name, password, address, device)
        rehashed = await self._passwords.hash(password) if self._passwords.outdated(account.password) else None
        token, expires_us = new_token(), self._clock.now_us() + SESSION_S * SECOND_US

        def change(transaction: Transaction) -> tuple[SignIn, list[HouseEvent]]:
            now = _still_checked(transaction, account)
            if rehashed is not None:
                set_password(transaction, now, rehashed, to_change=now.to_change)
            forget_failures(transaction, now.name)
            end_expired(transaction, self._clock.now_us())
            open_session(
                transaction, token, now.name, SessionKind.STAFF, expires_us, self._clock.now_us(), TERMINAL.get()
            )
            mark = new_mark(now.name, rehashed or now.password, self._clock.now_us())
            signed_in = SignIn(token, now.name, now.position, now.to_change, expires_us, mark)
            return signed_in, [SignedIn(now.name, now.position or OFF)]

        return await self.log.change(self_actor(account.name, account.position), change)

    async def sign_out(self, token: str) -> None:
        """End this session only. Visitors use :meth:`Visitors.leave`."""
        session = await self._session(token)
        account = await self._database.read(lambda transaction: find_account(transaction, session.name))
        if account is None or session.kind is SessionKind.VISITOR:
            _not_signed_in()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, [SignedOut(session.name)] if end_session(transaction, session) else []

        await self.log.change(self_actor(account.name, account.position), change)

    async def change_password(self, token: str, before: str, password: str) -> str:
        """Change the password of this session's account and end its other sessions. Return a mark for the device."""
        session = await self._staff_session(token)
        require_good(password, session.name, before)
        account = await self._check_own(session, before)
        password_hash = await self._passwords.hash(password)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            if find_session(transaction, token) is None:
                _not_signed_in()
            now = _still_checked(transaction, account)
            set_password(transaction, now, password_hash, to_change=False)
            return None, [PasswordChanged(now.name), *end_all(transaction, now, but=session.key)]

        await self.log.change(self_actor(account.name, account.position), change)
        return new_mark(account.name, password_hash, self._clock.now_us())

    async def check_own_password(self, token: str, password: str) -> Account:
        """The account of a person's session, if the password is right. Failures lock this session only."""
        return await self._check_own(await self._staff_session(token), password)

    async def _check_own(self, session: Session, password: str) -> Account:
        return await self._check_password(session.name, password, device=f"session {session.key}")

    async def _staff_session(self, token: str) -> Session:
        session = await self._session(token)
        if session.kind is not SessionKind.STAFF:
            raise FloorRefused(FloorCode.UNKNOWN_ACCOUNT, variant="no_password", name=session.name)
        return session

    async def _session(self, token: str) -> Session:
        """A session that has not expired, even if it may not act."""
        session = await self._database.read(lambda transaction: find_session(transaction, token))
        if session is None or session.expires_us <= self._clock.now_us():
            _not_signed_in()
        return session

    # ---- checking a password

    async def _check_password(self, name: str, password: str, address: str = "", device: str = "") -> Account:
        """Return the account if the password is right. Each failure counts towards the lock."""
        async with self._passwords.turn_to_verify(known=bool(device)):  # first: what is refused for haste is no failure
            account, until_us = await self._count_try(name, address, device) if is_name(name) else (None, 0)
            right = await self._passwords.verify(account.password if account else None, password)
        if right and account is not None:
            return account
        if until_us and account is not None:
            locked_out = LockedOut(account.name, until_us)
            await self.log.change(THE_HOUSE, lambda _: (None, [locked_out]))
        return _wrong_password()

    async def _count_try(self, name: str, address: str, device: str) -> tuple[Account | None, int]:
        """Count a try before checking the password, so parallel tries get no advantage.

        Return the account, if there is one, and until when this try locks it. Refused while it is locked.
        """
        now_us = self._clock.now_us()

        def change(transaction: Transaction) -> tuple[tuple[Account | None, CountedTry], list[HouseEvent]]:
            counted = count_failure(transaction, name, address, now_us, device)
            return (find_account(transaction, name), counted), []

        account, counted = await self.log.change(THE_HOUSE, change)
        if counted.locked_before:
            minutes = -(-(counted.locked_until_us - now_us) // (60 * SECOND_US))
            raise FloorRefused(FloorCode.LOCKED_OUT, wait_s=minutes * 60, minutes=minutes)
        return account, counted.locked_until_us


class _OffDuty(Struct, frozen=True):
    """A person who acts on their own account while off duty."""

    name: str
    position: str = OFF


def self_actor(name: str, position: Position | None) -> AnyActor:
    """People sign in and out as themselves, on duty or not."""
    return _OffDuty(name) if position is None else Actor(name, position)


def _still_checked(transaction: Transaction, account: Account) -> Account:
    """The current account; refused if its password changed after the check."""
    now = find_account(transaction, account.name)
    if now is None or now.password != account.password:
        _wrong_password()
    return now


def _wrong_password() -> NoReturn:
    raise FloorRefused(FloorCode.WRONG_PASSWORD)


def _not_signed_in() -> NoReturn:
    raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="session_over")
