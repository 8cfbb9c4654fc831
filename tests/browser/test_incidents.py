"""Incidents in a browser: found from the round, on a phone and a desktop, and printed on one sheet."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.web.incidents import troubled_table
from tests.web.serving import NAMES, PASSWORD, Server, server


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("incidents") / "floor.db")) as served:
        troubled_table(served)
        served.token(Position.SHIFT_MANAGER)
        yield served


def test_an_incident_is_found_read_and_printed(floor: Server, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    page.goto(f"{floor.url}/enter?staff=1&to=/tables/felt%201/history")
    page.get_by_label("Name", exact=True).fill(NAMES[Position.SHIFT_MANAGER])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/history")
    page.get_by_role("link", name="Incident 1", exact=True).click()
    page.wait_for_url("**/incidents/1")
    expect(page.get_by_role("heading", name="cards at the wrong side", exact=True)).to_be_visible()
    for path, name in (("1", "incident"), ("4?lang=zh", "incident-zh"), ("?lang=en", "incidents")):
        page.goto(f"{floor.url}/incidents/{path}".replace("/?", "?"))
        look_at(page, name, axe, screenshot)
    page.get_by_label("Round").fill("2")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**/incidents?**")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.goto(f"{floor.url}/incidents/1")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    assert pages_printed(page) == 1


def pages_printed(page: Page) -> int:
    document = page.pdf(prefer_css_page_size=True)
    (count,) = re.findall(rb"/Count (\d+)", document)
    return int(count)
