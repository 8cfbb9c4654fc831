"""The table ``sessions``. The client has the token; the database has only its hash."""

from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Row, Transaction
from punto.floor.house.projection import NOT_SAID, Delete, Not, Operation, Projection, Put, Update, Values
from punto.floor.journal.entry import Entry, context_of
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import (
    BridgeReleased,
    BridgeStopped,
    FloorRestored,
    HouseEvent,
    SessionRecorded,
    SessionsRevoked,
    SignedIn,
    SignedOut,
    TerminalEnrolled,
    TokenIssued,
    VisitorEntered,
)
from punto.floor.journal.pit_events import PlayerCodeRevoked, PlayerCodeUsed
from punto.floor.names.names import fold

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


_ENDED = "ended"
"""What is compared of the expiry of a visit that has ended; it may be left to cash out, and expires then as below."""


class SessionsTable(Projection):
    table = "sessions"
    thing = "session"
    fault = FaultCode.SESSION_DIFFERS
    key = ("token",)
    derived = ("folded", "name", "kind", "work", "at_table", "terminal", "stopped")
    committed = ("expires",)
    stored = ("expires_us",)
    volatile = ("started_us", "seen_us")
    complete = False
    kinds = (
        *(SignedIn, VisitorEntered, TokenIssued, SessionRecorded, PlayerCodeUsed, SignedOut, SessionsRevoked),
        *(PlayerCodeRevoked, TerminalEnrolled, BridgeStopped, BridgeReleased, FloorRestored),
    )

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:
        match event:
            case SignedIn() | VisitorEntered() | TokenIssued() | SessionRecorded():
                if event.session:  # releases before 0.9.0 did not record it; a migration does
                    yield self._open(event, entry)
            case PlayerCodeUsed():
                yield self._of_player(event.player)
                yield self._open(event, entry)
            case PlayerCodeRevoked():
                yield self._of_player(event.player)
            case SignedOut():
                yield Delete({"token": event.session, "kind": Not(SessionKind.VISITOR)})
                yield Update({"token": event.session}, {"expires_us": VISIT_LEFT, "expires": _ENDED}, needed=False)
            case SessionsRevoked():
                own = {"folded": fold(event.name), "kind": Not(SessionKind.VISITOR)}
                yield Delete({**own, "token": Not(event.but)})
            case TerminalEnrolled():
                yield Update({"token": event.session}, {"terminal": event.terminal}, needed=False)
            case BridgeStopped():
                yield self._bridge(event, entry.version)
            case BridgeReleased():
                yield self._bridge(event, 0)
            case FloorRestored():  # what was revoked since must not come back; visits are over, to be cashed out
                yield Delete({"kind": Not(SessionKind.VISITOR)})
                over = {"expires_us": VISIT_RESTORED_US, "expires": _ENDED}
                yield Update({"expires_us": Not(VISIT_LEFT)}, over, needed=False)

    @staticmethod
    def _open(
        event: SignedIn | VisitorEntered | TokenIssued | SessionRecorded | PlayerCodeUsed, entry: Entry
    ) -> Operation:
        opened = {"kind": SessionKind.STAFF, "work": "", "at_table": "", "terminal": ""}
        recorded = isinstance(event, SessionRecorded)
        match event:
            case SignedIn():
                opened["terminal"] = context_of(entry).terminal
            case VisitorEntered():
                opened["kind"] = SessionKind.VISITOR
            case TokenIssued():
                opened |= {"kind": SessionKind.MACHINE, "work": event.work, "at_table": event.table}
            case SessionRecorded():
                opened["kind"] = event.kind
            case PlayerCodeUsed():
                opened |= {"kind": SessionKind.PLAYER, "at_table": event.table}
        name = event.player if isinstance(event, PlayerCodeUsed) else event.name
        active = {} if recorded else {"started_us": entry.at_us, "seen_us": entry.at_us}
        expires = {"expires_us": event.expires_us, "expires": event.expires_us}
        row = {"token": event.session, "folded": fold(name), "name": name, "stopped": 0, **opened, **expires, **active}
        return Put(row, anew=recorded)

    @staticmethod
    def _of_player(player: str) -> Delete:
        return Delete({"folded": fold(player), "kind": SessionKind.PLAYER})

    @staticmethod
    def _bridge(event: BridgeStopped | BridgeReleased, stopped: int) -> Update:
        return Update({"token": event.session, "name": event.bridge}, {"stopped": stopped}, needed=False)

    def compared(self, row: dict[str, Any]) -> Values:
        over = row["kind"] == SessionKind.VISITOR and row["expires_us"] in (VISIT_LEFT, VISIT_RESTORED_US)
        return {**row, "expires": NOT_SAID if over else row["expires_us"]}


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


def find_session(transaction: Transaction, token: str) -> Session | None:
    return _first(transaction.rows(f"{_SELECT} WHERE token = ?", (key_of(token),)))


def sessions_at(transaction: Transaction, terminal: str) -> list[SignedOut]:
    """The end of the sessions of staff at a terminal."""
    sql = "SELECT name, token FROM sessions WHERE terminal = ? AND kind = ? ORDER BY folded"
    return [SignedOut(name, key) for name, key in transaction.rows(sql, (terminal, SessionKind.STAFF))]


def end_expired(transaction: Transaction, now_us: int) -> None:
    """Delete expired sessions, except visits, whose chips must be cashed out first."""
    transaction.change("DELETE FROM sessions WHERE expires_us <= ? AND kind <> ?", (now_us, SessionKind.VISITOR))


def forget_visit(transaction: Transaction, visit: Session) -> None:
    """Delete a visit that has ended and was cashed out: its name is free again."""
    transaction.change("DELETE FROM sessions WHERE token = ?", (visit.key,))


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


def end_visits(transaction: Transaction) -> list[HouseEvent]:
    """The end of all visits that have not ended."""
    sql = "SELECT name, token FROM sessions WHERE kind = ? AND expires_us <> ? ORDER BY folded"
    return [SignedOut(name, key) for name, key in transaction.rows(sql, (SessionKind.VISITOR, VISIT_LEFT))]


def has_player_session(transaction: Transaction, player: str) -> bool:
    sql = "SELECT 1 FROM sessions WHERE folded = ? AND kind = ? LIMIT 1"
    return bool(transaction.rows(sql, (fold(player), SessionKind.PLAYER)))


def visit_started_us(expires_us: int) -> int:
    """When a visit started, by its expiry."""
    return expires_us - VISIT_S * SECOND_US


def has_sessions(transaction: Transaction, account: str, but: str = "") -> bool:
    """Whether an account has sessions besides the one with the key ``but``."""
    sql = "SELECT 1 FROM sessions WHERE folded = ? AND token <> ? AND kind <> ? LIMIT 1"
    return bool(transaction.rows(sql, (fold(account), but, SessionKind.VISITOR)))
