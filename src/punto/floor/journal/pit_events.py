"""Events of the house's stream that the pit and the gaming day bring."""

from punto.floor.journal.event_base import ExceptionKind, HouseEvent, RecordGroup
from punto.table.records.chips import ChipPile
from punto.table.records.positions import (
    ADMINISTRATOR_ONLY,
    DEALER_UP,
    HOUSE_ONLY,
    MANAGER_UP,
    SHIFT_MANAGER_UP,
    SUPERVISOR_UP,
    Position,
)

USUAL_RULING_MINOR = 1_000_00
"""What a ruling moves that takes two people, unless the settings say otherwise."""


class FloorSettingsChanged(HouseEvent, frozen=True, tag="floor_settings_changed.1"):
    """The new settings of the floor: see :class:`punto.floor.settings.floor_settings.FloorSettings`."""

    group = RecordGroup.SETTINGS
    may = SHIFT_MANAGER_UP | ADMINISTRATOR_ONLY
    exception = ExceptionKind.SETTINGS
    replaces = ""

    zone: str
    starts: str
    shifts: tuple[str, ...]
    alarms: dict[str, int]
    """The thresholds by name."""
    tray_chips: int
    large_cash_minor: int
    complaints: str = ""
    regulator: str = ""
    ruling_by_two_minor: int = USUAL_RULING_MINOR
    """The usual value where an earlier release changed the settings."""


class AlarmRaised(HouseEvent, frozen=True, tag="alarm_raised.1"):
    """An alarm of the pit rang: see :class:`punto.floor.house.alarm.Alarm`."""

    group = RecordGroup.ALARMS
    may = HOUSE_ONLY

    number: int
    once: str
    kind: str
    severity: int
    table: str
    opening: int
    round: int
    subject: str
    at_us: int
    values: dict[str, int | str | tuple[str, ...]]


class AlarmEscalated(HouseEvent, frozen=True, tag="alarm_escalated.1"):
    """Nobody acknowledged an alarm in time, and it became more severe."""

    group = RecordGroup.ALARMS
    may = HOUSE_ONLY

    number: int
    severity: int
    at_us: int


class AlarmAcknowledged(HouseEvent, frozen=True, tag="alarm_acknowledged.1"):
    """Somebody of the pit, who wrote this entry, deals with the alarm."""

    group = RecordGroup.ALARMS
    may = SUPERVISOR_UP
    variants = (("note", lambda event: event.note != ""),)

    number: int
    note: str
    at_us: int


class AlarmEnded(HouseEvent, frozen=True, tag="alarm_ended.1"):
    """The cause of an alarm ended before anybody acknowledged it."""

    group = RecordGroup.ALARMS
    may = HOUSE_ONLY

    number: int
    at_us: int


class TableTitled(HouseEvent, frozen=True, tag="table_titled.1"):
    """A table has another title. Its name, by which records know it, stays."""

    group = RecordGroup.SETTINGS
    may = MANAGER_UP
    replaces = "table"
    variants = (("name", lambda event: not event.title),)

    table: str
    title: str
    """Empty if it is called by its name again."""


class FirstCountMade(HouseEvent, frozen=True, tag="first_count_made.1"):
    """Somebody counted a table's tray first. What they counted is sealed until somebody else has counted.

    It takes the place of an earlier one of the table. Whose entry it is counted.
    """

    group = RecordGroup.TABLES
    may = DEALER_UP
    secret = ("commitment",)

    table: str
    stream: str
    count: str
    """Its id."""
    commitment: str
    """See :func:`punto.floor.house.projections.counts.count_commitment`."""


class CountsAgreed(HouseEvent, frozen=True, tag="counts_agreed.1"):
    """Somebody counted the same as the first, in the same transaction as the count of the table's stream."""

    group = RecordGroup.TABLES
    may = DEALER_UP
    secret = ("nonce",)

    table: str
    count: str
    """The id of the first count."""
    nonce: str
    """Opens its commitment."""
    command_id: str
    """Of the count that both have signed."""
    tray_minor: int
    """What was on record in the tray at the first count."""


class CountsDiffered(HouseEvent, frozen=True, tag="counts_differed.1"):
    """Two people counted a table's tray and did not agree. Neither count stands. Whose entry it is counted second."""

    group = RecordGroup.TABLES
    may = DEALER_UP
    exception = ExceptionKind.COUNT_DIFFERED
    secret = ("nonce",)

    table: str
    purpose: str
    first_by: str
    first_minor: int
    second_minor: int
    differing: tuple[tuple[int, int, int], ...] = ()
    """For each denomination that differs: its value, how many chips were counted first, and how many second."""
    count: str = ""
    """The id of the first count; empty in journals of releases before 0.11.0, as what follows."""
    nonce: str = ""
    first_piles: tuple[ChipPile, ...] = ()
    tray_minor: int = 0
    """What was on record in the tray at the first count."""


class ShoeStepTaken(HouseEvent, frozen=True, tag="shoe_step_taken.1"):
    """A step in the life of a real shoe: see :mod:`punto.floor.shoes.shoe_register`."""

    group = RecordGroup.SHOES
    may = DEALER_UP
    exception = ExceptionKind.SHOE
    variants = (("unfit", lambda event: event.problem != ""),)

    shoe: str
    step: str
    table: str = ""
    """Where it was loaded."""
    problem: str = ""
    """Why it should not have been loaded; empty if it was fit for use."""
    note: str = ""
    decks: int = 0
    maker: str = ""
    batch: str = ""

    @property
    def ordinary(self) -> bool:
        return not self.problem


class PlayerCodeIssued(HouseEvent, frozen=True, tag="player_code_issued.1"):
    """A registered player got a code to sign in at a table. The code before it, if it was not used, is void."""

    group = RecordGroup.PLAYERS
    may = DEALER_UP
    secret = ("fingerprint",)

    player: str
    table: str
    fingerprint: str
    """Of the hash of the code."""
    expires_us: int


class PlayerCodeUsed(HouseEvent, frozen=True, tag="player_code_used.1"):
    """A player signed in with their code, which is then void. Their session before it has ended."""

    group = RecordGroup.PLAYERS
    may = frozenset({Position.PLAYER})
    secret = ("session",)

    player: str
    table: str
    session: str
    """Key of the new session."""
    expires_us: int


class PlayerCodeRevoked(HouseEvent, frozen=True, tag="player_code_revoked.1"):
    """The code of a player is void, and their session has ended."""

    group = RecordGroup.PLAYERS
    may = SUPERVISOR_UP | ADMINISTRATOR_ONLY

    player: str


AnyPitEvent = (
    FloorSettingsChanged
    | TableTitled
    | AlarmRaised
    | AlarmEscalated
    | AlarmAcknowledged
    | AlarmEnded
    | CountsAgreed
    | CountsDiffered
    | FirstCountMade
    | ShoeStepTaken
    | PlayerCodeIssued
    | PlayerCodeUsed
    | PlayerCodeRevoked
)
