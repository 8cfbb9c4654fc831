"""Sessions: sign in with a name and a password for a token, then act with the token.

:meth:`Sessions.actor` is the only way for a client to become an :class:`Actor`. It runs for every command and reads the
current position, so a change of position, a sign-out or an expiry applies to the next command.
"""

from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.house_log import HouseLog
from punto.floor.house.positions import OFF, WITH_TOTP, position_of
from punto.floor.house.projection import Stored
from punto.floor.house.projections.accounts import Account, Holder, find_account, new_password
from punto.floor.house.projections.sessions import (
    SEEN_EVERY_S,
    Session,
    SessionKind,
    end_expired,
    find_session,
    key_of,
    locks_us,
    new_token,
    note_activity,
    visit_started_us,
)
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal.actor import THE_HOUSE, Actor, AnyActor
from punto.floor.journal.house_events import (
    HouseEvent,
    LockedOut,
    SignedIn,
    SignedOut,
)
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import end_all
from punto.floor.people.accounts.passwords import Passwords, require_good
from punto.floor.people.accounts.totp import TotpSecrets, has_confirmed
from punto.floor.people.floor_rules import read_floor_rules
from punto.floor.people.sessions.known_devices import known_device, new_mark
from punto.floor.people.sessions.session_lookup import SessionLookup
from punto.floor.people.stopped_people import require_not_stopped
from punto.floor.runtime.sign_in_locks import CountedTry, count_failure, forget_failures, forget_failures_of
from punto.floor.secret_key import SecretKey
from punto.table.records.names import is_name
from punto.table.records.positions import Position

T = TypeVar("T")

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
    bounds: TokenBounds | None = None
    """Of a machine's token; None for people."""
    table: str = ""
    """Where a registered player has signed in; empty for everybody else."""
    locks_us: int | None = None
    """When the session locks unless its owner does something; None: never, of visitors and machines."""
    locked: bool = False
    totp_to_set_up: bool = False
    """Whether the floor's rules want TOTP for this position, and this account has none."""
    terminal: str = ""
    """Where a person's session was opened; empty: at none."""

    def actor(self) -> Actor | FloorRefused:
        """The actor, or the reason why this session may not act."""
        return session_locked(self.name) if self.locked else self.viewer()

    def viewer(self) -> Actor | FloorRefused:
        """For whom the terminal of a locked session goes on showing its table or the pit. Nobody acts by it."""
        if self.to_change:
            return FloorRefused(FloorCode.PASSWORD_TO_CHANGE)
        if self.totp_to_set_up:
            return FloorRefused(FloorCode.TOTP_TO_SET_UP)
        if self.position is None:
            return FloorRefused(FloorCode.NO_POSITION, name=self.name)
        return Actor(self.name, self.position, self.since_us, self.bounds, self.table)


class Sessions:
    def __init__(self, log: HouseLog, key: SecretKey, passwords: Passwords | None = None) -> None:
        self.log, self._database, self._clock = log, log.database, log.clock
        self._passwords, self.totp = passwords or Passwords(), TotpSecrets(key)
        self._lookup = SessionLookup(log.database)

    # ---- acting

    async def actor(self, token: str, what: str = "", *, active: bool = False) -> Actor:
        """The actor of this token, in the current position. ``active``: a person does something, not their page alone.

        If the session is valid but may not act, the refusal is recorded with ``what`` as the command.
        """
        standing = await self.standing(token, active=active)
        actor = standing.actor()
        if isinstance(actor, FloorRefused):
            if standing.locked:  # pages that are still open ask again and again
                raise actor
            await self.log.refuse(self_actor(standing.name, standing.position), what, actor)
        return actor

    async def standing(self, token: str, *, active: bool = False) -> Standing:
        """Whose session it is, even if they may not act."""
        row, now_us = await self._lookup.find(key_of(token)), self._clock.now_us()
        if row is None or row[3] <= now_us:
            _not_signed_in()
        key, name, kind, expires_us, work, table, holder, position, to_change, seen_us, has_totp, terminal = row
        if kind == SessionKind.VISITOR:
            return Standing(name, Position.PLAYER, since_us=visit_started_us(expires_us))
        if kind == SessionKind.PLAYER:
            return Standing(name, Position.PLAYER, table=table)
        if (kind, holder) == (SessionKind.MACHINE, Holder.MACHINE):
            return Standing(name, position_of(position), bounds=TokenBounds(TokenWork(work), table))
        if (kind, holder) != (SessionKind.STAFF, Holder.PERSON):
            _not_signed_in()
        locks_at_us, held = locks_us(seen_us), position_of(position)
        locked = now_us >= locks_at_us
        if active and not locked and now_us - seen_us >= SEEN_EVERY_S * SECOND_US:
            await self._database.write(lambda transaction: note_activity(transaction, key, seen_us, now_us))
            locks_at_us = locks_us(now_us)
        without = not has_totp and await self._totp_required(held)
        return Standing(
            name,
            held,
            bool(to_change),
            locks_us=locks_at_us,
            locked=locked,
            totp_to_set_up=without,
            terminal=terminal,
        )

    async def standing_of(self, account: Account) -> Standing:
        """Somebody who has shown at a terminal who they are, without a session. Refused if they are stopped."""

        def work(transaction: Transaction) -> bool:
            require_not_stopped(transaction, StopScope.STAFF, account.name)
            return has_confirmed(transaction, account.name)

        has_totp = await self._database.read(work)
        without = not has_totp and await self._totp_required(account.position)
        return Standing(account.name, account.position, account.to_change, totp_to_set_up=without)

    async def _totp_required(self, position: Position | None) -> bool:
        return position in WITH_TOTP and (await read_floor_rules(self._database)).totp_required

    # ---- signing in and out

    async def known_device(self, name: str, marks: str) -> str:
        """Identifies a device that has signed in to the account before, by the marks it has; empty if it has not."""
        if not marks or not is_name(name):
            return ""
        account = await self._database.read(lambda transaction: find_account(transaction, name))
        return "" if account is None else known_device(account, marks, self._clock.now_us())

    async def sign_in(self, name: str, password: str, address: str = "", device: str = "", code: str = "") -> SignIn:
        """Open a session for staff. A wrong name gives the same answer as a wrong password, after the same time.

        ``device`` is what :meth:`known_device` gave; ``code`` is for those who have set up TOTP.
        """
        account, until_us = await self._check_password(name, password, address, device)
        if 0 < account.one_time_until_us <= self._clock.now_us():
            raise FloorRefused(FloorCode.ONE_TIME_EXPIRED)
        rehashed = await self._passwords.hash(password) if self._passwords.outdated(account.password) else None
        now_us = self._clock.now_us()
        token, expires_us = new_token(), now_us + SESSION_S * SECOND_US

        def change(transaction: Transaction) -> tuple[SignIn, list[SignedIn | Stored]]:
            now = _still_checked(transaction, account)
            require_not_stopped(transaction, StopScope.STAFF, now.name)
            self.totp.accept(transaction, now.name, code, now_us)
            forget_failures(transaction, now.name)
            end_expired(transaction, now_us)
            mark = new_mark(now.name, rehashed or now.password, now_us)
            signed_in = SignIn(token, now.name, now.position, now.to_change, expires_us, mark)
            renewed = fingerprint(rehashed or "")
            event = SignedIn(now.name, now.position or OFF, key_of(token), expires_us, renewed)
            return signed_in, [event if rehashed is None else Stored(event, {"password": rehashed})]

        try:
            return await self.log.change(self_actor(account.name, account.position), change)
        except FloorRefused as refused:
            if refused.code in (FloorCode.CODE_NEEDED, FloorCode.WRONG_CODE):
                await self._record_lock(account, until_us)
            raise

    async def sign_out(self, token: str) -> None:
        """End this session only. Visitors use :meth:`Visitors.leave`."""
        session = await self._session(token)
        if session.kind is SessionKind.VISITOR:
            _not_signed_in()
        by = await self._owner(session)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, [SignedOut(session.name, session.key)] if find_session(transaction, token) else []

        await self.log.change(by, change)

    def hand_over(self, token: str, to: Actor) -> tuple[SignIn, Callable[[Transaction], list[HouseEvent]]]:
        """End this session and open one for somebody who has given their PIN at the same terminal.

        Nothing has happened before the caller does what this returns, in the transaction of the relief.
        """
        now_us, new = self._clock.now_us(), new_token()
        opened = SignIn(new, to.name, to.position, to_change=False, expires_us=now_us + SESSION_S * SECOND_US)

        def work(transaction: Transaction) -> list[HouseEvent]:
            before = find_session(transaction, token)
            if before is None:
                _not_signed_in()
            signed_in = SignedIn(to.name, to.position, key_of(new), opened.expires_us, relieves=before.name)
            return [SignedOut(before.name, before.key), signed_in]

        return opened, work

    async def _owner(self, session: Session) -> AnyActor:
        if session.kind is SessionKind.PLAYER:
            return Actor(session.name, Position.PLAYER)
        account = await self._database.read(lambda transaction: find_account(transaction, session.name))
        return _not_signed_in() if account is None else self_actor(account.name, account.position)

    async def change_password(self, token: str, before: str, password: str) -> str:
        """Change the password of this session's account and end its other sessions. Return a mark for the device."""
        session = await self.staff_session(token)
        require_good(password, session.name, before)
        account = await self.check_password_of(session, before)
        password_hash = await self._passwords.hash(password)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent | Stored]]:
            if find_session(transaction, token) is None:
                _not_signed_in()
            now = _still_checked(transaction, account)
            forget_failures(transaction, now.name)
            return None, [new_password(now, password_hash), *end_all(transaction, now, but=session.key)]

        await self.log.change(self_actor(account.name, account.position), change)
        return new_mark(account.name, password_hash, self._clock.now_us())

    # ---- for a session that is open

    async def idle_session(self, token: str) -> Session:
        """A person's session, locked or not."""
        session = await self._session(token)
        if session.kind is not SessionKind.STAFF:
            raise FloorRefused(FloorCode.UNKNOWN_ACCOUNT, variant="no_password", name=session.name)
        return session

    async def staff_session(self, token: str) -> Session:
        """A person's session that is not locked, even if it may not act."""
        session = await self.idle_session(token)
        if session.locked(self._clock.now_us()):
            raise session_locked(session.name)
        return session

    async def change_own(
        self,
        token: str,
        password: str,
        change: Callable[[Transaction, Account], tuple[T, Sequence[HouseEvent | Stored]]],
    ) -> T:
        """Make a change to the account of this session, after checking its password. Not with a one-time password."""
        session = await self.staff_session(token)
        account = await self.check_password_of(session, password)
        if account.to_change:
            raise FloorRefused(FloorCode.PASSWORD_TO_CHANGE)

        def work(transaction: Transaction) -> tuple[T, Sequence[HouseEvent | Stored]]:
            if find_session(transaction, token) is None:
                _not_signed_in()
            changed = change(transaction, _still_checked(transaction, account))
            forget_failures_of(transaction, account.name, device_of(session.key))
            return changed

        return await self.log.change(self_actor(account.name, account.position), work)

    async def check_password_of(self, session: Session, password: str) -> Account:
        """The account of a person's session, if the password is right. Failures lock this session only."""
        account, _ = await self._check_password(session.name, password, device=device_of(session.key))
        return account

    async def _session(self, token: str) -> Session:
        """A session that has not expired, even if it may not act."""
        session = await self._database.read(lambda transaction: find_session(transaction, token))
        if session is None or session.expires_us <= self._clock.now_us():
            _not_signed_in()
        return session

    # ---- checking a password

    async def _check_password(
        self, name: str, password: str, address: str = "", device: str = ""
    ) -> tuple[Account, int]:
        """The account, if the password is right, and until when this try locks it unless the caller forgets it."""
        async with self._passwords.turn_to_verify(known=bool(device)):  # first: what is refused for haste is no failure
            account, until_us = await self._count_try(name, address, device) if is_name(name) else (None, 0)
            right = await self._passwords.verify(account.password if account else None, password)
        if right and account is not None:
            return account, until_us
        if account is not None:
            await self._record_lock(account, until_us)
        return _wrong_password()

    async def _record_lock(self, account: Account, until_us: int) -> None:
        """Record that a failure has locked an account; ``until_us`` is 0 if it has not."""
        if until_us:
            locked_out = LockedOut(account.name, until_us)
            await self.log.change(THE_HOUSE, lambda _: (None, [locked_out]))

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


def session_locked(name: str) -> FloorRefused:
    return FloorRefused(FloorCode.SESSION_LOCKED, name=name)


def device_of(session: str) -> str:
    """Under which wrong passwords given in the session with this key are counted."""
    return f"session {session}"


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
