"""How much somebody may see: everything that leaves the server is cut to this.

Another player's balance, the order of a shoe and what concerns the staff are sent to nobody without a right to them.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec

from punto.floor.journal.entry import Entry, unreadable
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.table.records.positions import STAFF, Position
from punto.web.messages import Cursor, EventView


class Sight(StrEnum):
    """What a position may see."""

    PUBLIC = "public"
    """Anybody: the felt without names."""
    PLAYER = "player"
    """Players: the felt with names."""
    STAFF = "staff"
    """Those who deal, supervise or audit: everything but the order of a shoe."""


def sight_of(position: Position | None) -> Sight:
    """An administrator looks after accounts, and sees as much of a game as the public."""
    if position in (*STAFF, Position.AUDITOR, Position.HOUSE):
        return Sight.STAFF
    return Sight.PLAYER if position is Position.PLAYER else Sight.PUBLIC


OF_THE_STAFF = frozenset(
    {"postings", "balances", "placed_by", "withdrawn_by", "chosen_by", "found_by", "ruled_by", "reason"}
)
"""Fields of events that only the staff see: who of them did it, what they noted, and what anybody has."""
OF_PERSONS = frozenset({"who", "players", "away", "forgone", "silent"})
"""Fields that name players."""
MAX_EVENTS = 4_096
"""Events that are kept as they were cut, for all who watch the same tables."""


def cut(entry: Entry, sight: Sight) -> EventView:
    """An entry as somebody may see it."""
    whole = sight is Sight.STAFF
    try:
        event = _event(entry.event, sight)
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error
    return EventView(
        cursor=cursor_of(entry),
        at_us=entry.at_us,
        position=entry.position,
        event=event,
        by=entry.actor if whole else None,
        command_id=entry.command_id if whole else None,
    )


def cursor_of(entry: Entry | Head) -> Cursor:
    """Where an entry stands in the history of its table, or where that ends."""
    return write_cursor(StreamName.parse(entry.stream).opening, entry.version)


def write_cursor(opening: int, version: int) -> Cursor:
    """A place in the history of a table: an opening and the version of an entry."""
    return f"{opening}/{version}"


@lru_cache(MAX_EVENTS)
def _event(text: str, sight: Sight) -> dict[str, Any]:
    event = msgspec.json.decode(text, type=dict[str, Any])
    return event if sight is Sight.STAFF else _without(event, sight)


def _without(record: dict[str, Any], sight: Sight) -> dict[str, Any]:
    hidden = OF_THE_STAFF if sight is Sight.PLAYER else OF_THE_STAFF | OF_PERSONS
    return {name: _inner(value, sight) for name, value in record.items() if name not in hidden}


def _inner(value: Any, sight: Sight) -> Any:
    if isinstance(value, dict):
        return _without(value, sight)
    if isinstance(value, list):
        return [_inner(one, sight) for one in value]
    return value
