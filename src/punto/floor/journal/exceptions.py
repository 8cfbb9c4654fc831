"""The entries of the house's stream that an auditor looks at first.

Anyone who can stop the server chooses when a round is interrupted. So every start is here, and what each one voided;
and every act that one person did where the floor's rules want two.
"""

import msgspec
from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.journal.entry import text_start, unreadable
from punto.floor.journal.house_events import HOUSE, HOUSE_KINDS, HouseEvent, read_house_event

EXCEPTIONS = tuple(kind for kind in HOUSE_KINDS if kind.looked_at)

ALONE_CONTEXT = '%"alone":true%'
"""Matches the context of an act by one person. A name in a context cannot contain it: its quotes are escaped."""


class HouseException(Struct, frozen=True):
    version: int
    """In the house's stream."""
    at_us: int
    by: str
    position: str
    event: HouseEvent
    alone: bool
    """Whether one person did what needs two."""


def last_exceptions(transaction: Transaction, before: int, limit: int) -> list[HouseException]:
    """Those before a version of the house's stream, newest first."""
    return _find(transaction, "e.version < ? ORDER BY e.version DESC", before, limit)


def find_exceptions(transaction: Transaction, after: int, limit: int) -> list[HouseException]:
    """Those after a version of the house's stream, oldest first."""
    return _find(transaction, "e.version > ? ORDER BY e.version", after, limit)


def find_alone(transaction: Transaction, since_us: int, until_us: int) -> list[HouseException]:
    """What one person did where the floor's rules want two, in a period without its end, oldest first."""
    rows = transaction.rows(
        "SELECT e.version, e.at_us, e.actor, e.position, e.event FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE s.name = ? AND e.context LIKE ? AND e.part = 0 AND e.at_us >= ? AND e.at_us < ? ORDER BY e.version",
        (HOUSE, ALONE_CONTEXT, since_us, until_us),
    )
    return [
        HouseException(version, at_us, by, position, _read(version, text), alone=True)
        for version, at_us, by, position, text in rows
    ]


def _find(transaction: Transaction, where: str, version: int, limit: int) -> list[HouseException]:
    starts = [text_start(kind) for kind in EXCEPTIONS]
    kinds = " OR ".join("substr(e.event, 1, ?) = ?" for _ in starts)
    rows = transaction.rows(
        "SELECT e.version, e.at_us, e.actor, e.position, e.event, e.context LIKE ?"  # noqa: S608 - marks
        " FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        f" WHERE s.name = ? AND (e.context LIKE ? OR {kinds}) AND {where} LIMIT ?",
        (
            ALONE_CONTEXT,
            HOUSE,
            ALONE_CONTEXT,
            *(value for start in starts for value in (len(start), start)),
            version,
            limit,
        ),
    )
    return [
        HouseException(version, at_us, by, position, _read(version, text), bool(alone))
        for version, at_us, by, position, text, alone in rows
    ]


def _read(version: int, text: str) -> HouseEvent:
    try:
        return read_house_event(text)
    except msgspec.MsgspecError as error:
        raise unreadable(HOUSE, version) from error
