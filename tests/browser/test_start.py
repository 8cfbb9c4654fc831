"""A pit manager assigns, relieves and sends people off from the list of tables, by keyboard alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.console import casino, hire, sign_in
from tests.web.serving import NAMES

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
DAN = "Dan O'Neill"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_duty_is_assigned_from_the_list_of_tables(
    language: str, tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("40[49]")
    with casino(tmp_path, "commission", "tiger-buffalo") as running:
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER):
            hire(running, position)
        running.hired(DAN, Position.DEALER)
        sign_in(page, running.url, NAMES[Position.PIT_MANAGER])
        page.goto(f"{running.url}/start?lang={language}")
        body = page.locator("tbody", has=page.locator("input[value=commission]"))
        who, on_duty = body.locator(".assign [name=name]"), body.locator(".on-duty li")

        def enter(name: str, *keys: str) -> None:
            page.wait_for_load_state()  # what was entered before loads the page again
            who.focus()
            page.keyboard.type(name)
            for key in keys:
                page.keyboard.press(key)

        enter("nobody", "Enter")
        expect(body.locator(".assign .wrong")).not_to_be_empty()
        expect(who).to_be_focused()
        who.fill("")
        enter(DORA, "Enter")
        expect(on_duty).to_have_count(1)
        enter(SUE, "Enter")
        expect(on_duty).to_have_count(2)
        enter(DAN, "Tab", "Tab", "Enter")
        expect(on_duty.first).to_contain_text(DAN)
        assert axe(page) == []
        screenshot(page, f"start-{language}")
        assert running.run(running.service.duty.table_of(DORA)) is None
        on_duty.first.locator("button").focus()
        page.keyboard.press("Enter")
        expect(on_duty).to_have_count(1)
        expect(on_duty).to_contain_text(SUE)
        assert running.run(running.service.duty.table_of(DAN)) is None
