"""Events of the house's stream that auditing brings."""

from punto.floor.journal.event_base import HouseEvent


class VerifyEnded(HouseEvent, frozen=True, tag="verify_ended.1"):
    """A verification of the whole journal ended: see :mod:`punto.floor.audit.jobs`."""

    job: str
    state: str
    """Anything but ``done``: it ended without a result."""
    sound: bool
    entries: int
    faults: int
    first: str
    """Place and code of the first fault."""


class ExportMade(HouseEvent, frozen=True, tag="export_made.1"):
    """A file with what happened in a period was written. Times are 0 where the period has no limit."""

    job: str
    what: str
    form: str
    since_us: int
    until_us: int
    rows: int
    sha256: str


AnyAuditEvent = VerifyEnded | ExportMade
