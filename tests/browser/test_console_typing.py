"""What is typed at the wrong moment, and what a scanner types behind a card, does nothing by itself."""

from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.console import Console, open_table
from tests.web.serving import NAMES, Server

BETWEEN_KEYS_MS = 12
"""As fast as a scanner types."""


def at_table(page: Page, running: Server, table: str) -> Console:
    """A dealer who has called for bets."""
    open_table(running, "commission-insurance", table)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER])
    console.press("Space")
    console.at("betting")
    return console


def scan(console: Console, card: str) -> None:
    console.page.keyboard.type(f"{card}\n", delay=BETWEEN_KEYS_MS)


def test_the_end_of_a_scanned_line_answers_no_question(page: Page, running: Server) -> None:
    console = at_table(page, running, "scanned")
    console.type("1B500_K2K3")  # as fast as the browser takes them
    console.at("insurance_due")
    scan(console, "6s")
    expect(page.locator("#ask-offer")).to_be_visible()
    console.press("Escape")  # answered after all that was typed
    expect(page.locator("#ask-offer")).to_be_hidden()
    console.at("insurance_due")
    assert len(console.round.cards) == 4
    assert not console.round.insurance.offered


def test_a_rank_while_bets_are_open_is_not_taken(page: Page, running: Server) -> None:
    console = at_table(page, running, "early")
    console.type("k")
    expect(page.locator("#entry")).to_be_empty()
    console.press("1", "Backspace", "Space")  # nothing is typed: Space is the table's
    console.at("closed")
    assert not console.round.bets


def test_insurance_that_does_not_play_is_said_to_go_back(page: Page, running: Server) -> None:
    console = at_table(page, running, "capped")
    console.type("1B500_K2K3")
    console.at("insurance_due")
    console.type("_i1~")
    console.at("insurance")
    console.type("i1350~")  # the largest stake is 250
    assert console.message() == "100 of the insurance does not play and goes back."


def test_a_tap_on_nothing_is_no_key(page: Page, running: Server) -> None:
    console = at_table(page, running, "beside")
    console.type("_K2")
    console.dealt(2)
    console.synced()
    page.evaluate("() => { window.typed = 0; document.addEventListener('keys', () => (window.typed += 1)); }")
    page.locator("#stage").click(position={"x": 5, "y": 5})
    assert page.evaluate("typed") == 0
