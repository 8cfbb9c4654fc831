"""Verifications and exports, which take a while."""

from msgspec import field

from punto.floor.audit.jobs.job_store import JobKind, JobState, VerifySummary
from punto.floor.reports.export import What
from punto.floor.reports.file_formats import Format
from punto.web.messages.base import Message, RequestBody


class JobRequest(RequestBody, frozen=True):
    """What to start. A verification takes no other field; an export is of everything unless it has a period."""

    kind: JobKind
    what: What | None = None
    format: Format | None = None
    """Without it, CSV."""
    day: str | None = None
    """A gaming day, such as 2026-11-17."""
    shift: int = 0
    """0: the whole day."""
    since: str | None = field(default=None, name="from")
    """The first gaming day, or a moment in ISO 8601."""
    until: str | None = field(default=None, name="to")
    """The last gaming day, or a moment in ISO 8601, which is not included."""

    def __post_init__(self) -> None:
        if self.kind is JobKind.EXPORT and self.what is None:
            raise ValueError("An export needs the field `what`")
        others = (self.what, self.format, self.day, self.shift, self.since, self.until)
        if self.kind is JobKind.VERIFY and any(others):
            raise ValueError("A verification takes no field but `kind`")


class JobExport(Message, frozen=True):
    what: What
    format: Format
    from_us: int | None
    """Null: from the first entry on."""
    to_us: int | None
    """Not included. Null: up to the last entry."""
    rows: int | None
    """Null until it is done, as the next two."""
    size: int | None
    """Of the file, in bytes."""
    sha256: str | None
    file: str | None
    """Where to fetch the file; null if there is none, or none any more."""


class JobView(Message, frozen=True):
    """A verification or an export. It runs in a process of its own, and ends with its server."""

    id: str
    kind: JobKind
    state: JobState
    by: str
    position: str
    at_us: int
    ended_us: int | None
    done: int
    """Entries read so far."""
    total: int
    """Entries to read; 0 until they are counted."""
    problem: str | None
    """Why it failed, if that is known."""
    verified: VerifySummary | None
    """What a verification found. Null until it is done."""
    export: JobExport | None
    """Null for a verification."""


class JobList(Message, frozen=True):
    """The last of each kind, newest first."""

    verifications: tuple[JobView, ...]
    exports: tuple[JobView, ...]
