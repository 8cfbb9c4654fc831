"""A person's own account at a browser: enrolling it as a terminal, PIN, TOTP, and the lock over every page."""

from base64 import b32decode
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.totp import STEP_S, code_at
from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.console import CARDS_ONLY, Console, casino, enrol, hire
from tests.browser.looking import look_at
from tests.browser.tables import NAME, Felt, felt
from tests.web.serving import NAMES, PASSWORD, Server

PIN = "482913"
WRONG = "not the password"


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    with felt(tmp_path_factory.mktemp("account"), "commission") as made:
        made.running.hired("max", Position.PIT_MANAGER)
        made.running.hired("sue", Position.PIT_SUPERVISOR)
        yield made


def step_now(served: Server) -> int:
    """The number of the code that the server takes now."""
    return served.floor.clock.now_us() // 1_000_000 // STEP_S


def sign_in(page: Page, served: Server, name: str, to: str = "/me") -> None:
    page.goto(f"{served.url}/enter?staff=1&to={to}")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{served.url}{to}")


def sign_out(page: Page, served: Server) -> None:
    """From a page that may just have been loaded again."""
    page.wait_for_load_state()
    page.get_by_role("button", name="Sign out").first.click()
    page.wait_for_url(f"{served.url}/")


def set_pin(page: Page, password: str = PASSWORD, pin: str = PIN) -> None:
    section = page.get_by_role("region", name="PIN")
    section.get_by_label("Password").fill(password)
    section.get_by_label("New PIN").fill(pin)
    section.get_by_role("button", name="Set the PIN").click()


def leave_alone(served: Server) -> None:
    """Let all sessions be idle for too long."""
    served.floor.database.writing(lambda transaction: transaction.change("UPDATE sessions SET seen_us = 1")).result()


def come_back(served: Server, position: Position) -> httpx2.Client:
    """A new session."""
    return served.client(served.run(served.service.sessions.sign_in(NAMES[position], PASSWORD)).token)


def test_a_browser_becomes_a_terminal_where_a_pin_unlocks_without_a_mouse(
    floor: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of (40[013]|423)")
    served = floor.running
    sign_in(page, served, "max")
    expect(page.get_by_text("This browser is no terminal of the house.")).to_be_visible()
    page.get_by_label("For", exact=True).select_option(NAME)
    page.get_by_label("Title").fill("left of the dealer")
    page.get_by_role("button", name="Make this browser a terminal").click()
    expect(
        page.get_by_text(f"This browser is the terminal left of the dealer (terminal-1) of: {NAME}.")
    ).to_be_visible()
    sign_out(page, served)
    sign_in(page, served, "sue")
    set_pin(page, password=WRONG)
    expect(page.get_by_role("alert").filter(has_text="wrong")).to_be_visible()
    set_pin(page, pin="123456")
    expect(page.get_by_role("alert").filter(has_text="tried first")).to_be_visible()
    set_pin(page)
    expect(page.get_by_text("You have a PIN.")).to_be_visible()
    look_at(page, "me", axe, screenshot)

    page.goto(floor.address)
    expect(page.locator(".bar .who")).to_contain_text("sue")
    leave_alone(served)  # the socket of the page notices it
    dialog = page.get_by_role("dialog", name="Locked")
    expect(dialog).to_contain_text("sue")
    expect(dialog.get_by_label("PIN or password")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    look_at(page, "locked", axe, screenshot)
    expect(dialog.get_by_label("PIN or password")).to_be_focused()
    page.keyboard.type("482914")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("The name or the PIN is wrong.")
    page.keyboard.type(PIN)
    page.keyboard.press("Enter")
    expect(page.locator(".bar .who")).to_contain_text("sue")
    expect(dialog).to_have_count(0)


def test_a_locked_page_shows_nothing_of_the_staff_and_says_so_in_chinese(
    floor: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 423")
    served = floor.running
    sign_in(page, served, "sue")
    page.get_by_role("button", name="Lock").click()
    dialog = page.get_by_role("dialog", name="Locked")
    expect(dialog).to_be_visible()
    assert "Your sessions" not in page.content()
    page.goto(f"{served.url}/?lang=zh")
    dialog = page.get_by_role("dialog", name="已锁定")
    look_at(page, "locked-zh", axe, screenshot)
    dialog.get_by_label("密码").fill(PASSWORD)
    dialog.get_by_role("button", name="解锁").click()
    expect(dialog).to_have_count(0)
    page.goto(f"{served.url}/me")
    look_at(page, "me-zh", axe, screenshot)


def test_somebody_sets_up_totp_and_is_asked_for_a_code_at_the_next_sign_in(
    floor: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 401")
    served = floor.running
    served.hired("sid", Position.SHIFT_MANAGER)
    sign_in(page, served, "sid")
    section = page.get_by_role("region", name="Code of your device")
    section.get_by_label("Password").fill(PASSWORD)
    section.get_by_role("button", name="Set up").click()
    code = section.get_by_label("Code that the app shows")
    expect(code).to_be_focused()
    look_at(page, "me-totp", axe, screenshot)
    secret = b32decode(section.locator("[data-of=secret]").inner_text())
    assert "otpauth://totp/Punto:sid?" in (section.get_by_role("link").get_attribute("href") or "")
    code.fill(code_at(secret, step_now(served)))
    section.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("It is set up.")).to_be_visible()
    sign_out(page, served)

    page.goto(f"{served.url}/enter?to=/me")
    page.get_by_label("Name", exact=True).fill("sid")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    asked = page.get_by_label("Code of your device")
    expect(asked).to_be_focused()
    look_at(page, "enter-code", axe, screenshot)
    asked.fill(code_at(secret, step_now(served) + 1))  # the next one: the first is used up
    page.keyboard.press("Enter")
    page.wait_for_url(f"{served.url}/me")
    expect(page.locator(".bar .who")).to_contain_text("sid")


def test_one_ends_another_session_of_ones_own(floor: Felt, page: Page) -> None:
    served = floor.running
    token = served.run(served.service.sessions.sign_in("sue", PASSWORD)).token
    sign_in(page, served, "sue")
    sessions = page.get_by_role("region", name="Your sessions")
    ends = sessions.get_by_role("button", name="End")
    expect(ends).to_have_count(2)  # the one of the fixture, and the one above
    ends.last.click()
    expect(ends).to_have_count(1)
    assert served.client(token).get("/api/session").status_code == 401


def test_where_totp_is_required_signing_in_leads_to_setting_it_up(floor: Felt, page: Page) -> None:
    served = floor.running
    served.hired("adam", Position.ADMINISTRATOR)
    rules = served.run(served.service.visitors.rules())
    served.run(served.service.visitors.change_rules(THE_CONSOLE, replace(rules, totp_required=True)))
    page.goto(f"{served.url}/enter?staff=1")
    page.get_by_label("Name", exact=True).fill("adam")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/me")
    expect(page.locator("main")).to_contain_text("a code of your own device is needed to sign in")


def test_a_console_left_alone_goes_on_showing_and_the_first_command_asks_for_the_pin(
    tmp_path: Path, page: Page, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of (403|423)")
    with casino(tmp_path, "commission", **CARDS_ONLY) as running:
        enrol(page, running, "commission")
        hire(running, Position.DEALER, pin=PIN)
        console = Console(page, running, "commission")
        console.sign_in(NAMES[Position.DEALER])
        console.press("Space")
        console.at("betting")
        leave_alone(running)
        bar, dialog = page.locator("#locked-bar"), page.get_by_role("dialog", name="Locked")
        expect(bar).to_be_visible()
        expect(dialog).to_be_hidden()
        screenshot(page, "locked-console")
        # another terminal closes betting and deals: the picture goes on
        running.command(come_back(running, Position.DEALER), "commission", "close_betting")
        console.at("closed")
        console.press("9")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")  # nobody knows the PIN: it is said that the key was not taken
        expect(dialog).to_be_hidden()
        assert "is locked" in console.message()
        assert not console.round.cards
        console.press("9")
        expect(dialog.get_by_label("PIN or password")).to_be_focused()
        screenshot(page, "locked-console-asks")
        page.keyboard.type("111112")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("The name or the PIN is wrong.")
        page.keyboard.type(PIN)
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        console.shows(["9"])  # the key that was pressed while it was locked
        expect(bar).to_be_hidden()
        leave_alone(running)
        expect(bar).to_be_visible()
        page.reload()
        expect(bar).to_be_visible()
        console.shows(["9"])
        page.locator("#locked-bar button").click()
        page.keyboard.type(PIN)
        page.keyboard.press("Enter")
        expect(bar).to_be_hidden()
        console.press("K")
        console.shows(["9", "K"])


def test_the_wall_of_the_pit_and_the_guide_go_on_when_they_are_locked(
    tmp_path: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse("status of 423")
    with casino(tmp_path, "commission", **CARDS_ONLY) as running:
        enrol(page, running, None)
        hire(running, Position.PIT_SUPERVISOR, pin=PIN)
        hire(running, Position.DEALER)
        Console(page, running, "commission").sign_in(NAMES[Position.PIT_SUPERVISOR])
        page.goto(f"{running.url}/pit?lang=en")
        leave_alone(running)
        bar, dialog = page.locator("#locked-bar"), page.get_by_role("dialog", name="Locked")
        expect(bar).to_be_visible()
        dealer = come_back(running, Position.DEALER)
        running.command(dealer, "commission", "open_betting")
        running.command(dealer, "commission", "call_pit")
        expect(page.locator("#tiles")).to_contain_text("Betting")
        expect(page.locator("#queue .call")).to_be_visible()
        page.locator("#queue .call .button").first.click()
        expect(dialog).to_be_visible()
        page.keyboard.type(PIN)
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        expect(page.locator("#queue .call")).to_have_count(0)
        expect(bar).to_be_hidden()

        page.goto(f"{running.url}/tables/commission/guide?lang=en")
        leave_alone(running)
        expect(bar).to_be_visible()
        expect(page.locator("#now-words")).to_contain_text("Stop.")
        page.reload()
        expect(page.locator("#now-words")).to_contain_text("Stop.")
        expect(dialog).to_be_hidden()
