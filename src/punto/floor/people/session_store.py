"""Session tokens: a secret for who holds it, a hash for the database."""

from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe

from msgspec import Struct

from punto.floor.database.base import Row, Transaction
from punto.floor.people.names import fold

MAX_TOKEN_LENGTH = 200
VISIT_LEFT = 0
"""In place of when a visit ends: it has, and the visitor's chips may still have to go back."""

_SELECT = "SELECT token, name, kind, expires_us FROM sessions"


class SessionKind(StrEnum):
    """Whose session it is."""

    STAFF = "staff"
    MACHINE = "machine"
    VISITOR = "visitor"


class Session(Struct, frozen=True):
    """A session as the database has it, over or not."""

    key: str
    name: str
    kind: SessionKind
    expires_us: int


def new_token() -> str:
    """256 bits that nobody guesses: hashing them once is enough."""
    return token_urlsafe(32)


def key_of(token: str) -> str:
    """What is kept of a token, and looked up: who reads the database cannot sign in with it."""
    return sha256(token[:MAX_TOKEN_LENGTH].encode("utf-8", "surrogatepass")).hexdigest()


def open_session(transaction: Transaction, token: str, name: str, kind: SessionKind, expires_us: int) -> None:
    """A session from now on."""
    row = (key_of(token), fold(name), name, kind, expires_us)
    transaction.many("INSERT INTO sessions (token, folded, name, kind, expires_us) VALUES (?, ?, ?, ?, ?)", [row])


def find_session(transaction: Transaction, token: str) -> Session | None:
    """The session of a token."""
    return _found(transaction.rows(f"{_SELECT} WHERE token = ?", (key_of(token),)))


def end_session(transaction: Transaction, session: Session) -> bool:
    """It is over; whether it was not so before."""
    return bool(transaction.change("DELETE FROM sessions WHERE token = ?", (session.key,)))


def end_expired(transaction: Transaction, now_us: int) -> None:
    """Forget sessions that are over time, but for visitors': their chips have to be seen to first."""
    transaction.change("DELETE FROM sessions WHERE expires_us <= ? AND kind <> ?", (now_us, SessionKind.VISITOR))


def find_visit(transaction: Transaction, name: str) -> Session | None:
    """The session of the visitor of a name, over or not."""
    return _found(transaction.rows(f"{_SELECT} WHERE folded = ? AND kind = ?", (fold(name), SessionKind.VISITOR)))


def _found(rows: list[Row]) -> Session | None:
    return Session(rows[0][0], rows[0][1], SessionKind(rows[0][2]), rows[0][3]) if rows else None


def end_visit(transaction: Transaction, visit: Session) -> bool:
    """The visitor has gone, and their chips have to go back; whether they were still there."""
    sql = "UPDATE sessions SET expires_us = ? WHERE token = ? AND expires_us <> ?"
    return bool(transaction.change(sql, (VISIT_LEFT, visit.key, VISIT_LEFT)))


def end_sessions(transaction: Transaction, name: str, but: str = "") -> int:
    """All sessions of a name, but perhaps the one of this key; how many there were."""
    return transaction.change("DELETE FROM sessions WHERE folded = ? AND token <> ?", (fold(name), but))
