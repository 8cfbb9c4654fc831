"""The alarms of the pit."""

from typing import Annotated

from msgspec import Meta

from punto.floor.house.alarm import MAX_NOTE_LENGTH
from punto.web.messages.base import Message, RequestBody


class AlarmView(Message, frozen=True):
    """Times are in microseconds, null for what has not happened."""

    number: int
    kind: str
    severity: int
    """1 to 3; one more once it has escalated."""
    table: str
    """Empty if it concerns the floor."""
    opening: int
    """Of the table, counted from 1; 0: none."""
    round: int
    """0: none."""
    subject: str
    """Who or what it is about."""
    values: dict[str, int | str | tuple[str, ...]]
    words: str
    """The same in the language of the request."""
    at_us: int
    acknowledged_by: str | None
    acknowledged_us: int | None
    ended_us: int | None
    """When its cause ended before anybody acknowledged it."""
    note: str
    escalated_us: int | None


class AlarmList(Message, frozen=True):
    """Alarms, newest first. To get the next page, pass `next` as `before`."""

    alarms: tuple[AlarmView, ...]
    next: int | None
    """Null if there are no more."""


class AcknowledgeRequest(RequestBody, frozen=True):
    note: Annotated[str, Meta(max_length=MAX_NOTE_LENGTH)] = ""
