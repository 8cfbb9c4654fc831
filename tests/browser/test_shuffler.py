"""A table with a continuous shuffler in a browser: a new board is seen at once."""

from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Screenshot
from tests.browser.console import Console, open_table
from tests.web.serving import NAMES, Server


def test_a_new_board_is_empty_on_every_screen_at_once(running: Server, page: Page, screenshot: Screenshot) -> None:
    open_table(running, "commission-insurance", "Machine", continuous={"back_after_rounds": 2})
    console = Console(page, running, "Machine")
    console.sign_in(NAMES[Position.PIT_SUPERVISOR])
    console.at("ready")
    console.type("__29KK")
    console.at("result")
    console.type("_")
    console.at("ready")
    board = page.context.new_page()
    board.goto(f"{running.url}/tables/Machine/board")
    expect(board.locator("#now")).to_contain_text("Rounds 1")
    expect(page.locator("#head")).to_contain_text("412 cards in the shuffler")
    page.bring_to_front()
    console.type("t3")
    expect(page.locator("dialog[open]")).to_contain_text("The board is empty at once, on every screen.")
    console.type("~")
    expect(page.locator("main")).to_contain_text("The board is empty. The next round is the first on it.")
    expect(board.locator("#now")).to_contain_text("Rounds 0")
    screenshot(page, "shuffler-new-board")
    console.type("t")
    expect(page.locator("dialog[open]")).not_to_contain_text("Start a new board")
