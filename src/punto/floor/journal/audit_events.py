"""Events of the house's stream that audits bring."""

from punto.floor.journal.event_base import HouseEvent


class FiguresSeen(HouseEvent, frozen=True, tag="figures_seen.1"):
    """Staff or an auditor looked at figures: see :class:`punto.floor.people.looks.LookKind`."""

    what: str
    of: str
    """The id or place of a player, the name of a dealer, a gaming day or a round; empty for many people at once."""
    table: str = ""
    """Empty if it was about no single table."""


AnyAuditEvent = FiguresSeen
