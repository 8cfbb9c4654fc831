"""The house's record as auditors read it."""

from typing import Annotated, Any

from msgspec import Meta

from punto.floor.journal.event_base import RecordGroup
from punto.floor.reports.house_lines import LAST_KEY
from punto.web.messages.base import Message, RequestBody

MAX_LINES_A_PAGE = 200


class RecordQuery(RequestBody, frozen=True):
    group: RecordGroup | None = None
    """Left out: all."""
    person: str = ""
    """Who acted, or whom it is about. Empty: anybody."""
    table: str = ""
    """Empty: any."""
    since: str | None = None
    """A gaming day, such as `2026-11-17`, or a moment in ISO 8601."""
    until: str | None = None
    """As above; a day is included."""
    before: Annotated[int, Meta(ge=1, le=LAST_KEY)] | None = None
    """`next` of the page before; without it, the newest."""
    most: Annotated[int, Meta(ge=1, le=MAX_LINES_A_PAGE)] = 50


class ChangedValue(Message, frozen=True):
    """Label and values are in the language of the request."""

    name: str
    """Of the value in its event, such as `alarms.round_s`."""
    words: str
    """Its label."""
    before: str
    after: str


class RecordLine(Message, frozen=True):
    """An entry of the house's stream, or a change of a table's settings in the table's stream."""

    stream: str
    version: int
    at_us: int
    by: str
    position: str
    terminal: str
    proposed_by: str
    approved_by: str
    alone: bool
    """Whether one person did what needs two."""
    group: RecordGroup
    words: str
    """In the language of the request."""
    changes: tuple[ChangedValue, ...]
    """For settings, rules, chips, readings, titles, positions and starts: what is not as it was before."""
    event: dict[str, Any]
    """As it is recorded, with its tag in `event`. Of secrets' hashes only how they start."""


class RecordPage(Message, frozen=True):
    lines: tuple[RecordLine, ...]
    next: int | None
    """The value of `before` for the next page; null at the end."""
