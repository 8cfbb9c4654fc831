"""Terminals: browsers of the house at a table or in the pit, each with a key of its own.

The key is in a cookie; the database has only its hash. Every entry that comes from a terminal carries its id, and a PIN
counts only there.
"""

from collections.abc import Collection

from msgspec import Struct

from punto.floor.clock import HOUR_US
from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projections.sessions import SessionKind, find_session, key_of, new_token, sessions_at
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HouseEvent, TerminalEnrolled, TerminalRevoked
from punto.floor.names.names import fold
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import MANAGER_UP, Position
from punto.table.refusals import TableCode

NEW_FOR_US = HOUR_US
_SELECT = "SELECT id, at_table, title, enrolled_by, enrolled_us FROM terminals"
_READERS = MANAGER_UP | {Position.AUDITOR}


class Terminal(Struct, frozen=True):
    id: str
    table: str | None
    """None: a terminal of the pit."""
    title: str
    enrolled_by: str
    enrolled_us: int


class Enrolment(Struct, frozen=True):
    terminal: Terminal
    key: str
    """Returned only here and not stored."""


class Terminals:
    def __init__(self, log: HouseLog) -> None:
        self._log, self._database = log, log.database

    async def find(self, key: str) -> str:
        """The id of the terminal with this key; empty if there is none, or it was revoked."""
        if not key:
            return ""
        sql = "SELECT id FROM terminals WHERE key_hash = ? AND revoked_us = 0"
        rows = await self._database.read(lambda transaction: transaction.rows(sql, (key_of(key),)))
        return str(rows[0][0]) if rows else ""

    async def get(self, terminal: str) -> Terminal:
        """A terminal that :meth:`find` has just found."""
        sql = f"{_SELECT} WHERE id = ?"
        return _terminal((await self._database.read(lambda transaction: transaction.rows(sql, (terminal,))))[0])

    async def titles(self, ids: Collection[str]) -> dict[str, str]:
        """The titles of terminals, by id, revoked ones too."""
        if not ids:
            return {}
        sql = f"SELECT id, title FROM terminals WHERE id IN ({', '.join('?' * len(ids))})"  # noqa: S608 - our own text
        return dict(await self._database.read(lambda transaction: transaction.rows(sql, tuple(ids))))

    async def enrol(self, by: Actor, token: str, table: str | None, title: str, before: str = "") -> Enrolment:
        """Make the browser with this session a terminal. If it already is one, ``before``, that one is revoked."""
        await self._log.require(by, MANAGER_UP, "enrol_terminal")
        if not is_name(title):
            raise FloorRefused(TableCode.BAD_NAME, variant="terminal", most=MAX_NAME_LENGTH)
        key, now_us = new_token(), self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[Terminal | None, list[HouseEvent]]:
            if table is not None and not transaction.rows("SELECT 1 FROM tables WHERE name = ?", (table,)):
                raise FloorRefused(FloorCode.UNKNOWN_TABLE, table=table[:MAX_NAME_LENGTH])
            session = find_session(transaction, token)
            if session is None or session.kind is not SessionKind.STAFF:
                return None, []
            number = transaction.rows("SELECT count(*) FROM terminals")[0][0] + 1  # rows are never deleted
            terminal = Terminal(f"terminal-{number}", table, title, by.name, now_us)
            revoked = _revoke(transaction, before, now_us, key_of(token)) if before else []
            keys = (key_of(key), key_of(token))
            return terminal, [*revoked, TerminalEnrolled(terminal.id, table or "", title, *keys, now_us)]

        terminal = await self._log.change(by, change)
        if terminal is None:
            refused = FloorRefused(TableCode.NOT_AUTHORISED, variant="person")
            await self._log.refuse(by, "enrol_terminal", refused)
        return Enrolment(terminal, key)

    async def revoke(self, by: Actor, terminal: str) -> None:
        """Revoke a terminal and end the sessions that were opened there."""
        await self._log.require(by, MANAGER_UP, "revoke_terminal")
        now_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            events = _revoke(transaction, terminal, now_us)
            if not events:
                raise FloorRefused(FloorCode.UNKNOWN_TERMINAL, terminal=terminal[:MAX_NAME_LENGTH])
            return None, events

        await self._log.change(by, change)

    async def list(self, by: Actor) -> list[Terminal]:
        """The terminals that were not revoked, oldest first."""
        await self._log.require(by, _READERS, "list_terminals")
        return await self._database.read(_terminals)


def require_seen_by_two(transaction: Transaction, terminal: str, now_us: int) -> None:
    """Refuse PINs at a terminal that only the person who enrolled it has used, for its first hour.

    A manager could otherwise make any browser a terminal and use a PIN that they have overlooked. By then the pit has
    seen the enrolment, or somebody else has shown with their password that they stand there.
    """
    rows = transaction.rows("SELECT enrolled_by, enrolled_us FROM terminals WHERE id = ?", (terminal,))
    enrolled_by, enrolled_us = rows[0] if rows else ("", now_us)
    if now_us - enrolled_us >= NEW_FOR_US:
        return
    sql = "SELECT 1 FROM sessions WHERE terminal = ? AND kind = ? AND folded <> ? LIMIT 1"
    if not transaction.rows(sql, (terminal, SessionKind.STAFF, fold(enrolled_by))):
        raise FloorRefused(FloorCode.NOT_A_TERMINAL, variant="new", name=enrolled_by)


def _revoke(transaction: Transaction, terminal: str, now_us: int, but: str = "") -> list[HouseEvent]:
    """The end of a terminal, and of the sessions there besides the one with the key ``but``."""
    if not transaction.rows("SELECT 1 FROM terminals WHERE id = ? AND revoked_us = 0", (terminal,)):
        return []
    ended = [event for event in sessions_at(transaction, terminal) if event.session != but]
    return [TerminalRevoked(terminal, now_us), *ended]


def _terminals(transaction: Transaction) -> list[Terminal]:
    return [_terminal(row) for row in transaction.rows(f"{_SELECT} WHERE revoked_us = 0 ORDER BY enrolled_us, id")]


def _terminal(row: Row) -> Terminal:
    terminal, table, title, enrolled_by, enrolled_us = row
    return Terminal(terminal, table or None, title, enrolled_by, enrolled_us)
