"""One Space cannot run over a boundary: what cannot be taken back wants a press of its own, half a second later."""

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.browser.console import AT_ONCE, CARDS_ONLY, Console, open_table, rested
from tests.web.serving import NAMES, Server

TOO_SOON = "Not taken: it came too soon after the last step. Look at the screen, and press it again."
WITHOUT_KEYUP = """() => {
  for (let times = 0; times < 3; times += 1) document.body.dispatchEvent(
    new KeyboardEvent("keydown", { key: " ", code: "Space", repeat: false, bubbles: true, cancelable: true }));
}"""


def console_at(page: Page, running: Server, table: str) -> Console:
    """A console whose time is the test's."""
    open_table(running, "commission", table, **CARDS_ONLY)
    page.clock.install()
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    return console


def test_three_presses_in_a_run_settle_and_neither_call_nor_close(page: Page, running: Server) -> None:
    console = console_at(page, running, "run")
    console.type("__29KK")
    console.at("result")
    rested(page)
    page.evaluate(AT_ONCE, [" ", " ", " ", "4", "5"])
    console.at("ready")
    assert console.message() == TOO_SOON
    expect(page.locator("body")).not_to_have_attribute("data-soon", "")
    assert (console.state.phase, console.round.number) == (Phase.READY, 1)
    console.press("Space")  # a press of its own
    console.at("betting")
    assert not console.round.cards


@pytest.mark.parametrize("ms", [0, 40, 400])
def test_a_press_within_half_a_second_is_dropped_with_a_hint(page: Page, running: Server, ms: int) -> None:
    console = console_at(page, running, f"soon {ms}")
    page.clock.pause_at(page.evaluate("Date.now() + 1_000"))
    page.keyboard.press("Space")
    console.at("betting")
    console.synced()
    page.clock.run_for(ms)
    page.keyboard.press("Space")
    assert console.message() == TOO_SOON
    page.clock.run_for(600)
    assert console.state.phase is Phase.BETTING
    page.keyboard.press("Space")
    console.at("closed")


def test_a_tap_is_a_press_too(page: Page, running: Server) -> None:
    console = console_at(page, running, "tapped")
    page.clock.pause_at(page.evaluate("Date.now() + 1_000"))
    page.locator("#now [data-key=Space]:visible").click()
    console.at("betting")
    console.synced()
    page.locator("#now [data-key=Space]:visible").click()
    assert console.message() == TOO_SOON
    assert console.state.phase is Phase.BETTING


def test_a_key_held_down_counts_once_even_if_the_keyboard_does_not_say_so(page: Page, running: Server) -> None:
    console = console_at(page, running, "held")
    page.keyboard.down("Space")
    console.at("betting")
    rested(page)
    for _ in range(3):
        page.keyboard.down("Space")  # repeats
    page.keyboard.up("Space")
    page.keyboard.press("Escape")
    console.synced()
    assert console.state.phase is Phase.BETTING
    page.evaluate(WITHOUT_KEYUP)
    console.at("closed")
    expect(page.locator("#messages .toast")).to_have_count(0)


def test_a_page_that_has_just_opened_waits_for_a_press_of_its_own(page: Page, running: Server) -> None:
    console = console_at(page, running, "opened")
    page.clock.pause_at(page.evaluate("Date.now() + 1_000"))
    page.reload()
    console.at("ready")
    page.keyboard.press("Space")
    assert console.message() == TOO_SOON
    page.clock.run_for(600)
    assert console.state.phase is Phase.READY
    page.keyboard.press("Space")
    console.at("betting")


@pytest.mark.parametrize("later_ms", [0, 150, 400])
def test_a_run_of_presses_never_takes_the_next_step(page: Page, running: Server, later_ms: int) -> None:
    console = console_at(page, running, f"hammered {later_ms}")
    page.clock.pause_at(page.evaluate("Date.now() + 1_000"))
    page.keyboard.press("Space")
    console.at("betting")
    console.synced()
    for _ in range(6):  # each sooner than half a second after the one before
        page.clock.run_for(later_ms)
        page.keyboard.press("Space")
        assert console.message() == TOO_SOON
    console.synced()
    assert console.state.phase is Phase.BETTING
    page.clock.run_for(600)
    page.keyboard.press("Space")
    console.at("closed")


def test_a_press_that_bounces_deals_no_cards_and_closes_no_offer(page: Page, running: Server) -> None:
    open_table(running, "commission-insurance", "bounced", face_down=True)
    console = Console(page, running, "bounced")
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    console.type("_1B500_")
    console.at("closed")
    rested(page)
    page.keyboard.press("Space")
    console.at("turn")
    console.type("KK23")
    console.at("insurance_due")
    rested(page)
    page.evaluate(AT_ONCE, [" ", " "])
    console.at("insurance")
    assert console.message() == TOO_SOON
    assert (console.round.insurance.offer_open, len(console.round.cards)) == (True, 4)


def test_a_press_that_bounces_marks_no_line_as_paid(page: Page, running: Server) -> None:
    open_table(running, "commission", "paid")
    console = Console(page, running, "paid")
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    console.type("_1B500_29KK")
    console.at("result")
    rested(page)
    page.evaluate(AT_ONCE, [" ", " "])
    console.at("settlement")
    assert console.message() == TOO_SOON
    expect(page.locator("#sheet li.done")).to_have_count(0)
