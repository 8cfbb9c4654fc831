"""The position somebody holds this shift, or none."""

from punto.table.records.positions import STAFF, Position

OFF = "off"
"""In place of a position: none this shift."""
ASSIGNABLE = (*STAFF, Position.AUDITOR, Position.ADMINISTRATOR)
"""The positions that somebody can hold. Player and house are nobody's by assignment."""
FOR_MACHINES = (*STAFF, Position.AUDITOR)
"""A machine deals or reads; it never looks after accounts."""


def position_of(text: str) -> Position | None:
    """A position as it is written down: one that can be assigned, or none, whatever stands there."""
    return Position(text) if text in ASSIGNABLE else None
