"""Stores sessions. The client has the token; the database has only its hash."""

from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe

from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Row, Transaction
from punto.floor.journal.token_bounds import TokenBounds
from punto.floor.people.names.names import fold

MAX_TOKEN_LENGTH = 200
VISIT_S = 24 * 3_600
"""The start of a visit is computed from its expiry, so changing this shifts the start of visits that are open."""
VISIT_LEFT = 0
"""Stored as the expiry of a visit that has ended but whose chips may not be cashed out yet."""
VISIT_RESTORED_US = 1
"""Expiry of restored visits. It is in the past, so visitors are signed out and cashed out."""

IDLE_S = 15 * 60
"""After so long without a command or a page, a person's session is locked."""
SEEN_EVERY_S = 30
"""How often activity is noted: a write for every command would cost too much."""
LOCKED_NOW = 0
"""Stored as the last activity of a session that its owner has locked."""

_SELECT = "SELECT token, name, kind, expires_us, started_us, seen_us, terminal FROM sessions"


class SessionKind(StrEnum):
    STAFF = "staff"
    MACHINE = "machine"
    VISITOR = "visitor"
    PLAYER = "player"
    """Of a registered player, at one table."""


class Session(Struct, frozen=True):
    """A stored session. It may have expired."""

    key: str
    name: str
    kind: SessionKind
    expires_us: int
    started_us: int = 0
    """0 for those of earlier releases."""
    seen_us: int = 0
    terminal: str = ""
    """Where it was opened; empty: at none."""

    def locked(self, now_us: int) -> bool:
        return self.kind is SessionKind.STAFF and now_us >= locks_us(self.seen_us)


def locks_us(seen_us: int) -> int:
    """When a session locks that was last active then."""
    return seen_us + IDLE_S * SECOND_US


def new_token() -> str:
    """256 random bits, so a single fast hash is enough."""
    return token_urlsafe(32)


def key_of(token: str) -> str:
    """The hash under which a token is stored. A reader of the database cannot sign in with it."""
    return sha256(token[:MAX_TOKEN_LENGTH].encode("utf-8", "surrogatepass")).hexdigest()


def open_session(transaction: Transaction, session: Session, bounds: TokenBounds | None = None) -> None:
    """Store a session, with the bounds of a machine's. The caller records it in the house's stream."""
    columns = "token, folded, name, kind, expires_us, started_us, seen_us, terminal, work, at_table"
    key, name, *rest = astuple(session)
    row = (key, fold(name), name, *rest, *((bounds.work, bounds.table) if bounds else ("", "")))
    marks = ", ".join("?" * len(row))
    transaction.many(f"INSERT INTO sessions ({columns}) VALUES ({marks})", [row])  # noqa: S608 - our own


def find_session(transaction: Transaction, token: str) -> Session | None:
    return _first(transaction.rows(f"{_SELECT} WHERE token = ?", (key_of(token),)))


def end_session(transaction: Transaction, session: Session) -> bool:
    """Delete a session; return False if it was already deleted."""
    return bool(transaction.change("DELETE FROM sessions WHERE token = ?", (session.key,)))


def move_session(transaction: Transaction, token: str, kind: SessionKind, terminal: str) -> bool:
    """Note that a session is at a terminal; return False if there is no such session of this kind."""
    sql = "UPDATE sessions SET terminal = ? WHERE token = ? AND kind = ?"
    return bool(transaction.change(sql, (terminal, key_of(token), kind)))


def end_sessions_at(transaction: Transaction, terminal: str) -> list[tuple[str, str]]:
    """Delete the sessions of staff at a terminal; return their names and keys."""
    staff_there = (terminal, SessionKind.STAFF)
    sql = "SELECT name, token FROM sessions WHERE terminal = ? AND kind = ? ORDER BY folded"
    ended = [(name, key) for name, key in transaction.rows(sql, staff_there)]
    transaction.change("DELETE FROM sessions WHERE terminal = ? AND kind = ?", staff_there)
    return ended


def end_expired(transaction: Transaction, now_us: int) -> None:
    """Delete expired sessions, except visits, whose chips must be cashed out first."""
    transaction.change("DELETE FROM sessions WHERE expires_us <= ? AND kind <> ?", (now_us, SessionKind.VISITOR))


def find_visit(transaction: Transaction, name: str) -> Session | None:
    """The visit of a name, expired or not."""
    return _first(transaction.rows(f"{_SELECT} WHERE folded = ? AND kind = ?", (fold(name), SessionKind.VISITOR)))


def _first(rows: list[Row]) -> Session | None:
    return _session(rows[0]) if rows else None


def _session(row: Row) -> Session:
    key, name, kind, *rest = row
    return Session(key, name, SessionKind(kind), *rest)


def staff_sessions(transaction: Transaction, name: str, now_us: int) -> list[Session]:
    """The sessions of a person that have not expired, oldest first."""
    sql = f"{_SELECT} WHERE folded = ? AND kind = ? AND expires_us > ? ORDER BY started_us, token"
    return [_session(row) for row in transaction.rows(sql, (fold(name), SessionKind.STAFF, now_us))]


def note_activity(transaction: Transaction, key: str, before_us: int, now_us: int) -> None:
    """Note that a session was active, unless it was locked or noted in the meantime."""
    sql = "UPDATE sessions SET seen_us = ? WHERE token = ? AND seen_us = ?"
    transaction.change(sql, (now_us, key, before_us))


def set_seen(transaction: Transaction, key: str, seen_us: int) -> bool:
    """Lock or unlock a session; return False if it is gone."""
    return bool(transaction.change("UPDATE sessions SET seen_us = ? WHERE token = ?", (seen_us, key)))


def count_idle_from(transaction: Transaction, now_us: int) -> None:
    """Staff who are signed in at a migration stay signed in: earlier releases did not note their activity."""
    transaction.change("UPDATE sessions SET seen_us = ? WHERE kind = ?", (now_us, SessionKind.STAFF))


def visitor_names(transaction: Transaction) -> set[str]:
    """The names of all visits, expired or not."""
    return {name for (name,) in transaction.rows("SELECT name FROM sessions WHERE kind = ?", (SessionKind.VISITOR,))}


def end_visit(transaction: Transaction, visit: Session) -> bool:
    """Mark a visit as ended; return False if it already was."""
    sql = "UPDATE sessions SET expires_us = ? WHERE token = ? AND expires_us <> ?"
    return bool(transaction.change(sql, (VISIT_LEFT, visit.key, VISIT_LEFT)))


def end_visits(transaction: Transaction) -> list[tuple[str, str]]:
    """Mark all visits as ended; return the names and keys of those that had not."""
    sql = "SELECT name, token FROM sessions WHERE kind = ? AND expires_us <> ? ORDER BY folded"
    visits = [(name, key) for name, key in transaction.rows(sql, (SessionKind.VISITOR, VISIT_LEFT))]
    transaction.change("UPDATE sessions SET expires_us = ? WHERE kind = ?", (VISIT_LEFT, SessionKind.VISITOR))
    return visits


def end_player_sessions(transaction: Transaction, player: str) -> bool:
    """Delete the sessions of a registered player; return False if there were none."""
    sql = "DELETE FROM sessions WHERE folded = ? AND kind = ?"
    return bool(transaction.change(sql, (fold(player), SessionKind.PLAYER)))


def visit_started_us(expires_us: int) -> int:
    """When a visit started, by its expiry."""
    return expires_us - VISIT_S * SECOND_US


def end_sessions(transaction: Transaction, account: str, but: str = "") -> int:
    """Delete all sessions of an account except the one with the key ``but``; return how many."""
    sql = "DELETE FROM sessions WHERE folded = ? AND token <> ? AND kind <> ?"
    return transaction.change(sql, (fold(account), but, SessionKind.VISITOR))
