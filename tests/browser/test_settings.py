"""A shift manager changes the settings of the floor on their page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from punto.web.http.auth import cookie_name
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.looking import look_at
from tests.web.serving import Server, server


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("settings") / "floor.db")) as running:
        running.by(Position.SHIFT_MANAGER)
        yield running


def open_settings(page: Page, floor: Server, language: str = "en") -> None:
    token = floor.token(Position.SHIFT_MANAGER)
    page.context.add_cookies([{"name": cookie_name(floor.config), "value": token, "url": floor.url}])
    page.goto(f"{floor.url}/pit/settings?lang={language}")


def test_a_gaming_day_and_thresholds_are_changed_and_what_cannot_be_is_refused_in_words(
    floor: Server, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 400")
    open_settings(page, floor)
    look_at(page, "settings", axe, screenshot)
    day, alarms = page.locator("[data-settings=gaming_day]"), page.locator("[data-settings=alarms]")
    day.get_by_label("Time zone").fill("Asia/Atlantis")
    day.get_by_role("button").click()
    expect(day.locator(".wrong")).to_contain_text("'Asia/Atlantis' is not a time zone")
    day.get_by_label("Time zone").fill("Asia/Macau")
    day.get_by_label("Shifts start at").fill("06:00, 18:00")
    with page.expect_navigation():
        day.get_by_role("button").click()
    expect(day.get_by_label("Shifts start at")).to_have_value("06:00 18:00")
    expect(day.get_by_label("Time zone")).to_have_value("Asia/Macau")
    alarms.get_by_label("A round").fill("four minutes")
    alarms.get_by_role("button").click()
    expect(alarms.locator(".wrong")).to_contain_text("Nothing was saved")
    expect(alarms.get_by_label("A round")).to_be_focused()
    alarms.get_by_label("A round").fill("240")
    alarms.get_by_label("A bet", exact=True).fill("75,000.50")
    with page.expect_navigation():
        alarms.get_by_role("button").click()
    expect(alarms.get_by_label("A bet", exact=True)).to_have_value("75,000.50")
    settings = floor.run(floor.service.floor_view.settings())
    assert (settings.alarms.round_s, settings.alarms.big_bet_minor) == (240, 75_000_50)
    assert settings.gaming_day.shifts == ("06:00", "18:00")


def test_the_page_fits_a_phone_in_chinese(floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot) -> None:
    page = page_at(*PHONE)
    open_settings(page, floor, "zh")
    look_at(page, "settings-phone-zh", axe, screenshot)
    cash = page.locator("[data-settings=cash]")
    cash.get_by_label("大额现金").fill("0")
    with page.expect_navigation():
        cash.get_by_role("button").click()
    expect(cash.get_by_label("大额现金")).to_have_value("0")
