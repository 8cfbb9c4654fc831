"""The referee in a browser: a round laid out by tapping, with the script, and a link that somebody else opens."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot
from tests.browser.looking import look_at
from tests.web.serving import Server, server


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("referee") / "floor.db")) as served:
        yield served


def tap(page: Page, link: Locator) -> None:
    """Tap on something, and wait until the page shows where it leads."""
    address = link.get_attribute("href")
    link.click()
    expect(page.locator("#main")).to_have_attribute("data-shown", address or "")


def shows(page: Page, query: str) -> None:
    """Wait until the page shows an address whose query has this."""
    expect(page.locator("#main")).to_have_attribute("data-shown", re.compile(query))


def named(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=name, exact=True).first


def ends(page: Page) -> list[str]:
    cells = page.locator(".ends tbody td:nth-child(2)").all_inner_texts()
    return [text.replace("\N{MINUS SIGN}", "-") for text in cells]


def test_a_round_is_laid_out_and_ruled_on_without_loading_a_page(
    running: Server, page: Page, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(f"{running.url}/referee")
    look_at(page, "referee-empty", axe, screenshot)
    page.evaluate("window.loadedOnce = true")
    tap(page, page.locator(".area.banker").first)
    tap(page, named(page, "Box 2"))
    tap(page, page.locator(".area.player").first)
    for rank in "92K3":
        tap(page, page.locator(".keys .key", has_text=re.compile(f"^{rank}$")))
    expect(page.locator(".ends tbody tr")).to_have_count(2)
    assert ends(page) == ["-100", "+100"]
    page.locator("[data-tile=wrong_side]").click()
    expect(page.locator("#facts-h")).to_be_focused()
    for places in ("1", "1.2", "1.2.3", "1.2.3.4"):
        page.locator(f"[data-fact=wrong] [data-place='{places[-1]}']").click()
        shows(page, f"wrong={places}$")
    expect(page.locator(".ruling .step h3")).to_have_text("Report cards at the wrong side")
    page.locator("[data-fact=order] .tr-pick", has_text="Lost").click()
    shows(page, "order=lost")
    page.locator("[data-fact=reason] [data-reason]").first.click()
    shows(page, "reason=")
    expect(page.locator(".ends")).to_have_count(3)
    look_at(page, "referee-facts", axe, screenshot)
    tap(page, named(page, "The rest play on"))
    expect(page.locator(".ends .button")).to_have_count(3)
    page.locator(".ends .button").first.click()
    expect(page.locator(".ends")).to_have_count(1)
    assert ends(page) == ["-100", "+100"]
    assert page.evaluate("window.loadedOnce")
    page.go_back()
    expect(page.locator(".ends")).to_have_count(3)
    phone = page_at(*PHONE)
    phone.goto(page.locator("#link").evaluate("link => link.href"))
    expect(phone.locator(".ends")).to_have_count(3)
    phone.get_by_role("link", name="中文").click()
    expect(phone.locator("h1")).to_have_text("裁判")
    expect(phone).to_have_url(re.compile(r"[?&]q=1"))
    look_at(phone, "referee-zh", axe, screenshot)
