"""The settings of the floor: its gaming day, its limits for cash, and from where on alarms ring."""

import asyncio
from zoneinfo import available_timezones

from msgspec import Struct
from msgspec.structs import asdict

from punto.catalogue.values import write_money
from punto.floor.settings.floor_settings import (
    MAX_CONTACT_LENGTH,
    MAX_TRAY_CHIPS,
    MAY_CHANGE_SETTINGS,
    FloorSettings,
    read_settings,
)
from punto.floor.settings.gaming_day import DayPart
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page

SETTINGS_PATH = "/pit/settings"
AMOUNT, COUNT = "amount", "count"
UNITS = {"s": "seconds", "min": "minutes", "percent": "percent", "minor": AMOUNT, "deviations": "deviations"}
"""By the last part of a threshold's name; all others count something."""


class ShownThreshold(Struct, frozen=True):
    name: str
    unit: str
    value: str


class SettingsPage(PageContext, frozen=True, kw_only=True):
    template = "settings.html"
    settings: FloorSettings
    now: DayPart
    time: str
    """What the clocks of the floor show."""
    thresholds: tuple[ShownThreshold, ...]
    zones: tuple[str, ...]
    """Empty unless the person may change settings."""
    may_change: bool
    most_chips: int
    most_contact: int


def show_threshold(name: str, value: int) -> ShownThreshold:
    unit = UNITS.get(name.rpartition("_")[2], COUNT)
    return ShownThreshold(name, unit, write_money(value) if unit == AMOUNT else str(value))


async def settings(call: HttpRequest) -> Raw:
    found = await read_settings(call.service.floor.house_log, call.by)
    now_us, day = call.service.floor.clock.now_us(), found.gaming_day
    may_change = call.by.position in MAY_CHANGE_SETTINGS
    context = SettingsPage(
        layout=layout_of(call, "settings", SETTINGS_PATH),
        settings=found,
        now=day.part_of(now_us),
        time=f"{day.local(now_us):%H:%M}",
        thresholds=tuple(show_threshold(*each) for each in asdict(found.alarms).items()),
        zones=await asyncio.to_thread(_zones) if may_change else (),
        may_change=may_change,
        most_chips=MAX_TRAY_CHIPS,
        most_contact=MAX_CONTACT_LENGTH,
    )
    return await page(context, call.language)


def _zones() -> tuple[str, ...]:
    """The zones of places; there are others, which nobody lives by."""
    return tuple(sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/")))


ENDPOINTS = (Endpoint("GET", SETTINGS_PATH, settings, "The settings of the floor", query=PageQuery),)
