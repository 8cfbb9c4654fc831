"""Events of the house's stream that the audit brings."""

from punto.floor.journal.event_base import HouseEvent


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


AnyAuditEvent = ProgramChecked
