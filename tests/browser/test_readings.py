"""A shift manager adopts a reading on its page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from punto.web.http.auth import cookie_name
from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.looking import look_at
from tests.browser.tables import Felt, felt


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    with felt(tmp_path_factory.mktemp("readings"), "commission") as made:
        yield made


def test_a_shift_manager_adopts_a_value_and_a_bad_reason_is_refused_in_words(
    table: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    token = table.running.hired("mona", Position.SHIFT_MANAGER)
    page.context.add_cookies([{"name": cookie_name(table.running.config), "value": token, "url": table.running.url}])
    page.clock.install()
    page.goto(f"{table.running.url}/rules/readings")
    look_at(page, "readings", axe, screenshot)
    page.clock.pause_at(page.evaluate("Date.now() + 600_000"))  # messages stay
    for reading, value, shown in (("established", "true", "only bets with a stake count"), ("cut_card", "20", "20")):
        article = page.locator(f"#{reading}")
        article.locator("summary").click()
        field = article.locator("[name=value]")
        field.fill(value) if reading == "cut_card" else field.select_option(value)
        article.locator("[name=reason]").fill(" ")
        article.locator("button").click()
        expect(page.locator("#messages .refusal")).to_contain_text("Give a reason")
        article.locator("[name=reason]").fill("agreed with the regulator")
        article.locator("button").click()
        expect(article.locator("time")).to_be_visible()
        expect(article.locator("dt", has_text="In force").locator("+ dd")).to_contain_text(shown)
        expect(article.locator("h3")).to_be_focused()
        expect(page.locator("#messages")).to_contain_text("Adopted.")
        expect(page.locator(f".index a[href='#{reading}'] + small")).to_have_text("(changed by the house)")
        expect(article).to_contain_text("agreed with the regulator")
    expect(page.locator("#established dd strong")).to_have_text("(not by the book)")
    expect(page.locator("#cut_card dd strong")).to_have_count(0)
