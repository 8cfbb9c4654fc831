"""Gaming days as auditors go through them: what is out of the ordinary, and who signed the day off."""

from typing import Annotated, Any

from msgspec import Meta

from punto.floor.journal.event_base import ExceptionKind
from punto.floor.reports.days.sign_offs import MAX_SIGN_OFF_NOTE
from punto.rules.refusals import Clause
from punto.web.messages.base import Message, RequestBody


class DayExceptionView(Message, frozen=True):
    """A command, an entry of the house, or a count that nobody made."""

    kinds: tuple[ExceptionKind, ...]
    at_us: int
    happened_at_us: int | None
    """When it happened, if it was entered later."""
    table: str
    """Empty if it concerns the floor."""
    round: str | None
    """Its name, such as `2-17`; null if it concerns none."""
    incident: int | None
    by: str
    """Empty for a count that nobody made."""
    position: str
    terminal: str
    proposed_by: str | None
    command: str | None
    """The name of the command; null for an entry of the house."""
    events: tuple[dict[str, Any], ...]
    """As they are recorded, each with its tag in `event`."""
    words: tuple[str, ...]
    """The same in the language of the request."""
    reason: str
    """Empty if the words have it."""
    game: str
    """The book whose clauses are cited; empty for the house."""
    clauses: tuple[Clause, ...]


class SignOffView(Message, frozen=True):
    name: str
    position: str
    at_us: int
    exceptions: int
    """How many there were then."""
    note: str


class DaySignOffs(Message, frozen=True):
    day: str
    sign_offs: tuple[SignOffView, ...]
    """The first one first."""


class DayExceptionList(Message, frozen=True):
    day: str
    """The gaming day."""
    shift: int
    """0: the whole day."""
    zone: str
    """Of the floor's clocks."""
    over: bool
    """Whether the day or shift has ended."""
    sign_offs: tuple[SignOffView, ...]
    """Of the whole day."""
    changed_since: bool
    """Whether something was recorded about the day after it was signed off first."""
    total: int
    """Of all kinds."""
    counts: dict[str, int]
    """By kind. One exception may be of several kinds."""
    exceptions: tuple[DayExceptionView, ...]
    """Oldest first, of the kind asked for."""


class SignOffRequest(RequestBody, frozen=True):
    note: Annotated[str, Meta(max_length=MAX_SIGN_OFF_NOTE)] = ""
    despite_open: bool = False
    """You know that incidents of the day are still open. Without it such a day is not signed off."""
