"""The settings of a floor: who changes them, what is refused, and what is on record."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import read_house_event
from punto.floor.journal.pit_events import FloorSettingsChanged
from punto.floor.settings.floor_settings import (
    MAX_CONTACT_LENGTH,
    MAX_TRAY_CHIPS,
    FloorSettings,
    as_event,
    change_settings,
    read_settings,
    settings_on_record,
)
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.settings.thresholds import Thresholds
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.nights import opened
from tests.floor.staff_floor import ADMINISTRATOR, DEALER, SUPERVISOR, Staffed, refused, run

SHIFT_MANAGER = Actor("sid", Position.SHIFT_MANAGER)
AUDITOR = Actor("aud", Position.AUDITOR)
MACAU = GamingDay("Asia/Macau", "06:00", ("06:00", "14:00", "22:00"))


def test_a_floor_has_the_usual_settings_until_the_house_changes_them(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        log = house.floor.house_log
        assert await read_settings(log, DEALER) == FloorSettings()
        for by in (SHIFT_MANAGER, ADMINISTRATOR):  # the second time nothing changes
            after = await change_settings(log, by, lambda settings: replace(settings, gaming_day=MACAU))
        assert after == FloorSettings(gaming_day=MACAU) == await read_settings(log, AUDITOR)
        changes = await house.told(FloorSettingsChanged)
        assert changes == [("sid", "shift_manager", as_event(after))]
        await refused(change_settings(log, SUPERVISOR, lambda settings: settings), TableCode.NOT_AUTHORISED)
        await refused(read_settings(log, Actor("vera", Position.PLAYER)), TableCode.NOT_AUTHORISED)

    run(database_url, test)


def day(*shifts: str, zone: str = "Asia/Singapore", starts: str = "08:00") -> FloorSettings:
    return FloorSettings(gaming_day=GamingDay(zone, starts, shifts))


@pytest.mark.parametrize(
    ("settings", "variant"),
    [
        (day("08:00", zone="Asia/Atlantis"), "zone"),
        (day("08:00", zone=""), "zone"),
        (day("08:00", zone="../../etc/passwd"), "zone"),
        (day("08:00", zone="/usr/share/zoneinfo/UTC"), "zone"),
        (day("08:00", zone="Asia"), "zone"),
        (day("08:00", starts="8:00"), "hour"),
        (day("08:00", starts="24:00"), "hour"),
        (day("08:00", starts="08:00:30"), "hour"),
        (day("08:00", starts="08:00Z"), "hour"),
        (day("08:00", "16h"), "hour"),
        (day(), "number"),
        (day("08:00", *(f"{hour:02}:30" for hour in range(8, 20))), "number"),
        (day("07:00", "16:00"), "first"),
        (day("08:00", "16:00", "16:00"), "overlap"),
        (day("08:00", "00:00", "16:00"), "overlap"),
        (day("08:00", "16:00", "08:00"), "overlap"),
        (FloorSettings(alarms=Thresholds(round_s=-1)), "threshold"),
        (FloorSettings(alarms=Thresholds(big_bet_minor=MAX_AMOUNT_MINOR + 1)), "threshold"),
        (FloorSettings(alarms=Thresholds(tray_low_percent=101)), "threshold"),
        (FloorSettings(tray_chips=0), "tray"),
        (FloorSettings(tray_chips=MAX_TRAY_CHIPS + 1), "tray"),
        (FloorSettings(large_cash_minor=-1), "cash"),
        (FloorSettings(complaints="x" * (MAX_CONTACT_LENGTH + 1)), "contact"),
        (FloorSettings(regulator="a\x00b"), "contact"),
        (FloorSettings(large_cash_minor=MAX_AMOUNT_MINOR + 1), "cash"),
    ],
)
def test_settings_that_no_floor_has_are_refused(tmp_path: Path, settings: FloorSettings, variant: str) -> None:
    async def test(house: Staffed) -> None:
        waiting = change_settings(house.floor.house_log, SHIFT_MANAGER, lambda _: settings)
        assert (await refused(waiting, FloorCode.BAD_SETTINGS)).refusal.variant == variant
        assert await read_settings(house.floor.house_log, SHIFT_MANAGER) == FloorSettings()

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize(
    "settings",
    [
        day("08:00"),
        day("08:00", "20:00"),
        day("22:30", "06:30", "14:30", starts="22:30"),
        day("00:00", "12:00", starts="00:00", zone="America/Argentina/Buenos_Aires"),
        FloorSettings(alarms=Thresholds(**dict.fromkeys(Thresholds.__struct_fields__, 0)), large_cash_minor=0),
    ],
)
def test_settings_that_a_floor_can_have(tmp_path: Path, settings: FloorSettings) -> None:
    async def test(house: Staffed) -> None:
        assert await change_settings(house.floor.house_log, SHIFT_MANAGER, lambda _: settings) == settings
        assert await read_settings(house.floor.house_log, SHIFT_MANAGER) == settings

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE meta SET value = replace(value, '06:00', '05:00') WHERE name = 'floor_settings'",
        "UPDATE meta SET value = 'none' WHERE name = 'floor_settings'",
        "DELETE FROM meta WHERE name = 'floor_settings'",
    ],
)
def test_verify_finds_other_settings(database_url: str, change: str) -> None:
    async def test(house: Staffed) -> None:
        await change_settings(house.floor.house_log, SHIFT_MANAGER, lambda _: FloorSettings(gaming_day=MACAU))

    run(database_url, test)
    with opened(database_url) as database:
        assert verify(database).faults == []
    tamper(database_url, (change, ()))
    with opened(database_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.SETTINGS_DIFFER]


def test_settings_of_an_earlier_release_have_the_usual_values_of_what_is_newer() -> None:
    settings = FloorSettings(gaming_day=MACAU, alarms=Thresholds(round_s=200), complaints="desk 4\n+65 6000 0000")
    event = as_event(settings)
    assert settings_on_record(event) == settings
    older = {
        name: value for name, value in event.alarms.items() if name not in ("clock_differs_s", "return_deviations")
    }
    assert settings_on_record(replace(event, alarms=older)) == settings
    told = {name: value for name, value in msgspec.to_builtins(event).items() if name != "ruling_by_two_minor"}
    kept = {name: value for name, value in msgspec.to_builtins(settings).items() if name != "ruling_by_two_minor"}
    before = read_house_event(msgspec.json.encode(told).decode())
    assert isinstance(before, FloorSettingsChanged)
    assert settings_on_record(before) == msgspec.convert(kept, FloorSettings)
