"""What is said over the socket."""

from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.commands import EventView
from punto.web.messages.errors import Problem
from punto.web.messages.tables import Me, TableView


class Watch(RequestBody, frozen=True, tag_field="ask", tag="watch"):
    """Over the socket: tell me of this table from now on, or from after a cursor."""

    table: str
    after: Cursor | None = None
    state: bool = True
    """With the state of the table after the events."""


class Unwatch(RequestBody, frozen=True, tag_field="ask", tag="unwatch"):
    """Over the socket: no more of this table."""

    table: str


class Moved(Message, frozen=True, tag_field="message", tag="moved"):
    """Over the socket: what happened at a table, and how it stands now."""

    table: str
    cursor: Cursor
    """To go on from here after the line was lost, watch with this."""
    events: tuple[EventView, ...]
    state: TableView | None = None
    """None while earlier events are still being told."""
    me: Me | None = None


class Stopped(Message, frozen=True, tag_field="message", tag="stopped"):
    """Over the socket: nothing more of a table, and why."""

    table: str
    error: Problem
