"""The dialogs of the console: opening and closing the table, the shoe, people, corrections, and who approves them."""

from pathlib import Path

from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.console import CARDS_ONLY, PIN, Console, casino, enrol, hire
from tests.web.serving import NAMES

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]


def test_a_shoe_is_loaded_by_a_supervisors_pin_at_the_dealers_terminal(tmp_path: Path, page: Page) -> None:
    with casino(tmp_path, "commission", **CARDS_ONLY) as running:
        hire(running, Position.DEALER)
        hire(running, Position.PIT_SUPERVISOR, pin=PIN)
        enrol(page, running, "commission")
        console = Console(page, running, "commission")
        console.sign_in(DORA)
        console.press("n")
        dialog = page.locator("#dialog")
        expect(dialog.locator("h2")).to_have_text("Put a shoe on the table")
        dialog.locator("[data-field=inspected_by] input").fill(SUE)
        page.keyboard.press("Enter")
        expect(dialog.locator(".follows")).to_contain_text("comes onto the table")
        dialog.locator("[name=name]").fill(SUE)
        dialog.locator("[name=pin]").fill(PIN)
        page.screenshot(path="/tmp/approval.png")
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        assert console.state.shoe is not None
        assert console.state.shoe.id != "commission 1"
