"""Messages over the WebSocket at ``/api/live``."""

from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.commands import EventView
from punto.web.messages.errors import Problem
from punto.web.messages.tables import Me, TableView


class Watch(RequestBody, frozen=True, tag_field="ask", tag="watch"):
    """Sent over the WebSocket: follow this table from now on, or from the event after a cursor."""

    table: str
    after: Cursor | None = None
    state: bool = True
    """Whether to send the state of the table after the events."""


class Unwatch(RequestBody, frozen=True, tag_field="ask", tag="unwatch"):
    """Sent over the WebSocket: stop following this table."""

    table: str


class Moved(Message, frozen=True, tag_field="message", tag="moved"):
    """Received over the WebSocket: new events at a table, and its state after them."""

    table: str
    cursor: Cursor
    """To resume after a lost connection, send this as ``after`` in ``watch``."""
    events: tuple[EventView, ...]
    state: TableView | None = None
    """None while more events are still to follow."""
    me: Me | None = None


class Stopped(Message, frozen=True, tag_field="message", tag="stopped"):
    """Received over the WebSocket: the server no longer sends this table, and why."""

    table: str
    error: Problem
