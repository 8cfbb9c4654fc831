"""The settings of a floor. The house's stream has every change of them."""

from collections.abc import Callable
from zoneinfo import available_timezones

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from punto.catalogue.values import Money
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import write
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.house_log import HouseLog
from punto.floor.journal.pit_events import FloorSettingsChanged
from punto.floor.settings.gaming_day import GamingDay, clock_time
from punto.floor.settings.thresholds import Thresholds
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import ADMINISTRATOR_ONLY, DEALER_UP, SHIFT_MANAGER_UP, Position

FLOOR_SETTINGS_KEY = "floor_settings"
"""Name of the row in the table ``meta``."""
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
    complaints: str = ""
    """Where a player complains to the house, in lines that the page on complaints shows; empty: not said."""
    regulator: str = ""
    """The same for the authority that supervises the house."""


async def read_settings(log: HouseLog, by: Actor) -> FloorSettings:
    await log.require(by, MAY_READ_SETTINGS, "read_settings")
    return await log.database.read(find_settings)


async def change_settings(
    log: HouseLog, by: Actor, settings_after: Callable[[FloorSettings], FloorSettings]
) -> FloorSettings:
    """Change the settings from what they are. Records of the past stay; reports of it use the new gaming day."""
    await log.require(by, MAY_CHANGE_SETTINGS, "change_settings")

    def change(transaction: Transaction) -> tuple[FloorSettings, list[HouseEvent]]:
        before = find_settings(transaction)
        settings = settings_after(before)
        check_settings(settings)
        if settings == before:
            return settings, []
        transaction.change("DELETE FROM meta WHERE name = ?", (FLOOR_SETTINGS_KEY,))
        transaction.many("INSERT INTO meta (name, value) VALUES (?, ?)", [(FLOOR_SETTINGS_KEY, write(settings))])
        return settings, [as_event(settings)]

    return await log.change(by, change)


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
    if not 0 <= settings.large_cash_minor <= MAX_AMOUNT_MINOR:
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
    rows = transaction.rows("SELECT value FROM meta WHERE name = ?", (FLOOR_SETTINGS_KEY,))
    return msgspec.json.decode(rows[0][0], type=FloorSettings) if rows else FloorSettings()


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
    )
