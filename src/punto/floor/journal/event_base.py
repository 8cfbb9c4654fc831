"""What the events of the house's stream have in common, and what each kind says of itself."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, ClassVar

from msgspec import Struct

from punto.table.records.positions import Position

OFFICERS = frozenset({Position.ADMINISTRATOR, Position.SHIFT_MANAGER})
"""Of these, two together create accounts, assign positions, reset passwords, issue tokens and restore backups."""


class RecordGroup(StrEnum):
    """Under which heading readers of the house's record find an event."""

    SIGN_INS = "sign_ins"
    ACCOUNTS = "accounts"
    REFUSALS = "refusals"
    PROGRAM = "program"
    SETTINGS = "settings"
    TABLES = "tables"
    SHOES = "shoes"
    DUTY = "duty"
    PROPOSALS = "proposals"
    PLAYERS = "players"
    ALARMS = "alarms"
    STOPS = "stops"
    AUDIT = "audit"


class ExceptionKind(StrEnum):
    """What is out of the ordinary in a gaming day."""

    CORRECTION = "correction"
    VOID = "void"
    RULING = "ruling"
    MISSED_INSURANCE = "missed_insurance"
    UNDER_MINIMUM = "under_minimum"
    """A bet below the minimum played."""
    PRO_RATA = "pro_rata"
    """A part of a bet played."""
    NOT_VERIFIED = "not_verified"
    """Payouts over the threshold."""
    ENTERED_LATER = "entered_later"
    ALONE = "alone"
    """One person did what needs two."""
    SIGNED_DAY = "signed_day"
    """It was recorded about a day after that was signed off."""
    COUNT_DIFFERED = "count_differed"
    COUNT_MISSING = "count_missing"
    """An opener or closer that nobody counted and signed."""
    RESTART = "restart"
    """Starts, restores, and tables that were taken over."""
    SHOE = "shoe"
    LOCKED = "locked"
    """Accounts, players and PINs after too many wrong tries."""
    MACHINE = "machine"
    PROGRAM = "program"
    STOP = "stop"
    """Gaming was stopped or released, or went on although it was stopped."""
    SETTINGS = "settings"
    """Of the floor: rules, settings, chips, readings."""
    FAULTS = "faults"
    """A verification of the journal found some."""
    COMPLAINT = "complaint"
    """Of a player, about a round."""


class HouseEvent(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    """An event that concerns the floor rather than one table. Each kind says on its class who looks for it where."""

    group: ClassVar[RecordGroup]
    may: ClassVar[frozenset[Position] | None] = None
    """The positions whose acts lead to it; None: those of everybody."""
    looked_at: ClassVar[bool] = False
    """Whether an auditor looks at every event of this kind first."""
    exception: ClassVar[ExceptionKind | None] = None
    """What is out of the ordinary about it in a gaming day."""
    replaces: ClassVar[str | None] = None
    """The field with the subject whose last event of this kind it replaces; empty if the floor has one subject."""
    secret: ClassVar[tuple[str, ...]] = ()
    """Fields with hashes of what is secret, or with what something was sealed by: readers need only how they start."""
    variants: ClassVar[tuple[tuple[str, Callable[[Any], bool]], ...]] = ()
    """Sentences of its own for events with such fields, the first that holds."""

    @property
    def ordinary(self) -> bool:
        """Whether this one is not out of the ordinary, though others of its kind are."""
        return False

    @property
    def variant(self) -> str:
        """Which of its sentences it has; empty: the usual one."""
        return next((name for name, holds in self.variants if holds(self)), "")
