"""What people do about their own account: list and end sessions, lock and unlock one, set up TOTP."""

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projection import Stored
from punto.floor.house.projections.accounts import Account, require_account
from punto.floor.house.projections.sessions import LOCKED_NOW, Session, set_seen, staff_sessions
from punto.floor.journal.house_events import HouseEvent, SessionUnlocked, SignedOut
from punto.floor.people.accounts.pins import Pins, find_pin
from punto.floor.people.accounts.totp import has_confirmed
from punto.floor.people.sessions.sessions import Sessions, device_of, self_actor
from punto.floor.runtime.sign_in_locks import forget_failures_of


class OwnSession(Struct, frozen=True):
    """A line in the list of a person's sessions."""

    id: str
    started_us: int
    """0 if an earlier release opened it."""
    seen_us: int
    """When something was last done in it, give or take half a minute; 0 if its owner locked it."""
    expires_us: int
    terminal: str
    """Empty: at none."""
    locked: bool
    here: bool
    """Whether it is the one that asks."""


class SecondFactors(Struct, frozen=True):
    """What somebody can show, besides their password, that they are who they say."""

    pin: bool
    totp: bool


class OwnAccount:
    def __init__(self, sessions: Sessions, pins: Pins) -> None:
        self._sessions, self._pins, self._log = sessions, pins, sessions.log

    async def sessions(self, token: str) -> list[OwnSession]:
        """All sessions of the same person, oldest first."""
        session, now_us = await self._sessions.staff_session(token), self._log.clock.now_us()
        stored = await self._log.database.read(lambda transaction: staff_sessions(transaction, session.name, now_us))
        return [
            OwnSession(
                id=_short(each),
                started_us=each.started_us,
                seen_us=each.seen_us,
                expires_us=each.expires_us,
                terminal=each.terminal,
                locked=each.locked(now_us),
                here=each.key == session.key,
            )
            for each in stored
        ]

    async def second_factors(self, token: str) -> SecondFactors:
        name = (await self._sessions.staff_session(token)).name
        return await self._log.database.read(
            lambda transaction: SecondFactors(bool(find_pin(transaction, name)), has_confirmed(transaction, name))
        )

    async def end_session(self, token: str, short: str) -> None:
        """End one of the sessions of the same person."""
        session, now_us = await self._sessions.staff_session(token), self._log.clock.now_us()
        account = await self._account(session)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            for each in staff_sessions(transaction, session.name, now_us):
                if _short(each) == short:
                    return None, [SignedOut(each.name, each.key)]
            raise FloorRefused(FloorCode.UNKNOWN_SESSION)

        await self._log.change(self_actor(account.name, account.position), change)

    async def lock(self, token: str) -> None:
        """Lock this session at once, as if it had been idle."""
        session = await self._sessions.staff_session(token)
        await self._log.database.write(lambda transaction: set_seen(transaction, session.key, LOCKED_NOW))

    async def unlock_by_password(self, token: str, password: str) -> None:
        session = await self._sessions.idle_session(token)
        await self._sessions.check_password_of(session, password)
        await self._unlock(session, pin=False)

    async def unlock_by_pin(self, token: str, pin: str, terminal: str) -> None:
        """Only at the terminal where the session was opened."""
        session = await self._sessions.idle_session(token)
        if terminal and session.terminal != terminal:
            raise FloorRefused(FloorCode.NOT_A_TERMINAL, variant="other")
        await self._pins.check(session.name, pin, terminal)
        await self._unlock(session, pin=True)

    async def set_up_totp(self, token: str, password: str, code: str = "") -> bytes:
        """A new secret, returned only here. Somebody who has TOTP already also needs a code of it."""
        now_us = self._log.clock.now_us()

        def change(transaction: Transaction, account: Account) -> tuple[bytes, list[HouseEvent]]:
            self._sessions.totp.accept(transaction, account.name, code, now_us)
            return self._sessions.totp.propose(transaction, account.name), []

        return await self._sessions.change_own(token, password, change)

    async def confirm_totp(self, token: str, code: str) -> None:
        """The new secret counts from now on, because a code shows that the device has it."""
        session, now_us = await self._sessions.staff_session(token), self._log.clock.now_us()
        account = await self._account(session)

        def change(transaction: Transaction) -> tuple[None, list[Stored]]:
            return None, [self._sessions.totp.confirm(transaction, account.name, code, now_us)]

        await self._log.change(self_actor(account.name, account.position), change)

    async def _unlock(self, session: Session, *, pin: bool) -> None:
        now_us, account = self._log.clock.now_us(), await self._account(session)

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            if not set_seen(transaction, session.key, now_us):
                raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="session_over")
            if not pin:
                forget_failures_of(transaction, account.name, device_of(session.key))
            return None, [SessionUnlocked(account.name, pin)]

        await self._log.change(self_actor(account.name, account.position), change)

    async def _account(self, session: Session) -> Account:
        return await self._log.database.read(lambda transaction: require_account(transaction, session.name))


def _short(session: Session) -> str:
    """Identifies a session among those of one person, and is no token."""
    return session.key[:16]
