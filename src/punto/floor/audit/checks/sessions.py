"""Compares sessions with those that the house opened: a planted one would be anybody, in any position."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.people_record import SessionOnRecord
from punto.floor.database.base import Row
from punto.floor.people.names.names import fold
from punto.floor.people.sessions.session_store import VISIT_LEFT, VISIT_RESTORED_US, SessionKind

SELECT_SESSIONS = (
    "SELECT token, folded, name, kind, expires_us, work, at_table, terminal, stopped FROM sessions ORDER BY folded"
)

_LEFT = (VISIT_LEFT, VISIT_RESTORED_US)
"""Expiries of a visit that is over but not cashed out yet."""


def check_sessions(opened: dict[str, SessionOnRecord], stored: Sequence[Row] | None) -> Iterator[tuple[FaultCode, str]]:
    """A session that is missing is one that ended early, and no fault."""
    if stored is None:
        yield (
            FaultCode.SESSION_DIFFERS,
            "the sessions were not compared: a column of `sessions`, `seals` or `players` is not valid UTF-8",
        )
        return
    for key, folded, name, kind, expires_us, work, table, terminal, stopped in stored:
        session, visit = opened.get(key), kind == SessionKind.VISITOR
        if session is None:
            yield FaultCode.SESSION_DIFFERS, f"the house opened no such session of {name!r}"
        elif session.ended and not (visit and expires_us in _LEFT):
            yield FaultCode.SESSION_DIFFERS, f"a session of {name!r} is back, though it was ended"
        elif (folded, name, kind) != (fold(session.name), session.name, session.kind):
            yield FaultCode.SESSION_DIFFERS, f"a session of {session.name!r} was given to {name!r}"
        elif expires_us != session.expires_us and not (visit and expires_us in _LEFT):
            yield FaultCode.SESSION_DIFFERS, f"a session of {name!r} expires at another time than it was opened for"
        elif (work, table) != (session.work, session.table):
            yield FaultCode.SESSION_DIFFERS, f"the token of {name!r} is for other work than it was issued for"
        elif terminal != session.terminal:
            yield FaultCode.SESSION_DIFFERS, f"a session of {name!r} is at another terminal than it was opened at"
        elif stopped != session.stopped:
            words = "is stopped without a record of it" if stopped else "goes on, though it was stopped"
            yield FaultCode.SESSION_DIFFERS, f"the bridge {name!r} {words}"
