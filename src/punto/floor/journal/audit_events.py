"""Events of the house's stream that audits bring."""

from punto.floor.journal.event_base import HouseEvent


class DaySignedOff(HouseEvent, frozen=True, tag="day_signed_off.1"):
    """The person who wrote this entry has gone through a gaming day that was over."""

    day: str
    """Its date."""
    since_us: int
    until_us: int
    """Not included."""
    exceptions: int
    """How many commands and facts were out of the ordinary in it then."""
    heads: dict[str, tuple[int, str]]
    """Version and hash of the last entry then, by stream: of the tables that were open in the day."""
    at_us: int
    note: str = ""


class FiguresSeen(HouseEvent, frozen=True, tag="figures_seen.1"):
    """Staff or an auditor looked at figures: see :class:`punto.floor.people.looks.LookKind`."""

    what: str
    of: str
    """The id or place of a player, the name of a dealer, a gaming day or a round; empty for many people at once."""
    table: str = ""
    """Empty if it was about no single table."""


AnyAuditEvent = DaySignedOff | FiguresSeen
