"""Events of the house's stream that audits bring."""

from punto.floor.journal.event_base import HouseEvent


class FiguresSeen(HouseEvent, frozen=True, tag="figures_seen.1"):
    """Staff or an auditor looked at figures: see :class:`punto.floor.people.looks.LookKind`."""

    what: str
    of: str
    """The id or place of a player, the name of a dealer, a gaming day or a round; empty for many people at once."""
    table: str = ""
    """Empty if it was about no single table."""


class ProgramChecked(HouseEvent, frozen=True, tag="program_checked.1"):
    """The files of a running program were compared with those it started from, and its packages with their wheels.

    The author of the entry asked for it. The house does so every day.
    """

    process: str
    build: str
    """SHA-256 over the files of the program now."""
    settings: str
    """SHA-256 over the configuration now."""
    same: bool
    changed: tuple[str, ...] = ()
    """The files that differ; of many, the first."""


AnyAuditEvent = FiguresSeen | ProgramChecked
