"""Commands, and the events that follow from them."""

from typing import Any

from punto.web.messages.base import Cursor, Message, RequestBody


class CommandAsked(RequestBody, frozen=True):
    """A command with an id of the caller's: given again, the same id answers the same."""

    id: str
    command: dict[str, Any]
    """Its tag and its fields, but not who gives it: that says the session."""


class EventView(Message, frozen=True):
    """Something that happened at a table, as anybody in one's position may see it."""

    cursor: Cursor
    at_us: int
    position: str
    """The position in which it was brought about."""
    event: dict[str, Any]
    by: str | None = None
    command_id: str | None = None
    """Who and by which command: for the staff and for auditors alone."""


class Accepted(Message, frozen=True):
    """A command that was accepted, and is on the disk."""

    cursor: Cursor
    events: tuple[EventView, ...]
