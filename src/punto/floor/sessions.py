"""Sessions: from a name and a password to a token, and from a token to who acts in which position.

:meth:`Sessions.actor` is the only way from the outside to an :class:`Actor`. It is asked for every command, and reads
the position as it is assigned now: who is demoted, signed out or over time has lost it by his next command.
"""

from typing import NoReturn

from msgspec import Struct

from punto.floor.accounts import Account, Holder, end_all, find_account, set_password
from punto.floor.actors import THE_HOUSE, Actor, OnRecord
from punto.floor.callnames import fold
from punto.floor.clock import Clock, SystemClock
from punto.floor.database.door import Database, Transaction
from punto.floor.duty import OFF, position_of
from punto.floor.house import HouseEvent, LockedOut, PasswordChanged, SignedIn, SignedOut
from punto.floor.passwords import Passwords, require_good
from punto.floor.record import Record
from punto.floor.tokens import Kind, Session, end_expired, end_session, find_session, key_of, new_token, open_session
from punto.floor.troubles import FloorCode, FloorRefused
from punto.table.names import is_name
from punto.table.positions import Position

SESSION_S = 12 * 3_600
"""A shift, and some time to hand over."""
MOST_FAILURES = 5
LOCKED_S = 15 * 60
FORGOTTEN_S = 24 * 3_600
"""After how long failures no longer count."""

_SECOND_US = 1_000_000


class SignIn(Struct, frozen=True):
    """A session that has just begun. The token is told once, and kept nowhere."""

    token: str
    name: str
    position: Position | None
    to_change: bool
    """Nothing can be done with the session before the password is changed."""
    expires_us: int


class _Try(Struct, frozen=True):
    """A try to sign in, counted before the password is looked at, so that many at once are no more than one by one."""

    account: Account | None
    number: int
    locked_until_us: int


class Sessions:
    """Opens, reads and ends sessions."""

    def __init__(self, database: Database, clock: Clock | None = None, passwords: Passwords | None = None) -> None:
        self._database = database
        self._clock = clock or SystemClock()
        self._record = Record(database, self._clock)
        self._passwords = passwords or Passwords()

    # ---- who acts

    async def actor(self, token: str, what: str = "") -> Actor:
        """Who acts with this token, in the position that he holds now.

        Who is known and may do nothing at all is refused on record; ``what`` says there what he wanted.
        """
        rows = await self._database.read(
            lambda transaction: transaction.rows(
                "SELECT s.name, s.kind, s.expires_us, a.kind, a.position, a.to_change"
                " FROM sessions AS s LEFT JOIN accounts AS a ON a.folded = s.folded WHERE s.token = ?",
                (key_of(token),),
            )
        )
        if not rows or rows[0][2] <= self._clock.now_us():
            _not_signed_in()
        name, kind, _, holder, held, to_change = rows[0]
        if kind == Kind.VISITOR and holder is None:
            return Actor(name, Position.PLAYER)
        if (kind, holder) not in ((Kind.STAFF, Holder.PERSON), (Kind.MACHINE, Holder.MACHINE)):
            _not_signed_in()
        position = position_of(held)
        if to_change:
            message = "change your one-time password first"
            await self._record.refuse(_himself(name, position), what, message, FloorCode.PASSWORD_TO_CHANGE)
        if position is None:
            message = f"{name!r} has no position this shift"
            await self._record.refuse(_himself(name, None), what, message, FloorCode.NO_POSITION)
        return Actor(name, position)

    # ---- signing in and out

    async def sign_in(self, name: str, password: str) -> SignIn:
        """A session for one of the staff. Of a wrong name as much is said as of a wrong password, and as late."""
        account = await self._checked(name, password)
        anew = await self._passwords.hash(password) if self._passwords.outdated(account.password) else None
        token, expires_us = new_token(), self._clock.now_us() + SESSION_S * _SECOND_US

        def change(transaction: Transaction) -> tuple[SignIn, list[HouseEvent]]:
            now = _as_checked(transaction, account)
            if anew is not None:
                set_password(transaction, now, anew, to_change=now.to_change)
            self._forget(transaction, now.name)
            end_expired(transaction, self._clock.now_us())
            open_session(transaction, token, now.name, Kind.STAFF, expires_us)
            signed_in = SignIn(token, now.name, now.position, now.to_change, expires_us)
            return signed_in, [SignedIn(now.name, now.position or OFF)]

        return await self._record.change(_himself(account.name, account.position), change)

    async def sign_out(self, token: str) -> None:
        """End this session, and no other. A visitor leaves by :meth:`Visitors.leave`."""
        session = await self._session(token)
        account = await self._database.read(lambda transaction: find_account(transaction, session.name))
        if account is None or session.kind is Kind.VISITOR:
            _not_signed_in()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, [SignedOut(session.name)] if end_session(transaction, session) else []

        await self._record.change(_himself(account.name, account.position), change)

    async def change_password(self, token: str, before: str, password: str) -> None:
        """One's own password; every other session of one's own is over."""
        session = await self._session(token)
        if session.kind is not Kind.STAFF:
            raise FloorRefused(FloorCode.UNKNOWN_ACCOUNT, f"{session.name!r} has no password")
        require_good(password, session.name, before)
        account = await self._checked(session.name, before)
        kept = await self._passwords.hash(password)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            if find_session(transaction, token) is None:
                _not_signed_in()
            now = _as_checked(transaction, account)
            set_password(transaction, now, kept, to_change=False)
            return None, [PasswordChanged(now.name), *end_all(transaction, now, but=session.key)]

        await self._record.change(_himself(account.name, account.position), change)

    async def _session(self, token: str) -> Session:
        """A session that is not over, whatever can be done with it."""
        session = await self._database.read(lambda transaction: find_session(transaction, token))
        if session is None or session.expires_us <= self._clock.now_us():
            _not_signed_in()
        return session

    # ---- checking a password

    async def _checked(self, name: str, password: str) -> Account:
        """The account, if this is its password; each failure counts towards the lock."""
        counted = await self._count(name) if is_name(name) else _Try(None, 0, 0)
        account = counted.account
        if await self._passwords.verify(account.password if account else None, password) and account is not None:
            return account
        if counted.number == MOST_FAILURES:
            told = [LockedOut(account.name, counted.locked_until_us)] if account else []
            await self._record.change(THE_HOUSE, lambda _: (None, list(told)))
        return _wrong_password()

    async def _count(self, name: str) -> _Try:
        """Count a try, with or without an account; refused while the name is locked."""
        now_us = self._clock.now_us()
        folded = fold(name)

        def change(transaction: Transaction) -> tuple[_Try, list[HouseEvent]]:
            self._forget(transaction, None, before_us=now_us - FORGOTTEN_S * _SECOND_US)
            rows = transaction.rows("SELECT failures, locked_until_us FROM sign_ins WHERE folded = ?", (folded,))
            failures, until_us = rows[0] if rows else (0, 0)
            if until_us > now_us:
                return _Try(None, 0, until_us), []
            number = failures % MOST_FAILURES + 1  # a lock that is over leaves nothing behind
            until_us = now_us + LOCKED_S * _SECOND_US if number == MOST_FAILURES else 0
            transaction.change(
                "INSERT INTO sign_ins (folded, failures, locked_until_us, last_us) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (folded) DO UPDATE SET failures = excluded.failures,"
                " locked_until_us = excluded.locked_until_us, last_us = excluded.last_us",
                (folded, number, until_us, now_us),
            )
            return _Try(find_account(transaction, name), number, until_us), []

        counted = await self._record.change(THE_HOUSE, change)
        if not counted.number:
            minutes = -(-(counted.locked_until_us - now_us) // (60 * _SECOND_US))
            message = f"too many wrong passwords: try again in {minutes} min, or ask an administrator"
            raise FloorRefused(FloorCode.LOCKED_OUT, message)
        return counted

    @staticmethod
    def _forget(transaction: Transaction, name: str | None, before_us: int = 0) -> None:
        """The failures of a name, or those of long ago."""
        if name is not None:
            transaction.change("DELETE FROM sign_ins WHERE folded = ?", (fold(name),))
        else:
            transaction.change("DELETE FROM sign_ins WHERE last_us < ?", (before_us,))


class _OffDuty(Struct, frozen=True):
    """Somebody who looks after his own account and has no position this shift."""

    name: str
    position: str = OFF


def _himself(name: str, position: Position | None) -> OnRecord:
    """Who signs in or out acts for himself, on duty or not."""
    return _OffDuty(name) if position is None else Actor(name, position)


def _as_checked(transaction: Transaction, account: Account) -> Account:
    """The account as it is now, if its password is still the one that was checked."""
    now = find_account(transaction, account.name)
    if now is None or now.password != account.password:
        _wrong_password()
    return now


def _wrong_password() -> NoReturn:
    raise FloorRefused(FloorCode.WRONG_PASSWORD, "the name or the password is wrong")


def _not_signed_in() -> NoReturn:
    raise FloorRefused(FloorCode.NOT_SIGNED_IN, "sign in first: there is no such session, or it is over")
