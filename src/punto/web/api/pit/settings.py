"""The settings of the floor: its gaming day, the thresholds of its alarms, its limits for cash and rulings."""

from punto.floor.settings.floor_settings import FloorSettings, SettingsChange, read_settings
from punto.web.http.endpoint import Endpoint, HttpRequest


async def get(call: HttpRequest) -> FloorSettings:
    return await read_settings(call.service.floor.house_log, call.by)


async def change(call: HttpRequest) -> FloorSettings:
    """Change settings as one person. What needs two is refused, unless the floor has no second one."""
    settings = await call.service.acts.change_settings_alone(call.by, call.body.applied_to)
    call.service.floor_view.refresh()
    return settings


ENDPOINTS = (
    Endpoint("GET", "/api/settings", get, "Get the settings of the floor", FloorSettings, tag="floor"),
    Endpoint(
        "PUT", "/api/settings", change, "Change settings of the floor", FloorSettings, SettingsChange, tag="floor"
    ),
)
