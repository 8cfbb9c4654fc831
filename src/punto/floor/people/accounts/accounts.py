"""Staff accounts and their positions. Administrators manage them."""

from collections.abc import Iterable

from msgspec import Struct

from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.positions import ASSIGNABLE, FOR_MACHINES, OFF
from punto.floor.house.projection import Stored
from punto.floor.house.projections.accounts import (
    Account,
    Holder,
    find_account,
    new_account,
    new_password,
    require_account,
    unknown_account,
)
from punto.floor.house.projections.duty import end_duty
from punto.floor.house.projections.sessions import (
    VISIT_LEFT,
    SessionKind,
    find_visit,
    has_sessions,
    key_of,
    new_token,
)
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.house_events import (
    AccountCreated,
    HouseEvent,
    PositionAssigned,
    SessionsRevoked,
    SignedOut,
    TokenIssued,
)
from punto.floor.journal.stream_name import is_table_name
from punto.floor.journal.token_bounds import TOKEN_DAYS, TokenBounds, TokenWork
from punto.floor.names.names import CONSOLE, fold, new_name, same_looking
from punto.floor.people.accounts.passwords import ONE_TIME_S, Passwords, one_time_password
from punto.floor.people.approvals.four_eyes import BY_CONSOLE, Mandate
from punto.floor.runtime.sign_in_locks import forget_failures, locks
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.positions import ADMINISTRATOR_ONLY, DEALER_UP, Position
from punto.table.refusals import TableCode

FIRST_ACCOUNT = "administrator"
"""Created at the first start."""
THE_CONSOLE = Actor(CONSOLE, Position.ADMINISTRATOR)
"""The actor of the command line. Anybody who runs it can write to the database anyway."""
MAX_TOKEN_DAYS = 3_650


_READERS = frozenset({Position.ADMINISTRATOR, Position.AUDITOR})


class TokenLine(Struct, frozen=True):
    """A machine's token that has not expired, without the token itself."""

    work: TokenWork
    """Empty: unbound, of a release before 0.9.0."""
    table: str
    """Empty: every table."""
    expires_us: int
    stopped: bool
    """Whether the bridge is stopped: it sent another card for a draw than the one already read."""


class AccountLine(Struct, frozen=True):
    """An account in the list of accounts."""

    name: str
    holder: Holder
    position: str
    to_change: bool
    sessions: int
    locked_until_us: int
    tokens: tuple[TokenLine, ...] = ()
    """Of a machine."""


class Accounts:
    """Manages accounts. Every change is written to the house's stream."""

    def __init__(self, log: HouseLog, passwords: Passwords | None = None) -> None:
        self._log = log
        self._passwords = passwords or Passwords()

    async def first_start(self) -> str | None:
        """Create the administrator if there is no account yet. Return the one-time password, to be shown once."""
        if await self._log.database.read(_any_person):
            return None
        password = one_time_password()
        password_hash, until_us = await self._passwords.hash(password), self._one_time_until_us()

        def change(transaction: Transaction) -> tuple[str | None, list[Stored]]:
            if _any_person(transaction):  # another process created it first
                return None, []
            return password, [new_account(FIRST_ACCOUNT, Position.ADMINISTRATOR, password_hash, until_us)]

        try:
            return await self._log.change(THE_HOUSE, change)
        except FloorRefused as refused:
            if refused.code is not FloorCode.ACCOUNT_EXISTS:
                raise
            return None

    async def create(self, by: Actor, name: str, position: Position | None, mandate: Mandate = BY_CONSOLE) -> str:
        """Create a staff account and return its one-time password."""
        await self._log.require(by, mandate.may, "create_account")
        new_name(name)
        _require_position(position, ASSIGNABLE)
        password = one_time_password()
        password_hash, until_us = await self._passwords.hash(password), self._one_time_until_us()

        def change(transaction: Transaction) -> tuple[None, list[Stored]]:
            _require_free(transaction, name)
            return None, [new_account(name, position, password_hash, until_us)]

        await mandate.change(self._log, by, change)
        return password

    async def assign(self, by: Actor, name: str, position: Position | None, mandate: Mandate = BY_CONSOLE) -> None:
        """Assign a position, or None for off duty. It applies from the next command, in every open session."""
        await self._log.require(by, mandate.may, "assign_position")
        if fold(name) in {fold(each) for each in (by.name, mandate.proposed_by) if each}:
            refused = FloorRefused(TableCode.NOT_AUTHORISED, variant="own_position")
            await self._log.refuse(by, "assign_position", refused)
        _require_position(position, ASSIGNABLE)
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            account = require_account(transaction, name)
            if account.holder is Holder.MACHINE:
                _require_position(position, FOR_MACHINES)
            return None, _assign(transaction, account, position, at_us)

        await mandate.change(self._log, by, change)

    async def reset_password(self, by: Actor, name: str, mandate: Mandate = BY_CONSOLE) -> str:
        """Set a one-time password and return it. Ends the account's sessions, and removes its locks, PIN and TOTP."""
        await self._log.require(by, mandate.may, "reset_password")
        password = one_time_password()
        password_hash, until_us = await self._passwords.hash(password), self._one_time_until_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent | Stored]]:
            account = require_account(transaction, name)
            if account.holder is Holder.MACHINE:
                raise FloorRefused(FloorCode.UNKNOWN_ACCOUNT, variant="machine", name=account.name)
            forget_failures(transaction, account.name)
            return None, [new_password(account, password_hash, until_us), *end_all(transaction, account)]

        await mandate.change(self._log, by, change)
        return password

    async def revoke(self, by: Actor, name: str) -> bool:
        """End every session and token of an account. If there is no such account, end the visit of that name.

        Staff may end their own. Return whether there is a visit of that name that has not ended.
        """
        if fold(name) != fold(by.name) or by.position is Position.PLAYER:
            await self._log.require(by, ADMINISTRATOR_ONLY, "revoke_sessions")

        def change(transaction: Transaction) -> tuple[bool, list[HouseEvent]]:
            account = find_account(transaction, name) if name.isprintable() else None
            if account is None:
                if (ended := _end_visit(transaction, name)) is None:
                    raise unknown_account(name)
                return False, [ended]
            visit = find_visit(transaction, name)
            return visit is not None and visit.expires_us != VISIT_LEFT, [SessionsRevoked(account.name)]

        return await self._log.change(by, change)

    async def revoke_visit(self, by: Actor, name: str) -> None:
        """End the visit of a name, which may also be the name of an account."""
        await self._log.require(by, ADMINISTRATOR_ONLY, "revoke_visit")

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            if (ended := _end_visit(transaction, name)) is None:
                raise FloorRefused(FloorCode.UNKNOWN_VISITOR, name=name[:40])
            return None, [ended]

        await self._log.change(by, change)

    async def issue_token(
        self,
        by: Actor,
        name: str,
        position: Position,
        bounds: TokenBounds,
        days: int = TOKEN_DAYS,
        mandate: Mandate = BY_CONSOLE,
    ) -> str:
        """Issue a token for a machine. The machine gets its own account, without a password."""
        await self._log.require(by, mandate.may, "issue_token")
        new_name(name)
        _require_position(position, FOR_MACHINES)
        _require_bounds(bounds, position)
        if not 1 <= days <= MAX_TOKEN_DAYS:
            raise FloorRefused(FloorCode.BAD_TOKEN, variant="days", most=MAX_TOKEN_DAYS, days=days)
        token, expires_us = new_token(), self._log.clock.now_us() + days * DAY_US

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent | Stored]]:
            account, events = find_account(transaction, name), list[HouseEvent | Stored]()
            if account is None:
                _require_free(transaction, name)
                account = Account(name, Holder.MACHINE, position, to_change=False)
                events.append(AccountCreated(name, position, Holder.MACHINE))
            if account.holder is not Holder.MACHINE:
                raise FloorRefused(FloorCode.ACCOUNT_EXISTS, variant="person", name=account.name)
            now_us = self._log.clock.now_us()
            if account.position is not position:
                events += _assign(transaction, account, position, now_us)
            issued = TokenIssued(account.name, position, bounds.work, bounds.table, key_of(token), expires_us)
            return None, [*events, issued]

        await mandate.change(self._log, by, change)
        return token

    def _one_time_until_us(self) -> int:
        return self._log.clock.now_us() + ONE_TIME_S * SECOND_US

    async def list(self, by: Actor) -> list[AccountLine]:
        """All accounts, sorted by name."""
        await self._log.require(by, _READERS, "list_accounts")
        now_us = self._log.clock.now_us()
        return await self._log.database.read(lambda transaction: _lines(transaction, now_us))


# ---- database jobs


def end_all(transaction: Transaction, account: Account, but: str = "") -> list[HouseEvent]:
    """The end of the sessions of an account except the one with the key ``but``, if there are any."""
    return [SessionsRevoked(account.name, but)] if has_sessions(transaction, account.name, but) else []


def _any_person(transaction: Transaction) -> bool:
    """Machines do not count: they cannot manage accounts."""
    return bool(transaction.rows("SELECT 1 FROM accounts WHERE kind = ? LIMIT 1", (Holder.PERSON,)))


def _require_position(position: Position | None, among: Iterable[Position]) -> None:
    if position is not None and position not in among:
        raise FloorRefused(FloorCode.BAD_POSITION, position=position, positions=(*among, OFF))


def _require_bounds(bounds: TokenBounds, position: Position) -> None:
    """A token for cards or commands is for one table. Its name is checked, not whether there is such a table yet."""
    if bounds.work is TokenWork.UNBOUND:
        raise FloorRefused(FloorCode.BAD_TOKEN, variant="unbound", works=tuple(work for work in TokenWork if work))
    if not bounds.table and bounds.work is not TokenWork.READ:
        raise FloorRefused(FloorCode.BAD_TOKEN, variant="no_table", work=bounds.work)
    if bounds.table and not is_table_name(bounds.table):
        raise FloorRefused(TableCode.BAD_NAME, variant="table", most=MAX_NAME_LENGTH)
    if bounds.work is not TokenWork.READ and position not in DEALER_UP:
        raise FloorRefused(FloorCode.BAD_TOKEN, variant="position", work=bounds.work, position=position)


def _require_free(transaction: Transaction, name: str) -> None:
    """Refuse a name that an account has, or that looks like one."""
    names = (row[0] for row in transaction.rows("SELECT name FROM accounts"))
    if (taken := same_looking(name, names)) is not None:
        raise _exists(taken)


def _end_visit(transaction: Transaction, name: str) -> HouseEvent | None:
    """The end of the visit of a name; None if there is none."""
    visit = find_visit(transaction, name) if name.isprintable() else None
    return None if visit is None or visit.expires_us == VISIT_LEFT else SignedOut(visit.name, visit.key)


def _exists(name: str) -> FloorRefused:
    return FloorRefused(FloorCode.ACCOUNT_EXISTS, name=name)


def _assign(transaction: Transaction, account: Account, position: Position | None, at_us: int) -> list[HouseEvent]:
    """A new position ends the duty at tables: somebody assigns them again."""
    new_position = position or OFF
    ended = end_duty(transaction, account.name, at_us) if position is not account.position else []
    return [PositionAssigned(account.name, new_position), *ended]


def _lines(transaction: Transaction, now_us: int) -> list[AccountLine]:
    rows = transaction.rows(
        "SELECT a.name, a.kind, a.position, a.to_change,"
        " (SELECT count(*) FROM sessions AS s WHERE s.folded = a.folded AND s.kind <> ? AND s.expires_us > ?)"
        " FROM accounts AS a ORDER BY a.folded",
        (SessionKind.VISITOR, now_us),
    )
    tokens: dict[str, list[TokenLine]] = {}
    sql = (
        "SELECT folded, work, at_table, expires_us, stopped FROM sessions WHERE kind = ? AND expires_us > ?"
        " ORDER BY expires_us, token"
    )
    for folded, work, table, expires_us, stopped in transaction.rows(sql, (SessionKind.MACHINE, now_us)):
        tokens.setdefault(folded, []).append(TokenLine(TokenWork(work), table, expires_us, bool(stopped)))
    locked_until = {folded: until_us for folded, until_us in locks(transaction).items() if until_us > now_us}
    return [
        AccountLine(
            name,
            Holder(holder),
            position,
            bool(to_change),
            sessions,
            locked_until.get(fold(name), 0),
            tuple(tokens.get(fold(name), ())),
        )
        for name, holder, position, to_change, sessions in rows
    ]
