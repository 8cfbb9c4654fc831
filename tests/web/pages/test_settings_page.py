"""The page of the floor's settings: who finds it, what it shows, and who may change it."""

import pytest

from punto.floor.settings.floor_settings import FloorSettings
from punto.floor.settings.thresholds import Thresholds
from punto.table.records.positions import Position
from punto.web.pages.settings import show_threshold
from tests.web.page_tree import read_page
from tests.web.serving import STAFFED, Server

PAGE = "/pit/settings"


@pytest.mark.parametrize("position", STAFFED)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_staff_read_every_setting_and_some_may_change_them(standing: Server, position: Position, language: str) -> None:
    page = read_page(standing.by(position), PAGE, language).one("main")
    fields = {each.attributes["name"]: each.attributes["value"] for each in page.all("input")}
    assert fields.keys() == {
        "zone",
        "shifts",
        "tray_chips",
        "large_cash_minor",
        "ruling_by_two_minor",
        *Thresholds.__struct_fields__,
    }
    assert (fields["zone"], fields["shifts"]) == ("Asia/Singapore", "08:00 16:00 00:00")
    assert (fields["large_cash_minor"], fields["round_s"], fields["big_bet_minor"]) == ("20,000", "180", "50,000")
    may = position in (Position.SHIFT_MANAGER, Position.CASINO_MANAGER, Position.ADMINISTRATOR)
    assert bool(list(page.all("button"))) is may
    assert all(("disabled" in each.attributes) is not may for each in page.all("fieldset"))
    zones = [each.attributes["value"] for each in page.all("option")]
    assert ("Asia/Singapore" in zones) is may


def test_others_are_refused(standing: Server) -> None:
    assert standing.client().get(PAGE).status_code == 401
    assert standing.by(Position.PLAYER).get(PAGE).status_code == 403


def test_amounts_are_shown_as_money_and_everything_else_as_it_is() -> None:
    shown = {each: show_threshold(each, getattr(FloorSettings().alarms, each)) for each in Thresholds.__struct_fields__}
    assert (shown["big_bet_minor"].unit, shown["big_bet_minor"].value) == ("amount", "50,000")
    assert (shown["tray_low_percent"].unit, shown["tray_low_percent"].value) == ("percent", "40")
    assert (shown["dealer_on_min"].unit, shown["round_s"].unit) == ("minutes", "seconds")
    assert (shown["late_bets"].unit, shown["corrections_an_hour"].unit) == ("count", "count")
    assert show_threshold("edge_money_minor", 123_45).value == "123.45"
