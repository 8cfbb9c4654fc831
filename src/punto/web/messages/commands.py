"""Commands and the events that result from them."""

from typing import Any

from msgspec import UNSET, UnsetType

from punto.web.messages.base import Cursor, Message, RequestBody


class CommandRequest(RequestBody, frozen=True, omit_defaults=True):
    """A command, with an id that the caller chooses. Sending the same id and command again gives the same answer."""

    id: str
    command: dict[str, Any]
    """Its tag and fields. The session says who gives it."""
    happened_at: str | None = None
    """When it happened, if it is entered later, for example from paper: RFC 3339 with a zone."""


class EventView(Message, frozen=True):
    """One event at a table, without the fields that your position may not see."""

    cursor: Cursor
    at_us: int
    position: str
    """The position of the person who caused the event."""
    event: dict[str, Any]
    by: str | None = None
    command_id: str | None = None
    """``by`` and ``command_id`` (who, and by which command) are only sent to staff and auditors."""
    happened_at_us: int | UnsetType = UNSET
    """When it happened, if it was entered later. Only sent to staff and auditors."""


class Accepted(Message, frozen=True):
    """The command was accepted, and its events are stored on disk."""

    cursor: Cursor
    events: tuple[EventView, ...]
    incident: int = 0
    """The number of the incident that it belongs to; 0: to none. Only sent to staff and auditors."""
