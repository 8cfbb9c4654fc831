"""Who acts on a floor, and how the record names them."""

from secrets import token_hex
from typing import Protocol

from msgspec import Struct

from punto.floor.clock import Clock
from punto.floor.journal.command_ids import HOUSE_ID
from punto.floor.journal.entry import Said
from punto.table.records.positions import Position


class Actor(Struct, frozen=True):
    """Who acts, and in which position: from their session, never from what they send."""

    name: str
    position: Position


THE_HOUSE = Actor("house", Position.HOUSE)


class OnRecord(Protocol):
    """Who did it and in which position, as the record has it: an :class:`Actor`, or somebody off duty."""

    @property
    def name(self) -> str:
        """As they are called."""

    @property
    def position(self) -> str:
        """The position they held, or that they were off duty."""


def said_by(by: OnRecord, clock: Clock) -> Said:
    """Of events that no command of a table has brought about."""
    now_us = clock.now_us()
    return Said(now_us, by.name, by.position, f"{HOUSE_ID}{now_us}:{token_hex(8)}", "", "")
