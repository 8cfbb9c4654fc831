"""Blind counts of a table's tray."""

from punto.table.records.chips import ChipPile, CountPurpose, Piles
from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.commands import EventView


class CountRequest(RequestBody, frozen=True):
    """What lies in the tray, one pile for each denomination, and an id that the caller chooses.

    With `name` and `pin` that person counts, at this terminal.
    """

    id: str
    purpose: CountPurpose
    piles: Piles
    name: str | None = None
    pin: str | None = None


class WaitingCount(Message, frozen=True):
    """Who has counted first. Nobody sees what they counted."""

    by: str
    purpose: CountPurpose
    at_us: int


class CountList(Message, frozen=True):
    waiting: WaitingCount | None
    """The first count, if it waits for the second; else null."""


class CountAnswer(Message, frozen=True):
    """Either the count waits for a second one, or it stands and has the other fields."""

    waiting: WaitingCount | None
    counted_minor: int | None = None
    expected_minor: int | None = None
    """What was on record in the tray before."""
    difference_minor: int | None = None
    """Negative if chips are missing."""
    piles: tuple[ChipPile, ...] = ()
    cursor: Cursor | None = None
    events: tuple[EventView, ...] = ()
