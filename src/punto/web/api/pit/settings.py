"""The settings of the floor: its gaming day, the thresholds of its alarms, its limits for cash."""

from collections.abc import Mapping

from msgspec import field
from msgspec.structs import replace

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.settings.floor_settings import FloorSettings, change_settings, read_settings
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.settings.thresholds import Thresholds
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import RequestBody


class GamingDayRequest(RequestBody, frozen=True):
    """Zone, hour and shifts are changed together. The first shift starts with the day."""

    zone: str
    starts: str
    shifts: tuple[str, ...]


class SettingsRequest(RequestBody, frozen=True):
    """What is left out stays as it is."""

    gaming_day: GamingDayRequest | None = None
    alarms: dict[str, int] = field(default_factory=dict)
    """Thresholds by name."""
    tray_chips: int | None = None
    large_cash_minor: int | None = None
    complaints: str | None = None
    """Where players complain to the house; empty for none."""
    regulator: str | None = None
    """Where they complain about the house; empty for none."""

    def applied_to(self, settings: FloorSettings) -> FloorSettings:
        day = self.gaming_day
        changes = {name: value for name in _PLAIN if (value := getattr(self, name)) is not None}
        return replace(
            settings,
            gaming_day=settings.gaming_day if day is None else GamingDay(day.zone, day.starts, day.shifts),
            alarms=_with(settings.alarms, self.alarms),
            **changes,
        )


_PLAIN = ("tray_chips", "large_cash_minor", "complaints", "regulator")


def _with(thresholds: Thresholds, changes: Mapping[str, int]) -> Thresholds:
    if unknown := sorted(changes.keys() - set(thresholds.__struct_fields__)):
        raise FloorRefused(FloorCode.BAD_SETTINGS, variant="alarm", name=unknown[0][:40])
    return replace(thresholds, **changes)


async def get(call: HttpRequest) -> FloorSettings:
    return await read_settings(call.service.floor.house_log, call.by)


async def change(call: HttpRequest) -> FloorSettings:
    settings = await change_settings(call.service.floor.house_log, call.by, call.body.applied_to)
    call.service.floor_view.refresh()
    return settings


ENDPOINTS = (
    Endpoint("GET", "/api/settings", get, "Get the settings of the floor", FloorSettings, tag="floor"),
    Endpoint(
        "PUT", "/api/settings", change, "Change settings of the floor", FloorSettings, SettingsRequest, tag="floor"
    ),
)
