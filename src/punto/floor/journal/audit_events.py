"""Events of the house's stream that audits bring."""

from punto.floor.journal.event_base import ExceptionKind, HouseEvent, RecordGroup
from punto.table.records.positions import HOUSE_ONLY, MANAGER_UP, SHIFT_MANAGER_UP, Position


class GamingStopped(HouseEvent, frozen=True, tag="gaming_stopped.1"):
    """Somebody stopped all gaming, one game or one person: see :mod:`punto.floor.running.gaming_stops`."""

    group = RecordGroup.STOPS
    may = MANAGER_UP
    exception = ExceptionKind.STOP
    variants = (
        ("all", lambda event: event.scope == "all"),
        ("game", lambda event: event.scope == "game"),
        ("player", lambda event: event.scope == "player"),
        ("staff", lambda event: event.scope == "staff"),
    )

    number: int
    scope: str
    of: str
    """The book, the player or the account; empty for all gaming."""
    reason: str
    at_us: int


class GamingReleased(HouseEvent, frozen=True, tag="gaming_released.1"):
    """A stop is over. Whose entry it is released it."""

    group = RecordGroup.STOPS
    may = MANAGER_UP
    exception = ExceptionKind.STOP

    number: int
    reason: str
    at_us: int


class PlayedWhileStopped(HouseEvent, frozen=True, tag="played_while_stopped.1"):
    """At a felt table something was entered that a stop forbids. It happened, so it is recorded all the same."""

    group = RecordGroup.STOPS
    exception = ExceptionKind.STOP

    number: int
    """Of the stop."""
    table: str
    stream: str
    round: int
    command: str
    who: str = ""
    """The player who is stopped; empty if it is all gaming or a game."""


class ComplaintMade(HouseEvent, frozen=True, tag="complaint_made.1"):
    """A player, whose entry it is, complains about a round. The text is theirs."""

    group = RecordGroup.PLAYERS
    may = frozenset({Position.PLAYER})
    looked_at = True
    exception = ExceptionKind.COMPLAINT

    table: str
    stream: str
    round: int
    text: str


class DaySignedOff(HouseEvent, frozen=True, tag="day_signed_off.1"):
    """The person who wrote this entry has gone through a gaming day that was over."""

    group = RecordGroup.AUDIT
    may = SHIFT_MANAGER_UP | {Position.AUDITOR}

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

    group = RecordGroup.AUDIT
    variants = (
        ("many", lambda event: not event.of),
        ("at", lambda event: event.table != ""),
    )

    what: str
    of: str
    """The id or place of a player, the name of a dealer, a gaming day or a round; empty for many people at once."""
    table: str = ""
    """Empty if it was about no single table."""


class GeneratorFailed(HouseEvent, frozen=True, tag="generator_failed.1"):
    """The random generator failed: see :class:`punto.floor.shoes.generator_check.GeneratorFault`."""

    group = RecordGroup.PROGRAM
    may = HOUSE_ONLY
    looked_at = True
    exception = ExceptionKind.MACHINE

    test: str


class PackMade(HouseEvent, frozen=True, tag="pack_made.1"):
    """Somebody took an incident pack of a round away: see :mod:`punto.floor.audit.packs.pack`."""

    group = RecordGroup.AUDIT
    may = MANAGER_UP | {Position.AUDITOR}

    table: str
    opening: int
    round: int
    head: int
    """Version of the entry that its chain leads to."""
    sha256: str
    """Of the file."""


class JournalSigned(HouseEvent, frozen=True, tag="journal_signed.1"):
    """Entries that were not signed with this key, because of a migration or a restore, were signed by their heads.

    It shows that nothing was changed since, and nothing about the time before: see :mod:`punto.floor.house.signing`.
    """

    group = RecordGroup.PROGRAM
    may = HOUSE_ONLY
    exception = ExceptionKind.PROGRAM

    public_key: str
    entries: int


class ProgramChecked(HouseEvent, frozen=True, tag="program_checked.1"):
    """The files of a running program were compared with those it started from, and its packages with their wheels.

    The author of the entry asked for it. The house does so every day.
    """

    group = RecordGroup.PROGRAM
    may = MANAGER_UP | {Position.AUDITOR} | HOUSE_ONLY
    exception = ExceptionKind.PROGRAM
    variants = (("same", lambda event: event.same),)

    process: str
    build: str
    """SHA-256 over the files of the program now."""
    settings: str
    """SHA-256 over the configuration now."""
    same: bool
    changed: tuple[str, ...] = ()
    """The files that differ; of many, the first."""

    @property
    def ordinary(self) -> bool:
        return self.same


class VerifyEnded(HouseEvent, frozen=True, tag="verify_ended.1"):
    """A verification of the whole journal ended: see :mod:`punto.floor.audit.jobs.jobs`."""

    group = RecordGroup.AUDIT
    may = MANAGER_UP | {Position.AUDITOR} | HOUSE_ONLY
    exception = ExceptionKind.FAULTS
    variants = (
        ("faults", lambda event: event.faults > 0),
        ("without", lambda event: not event.sound),
    )

    job: str
    state: str
    """Anything but ``done``: it ended without a result."""
    sound: bool
    entries: int
    faults: int
    first: str
    """Place and code of the first fault."""

    @property
    def ordinary(self) -> bool:
        return self.faults == 0


class ExportMade(HouseEvent, frozen=True, tag="export_made.1"):
    """A file with what happened in a period was written. Times are 0 where the period has no limit."""

    group = RecordGroup.AUDIT
    may = MANAGER_UP | {Position.AUDITOR}

    job: str
    what: str
    form: str
    since_us: int
    until_us: int
    rows: int
    sha256: str


AnyAuditEvent = (
    ComplaintMade
    | DaySignedOff
    | ExportMade
    | FiguresSeen
    | GamingReleased
    | GamingStopped
    | GeneratorFailed
    | JournalSigned
    | PackMade
    | PlayedWhileStopped
    | ProgramChecked
    | VerifyEnded
)
