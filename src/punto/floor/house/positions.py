"""Positions that can be assigned for a shift."""

from punto.table.records.positions import MANAGER_UP, STAFF, Position

OFF = "off"
"""Written instead of a position for somebody off duty."""
ASSIGNABLE = (*STAFF, Position.AUDITOR, Position.ADMINISTRATOR)
"""Positions that an account can have. Player and house are never assigned."""
FOR_MACHINES = (*STAFF, Position.AUDITOR)
"""A machine deals or reads. It never manages accounts."""
MAY_AUDIT = MANAGER_UP | {Position.AUDITOR}
"""Positions that work at the auditor's desk."""
WITH_TOTP = frozenset({Position.ADMINISTRATOR, Position.SHIFT_MANAGER, Position.CASINO_MANAGER})
"""Positions for which the floor's rules can require TOTP."""


def position_of(text: str) -> Position | None:
    """Parse a stored position; None for any text that is not an assignable position."""
    return Position(text) if text in ASSIGNABLE else None
