"""The positions people hold, and what a book means by "or above"."""

from enum import StrEnum
from functools import cache


class Position(StrEnum):
    """The position of the person who gives a command."""

    PLAYER = "player"
    DEALER = "dealer"
    PIT_SUPERVISOR = "pit_supervisor"
    PIT_MANAGER = "pit_manager"
    SHIFT_MANAGER = "shift_manager"
    CASINO_MANAGER = "casino_manager"
    AUDITOR = "auditor"
    """Reads only."""
    ADMINISTRATOR = "administrator"
    """Manages accounts, never a game."""
    HOUSE = "house"
    """Automation and recovery."""


STAFF = (
    Position.DEALER,
    Position.PIT_SUPERVISOR,
    Position.PIT_MANAGER,
    Position.SHIFT_MANAGER,
    Position.CASINO_MANAGER,
)
"""From the lowest to the highest."""
PIT = frozenset(STAFF[:3])
"""Positions that can bet for a player."""


@cache
def at_least(position: Position) -> frozenset[Position]:
    """A staff position and those above it."""
    return frozenset(STAFF[STAFF.index(position) :])


@cache
def in_order(positions: frozenset[Position]) -> tuple[Position, ...]:
    """From the lowest to the highest, as a list names them."""
    return tuple(position for position in Position if position in positions)


DEALER_UP = at_least(Position.DEALER)
SUPERVISOR_UP = at_least(Position.PIT_SUPERVISOR)
MANAGER_UP = at_least(Position.PIT_MANAGER)
SHIFT_MANAGER_UP = at_least(Position.SHIFT_MANAGER)
EVERYDAY = DEALER_UP | {Position.HOUSE}
"""Positions for routine steps, which automation can take too."""
HOUSE_ONLY = frozenset({Position.HOUSE})
ADMINISTRATOR_ONLY = frozenset({Position.ADMINISTRATOR})
PIT_OR_PLAYER = PIT | {Position.PLAYER}
EVERYDAY_OR_PLAYER = EVERYDAY | {Position.PLAYER}
