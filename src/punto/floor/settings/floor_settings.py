"""The settings of a floor. The house's stream has every change of them."""

from collections.abc import Callable
from zoneinfo import available_timezones

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from punto.catalogue.values import Money
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import Change, HouseLog, Judge
from punto.floor.house.projection import Stored
from punto.floor.house.projections.settings import FLOOR_SETTINGS_KEY, find_setting
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import NO_CONTEXT, write
from punto.floor.journal.pit_events import USUAL_RULING_MINOR, FloorSettingsChanged
from punto.floor.settings.gaming_day import GamingDay, clock_time
from punto.floor.settings.thresholds import Thresholds
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import ADMINISTRATOR_ONLY, DEALER_UP, SHIFT_MANAGER_UP, Position

MAY_READ_SETTINGS = DEALER_UP | {Position.AUDITOR, Position.ADMINISTRATOR}
MAY_CHANGE_SETTINGS = SHIFT_MANAGER_UP | ADMINISTRATOR_ONLY
MAX_SHIFTS = 12
MAX_TRAY_CHIPS = 1_000_000
MAX_CONTACT_LENGTH = 500


class FloorSettings(Struct, frozen=True, forbid_unknown_fields=True):
    gaming_day: GamingDay = field(default_factory=GamingDay)
    alarms: Thresholds = field(default_factory=Thresholds)
    tray_chips: int = 1_000
    """How many of the largest chip a table can hold: no buy-in and no cash-out is worth more."""
    large_cash_minor: int = 20_000_00
    """Cash of one player on a gaming day that the house has to report; 0 for none."""
    ruling_by_two_minor: int = USUAL_RULING_MINOR
    """A ruling that moves this much or more at a table for money needs two people; 0: none does."""
    complaints: str = ""
    """Where a player complains to the house, in lines that the page on complaints shows; empty: not said."""
    regulator: str = ""
    """The same for the authority that supervises the house."""


class NewGamingDay(Struct, frozen=True, forbid_unknown_fields=True):
    """Zone, hour and shifts are changed together. The first shift starts with the day."""

    zone: str
    starts: str
    shifts: tuple[str, ...]


class SettingsChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is left out stays as it is."""

    gaming_day: NewGamingDay | None = None
    alarms: dict[str, int] = field(default_factory=dict)
    """Thresholds by name."""
    tray_chips: int | None = None
    large_cash_minor: int | None = None
    ruling_by_two_minor: int | None = None
    complaints: str | None = None
    """Where players complain to the house; empty for none."""
    regulator: str | None = None
    """Where they complain about the house; empty for none."""

    def applied_to(self, settings: FloorSettings) -> FloorSettings:
        changes = {name: value for name in _PLAIN if (value := getattr(self, name)) is not None}
        if self.gaming_day is not None:
            changes["gaming_day"] = GamingDay(**asdict(self.gaming_day))
        if unknown := sorted(self.alarms.keys() - set(settings.alarms.__struct_fields__)):
            raise FloorRefused(FloorCode.BAD_SETTINGS, variant="alarm", name=unknown[0][:40])
        return replace(settings, alarms=replace(settings.alarms, **self.alarms), **changes)


_PLAIN = ("tray_chips", "large_cash_minor", "ruling_by_two_minor", "complaints", "regulator")


def by_two(before: FloorSettings, after: FloorSettings) -> bool:
    """Whether a change needs two people: all but where players complain."""
    return replace(after, complaints=before.complaints, regulator=before.regulator) != before


async def read_settings(log: HouseLog, by: Actor) -> FloorSettings:
    await log.require(by, MAY_READ_SETTINGS, "read_settings")
    return await log.database.read(find_settings)


SettingsAfter = Callable[[FloorSettings], FloorSettings]


async def change_settings(
    log: HouseLog, by: Actor, settings_after: SettingsAfter, judge: Judge = lambda _: NO_CONTEXT
) -> FloorSettings:
    """Change the settings from what they are. Records of the past stay; reports of it use the new gaming day."""
    await log.require(by, MAY_CHANGE_SETTINGS, "change_settings")
    return await log.change(by, settings_change(settings_after), judge)


def settings_change(settings_after: SettingsAfter) -> Change[FloorSettings]:
    """The change as a job of the database."""

    def change(transaction: Transaction) -> tuple[FloorSettings, list[Stored]]:
        before = find_settings(transaction)
        settings = settings_after(before)
        check_settings(settings)
        if settings == before:
            return settings, []
        return settings, [Stored(as_event(settings), {"value": write(settings)})]

    return change


def check_settings(settings: FloorSettings) -> None:
    """Refuse settings that no floor can have."""
    _check_gaming_day(settings.gaming_day)
    for name, value in asdict(settings.alarms).items():
        if not 0 <= value <= MAX_AMOUNT_MINOR:
            raise FloorRefused(FloorCode.BAD_SETTINGS, variant="threshold", name=name, most=MAX_AMOUNT_MINOR)
    if settings.alarms.tray_low_percent > 100:
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="threshold", name="tray_low_percent", most=100)
    if not 1 <= settings.tray_chips <= MAX_TRAY_CHIPS:
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="tray", most=MAX_TRAY_CHIPS)
    if not all(0 <= minor <= MAX_AMOUNT_MINOR for minor in (settings.large_cash_minor, settings.ruling_by_two_minor)):
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="cash", most=Money(MAX_AMOUNT_MINOR))
    for text in (settings.complaints, settings.regulator):
        if len(text) > MAX_CONTACT_LENGTH or not all(line.isprintable() for line in text.split("\n")):
            raise FloorRefused(FloorCode.BAD_SETTINGS, variant="contact", most=MAX_CONTACT_LENGTH)


def _check_gaming_day(day: GamingDay) -> None:
    if day.zone not in available_timezones():
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="zone", zone=day.zone[:40])
    for text in (day.starts, *day.shifts):
        if clock_time(text) is None:
            raise FloorRefused(FloorCode.BAD_SETTINGS, variant="hour", text=text[:40])
    if not 1 <= len(day.shifts) <= MAX_SHIFTS:
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="number", most=MAX_SHIFTS, shifts=len(day.shifts))
    if day.shifts[0] != day.starts:
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="first", starts=day.starts, shift=day.shifts[0])
    in_turn = sorted(set(day.shifts), key=lambda text: (text < day.starts, text))
    if list(day.shifts) != in_turn:
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="overlap", shifts=", ".join(day.shifts))


def find_settings(transaction: Transaction) -> FloorSettings:
    stored = find_setting(transaction, FLOOR_SETTINGS_KEY)
    return msgspec.json.decode(stored, type=FloorSettings) if stored else FloorSettings()


def as_event(settings: FloorSettings) -> FloorSettingsChanged:
    """The settings as the house's stream has them."""
    day = settings.gaming_day
    return FloorSettingsChanged(
        zone=day.zone,
        starts=day.starts,
        shifts=day.shifts,
        alarms=asdict(settings.alarms),
        tray_chips=settings.tray_chips,
        large_cash_minor=settings.large_cash_minor,
        complaints=settings.complaints,
        regulator=settings.regulator,
        ruling_by_two_minor=settings.ruling_by_two_minor,
    )


def settings_on_record(event: FloorSettingsChanged) -> FloorSettings:
    """The settings that an event records. One of an earlier release leaves out what is newer."""
    return FloorSettings(
        gaming_day=GamingDay(event.zone, event.starts, event.shifts),
        alarms=msgspec.convert(event.alarms, Thresholds),
        tray_chips=event.tray_chips,
        large_cash_minor=event.large_cash_minor,
        complaints=event.complaints,
        regulator=event.regulator,
        ruling_by_two_minor=event.ruling_by_two_minor,
    )
