"""Who acts: the positions people hold this shift, and what a book means by "or above"."""

from enum import StrEnum


class Position(StrEnum):
    """The position in which a command is given."""

    PLAYER = "player"
    DEALER = "dealer"
    PIT_SUPERVISOR = "pit_supervisor"
    PIT_MANAGER = "pit_manager"
    SHIFT_MANAGER = "shift_manager"
    AUDITOR = "auditor"
    """Reads, and never commands."""
    ADMINISTRATOR = "administrator"
    """Looks after accounts, and never after a game."""
    HOUSE = "house"
    """Automation and recovery."""


STAFF = (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER, Position.SHIFT_MANAGER)
PIT = frozenset(STAFF[:3])
"""Those who may bet on a player's behalf."""


def at_least(position: Position) -> frozenset[Position]:
    """That position of the staff and those above it."""
    return frozenset(STAFF[STAFF.index(position) :])


def in_order(positions: frozenset[Position]) -> tuple[Position, ...]:
    """From the lowest to the highest, as a list names them."""
    return tuple(position for position in Position if position in positions)


DEALER_UP = at_least(Position.DEALER)
SUPERVISOR_UP = at_least(Position.PIT_SUPERVISOR)
MANAGER_UP = at_least(Position.PIT_MANAGER)
SHIFT_MANAGER_UP = at_least(Position.SHIFT_MANAGER)
EVERYDAY = DEALER_UP | {Position.HOUSE}
"""The everyday steps of a table, which a machine may take too."""
ADMINISTRATOR_ONLY = frozenset({Position.ADMINISTRATOR})
PIT_OR_PLAYER = PIT | {Position.PLAYER}
EVERYDAY_OR_PLAYER = EVERYDAY | {Position.PLAYER}
