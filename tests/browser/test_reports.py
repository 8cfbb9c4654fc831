"""The report of a day in a browser: chosen, read on several screens in both languages, and printed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.floor.report_floor import reported
from tests.web.serving import NAMES, PASSWORD, Server, server


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("reports") / "floor.db")
    reported(path)
    with server(path) as served:
        served.token(Position.SHIFT_MANAGER)
        yield served


def test_a_day_is_chosen_read_and_printed(floor: Server, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    page.goto(f"{floor.url}/enter?to=/pit/reports")
    page.get_by_label("Name", exact=True).fill(NAMES[Position.SHIFT_MANAGER])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{floor.url}/pit/reports")
    for path, name in (("?lang=zh", "reports-zh"), ("?lang=en", "reports")):
        page.goto(f"{floor.url}/pit/reports{path}")
        look_at(page, name, axe, screenshot)
    page.locator("select[name=table]").select_option("Lotus")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**/pit/reports?**table=Lotus**")
    expect(page.get_by_role("heading", name="Table Lotus only")).to_be_visible()
    expect(page.locator("#chips-1 + p + .wide tbody.of-tables tr")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("link", name="figures", exact=True).click()
    assert download.value.suggested_filename.endswith("figures.csv")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
