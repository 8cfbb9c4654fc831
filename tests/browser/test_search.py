"""Searching rounds in a browser: filled in by keyboard, read in both languages, and followed to a round."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.floor.report_floor import reported
from tests.web.serving import NAMES, PASSWORD, Server, server

LONG = "<b>" + "x" * 90


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("search") / "floor.db")
    reported(path)
    with server(path) as served:
        served.token(Position.AUDITOR)
        yield served


def test_a_round_is_searched_for_by_keyboard_and_found(
    floor: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(f"{floor.url}/enter?to=/audit/rounds")
    page.get_by_label("Name", exact=True).fill(NAMES[Position.AUDITOR])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{floor.url}/audit/rounds")
    for query, name in (
        ("?lang=zh&player=ann", "search-zh"),
        (f"?lang=en&dealer={LONG}&player={LONG}", "search-none"),
        ("?lang=en&kind=ruling", "search-kind"),
        ("?lang=en", "search"),
    ):
        page.goto(f"{floor.url}/audit/rounds{query}")
        look_at(page, name, axe, screenshot)
    expect(page.locator("#found-h")).to_have_text("More than 50 rounds fit. These are the newest.")
    page.get_by_label("Table").select_option("Jade")
    page.get_by_label("Player", exact=True).fill("ben")
    page.get_by_label("at least").fill("250.05")
    page.get_by_label("at least").press("Enter")
    page.wait_for_url("**/audit/rounds?**least=250.05**")
    expect(page.locator("#found-h")).to_have_text("12 rounds fit.")
    expect(page.get_by_label("Player", exact=True)).to_have_value("ben")
    page.get_by_role("link", name="Jade 1-12").click()
    page.wait_for_url("**/tables/Jade/rounds/1-12")
