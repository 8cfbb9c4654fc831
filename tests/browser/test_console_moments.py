"""Every moment of a round on three screens: nothing is cut off, axe finds nothing, and a picture is taken of each."""

import pytest
from playwright.sync_api import Page

from punto.table.records.positions import Position
from tests.browser.conftest import DESK, Axe, Screenshot
from tests.browser.console import TABLET, WIDE, Console, hire, open_table
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server

SIZES = {"1280": DESK, "1180": TABLET, "1920": WIDE}


class Looking:
    """Looks at the console in its moments."""

    def __init__(self, console: Console, axe: Axe, screenshot: Screenshot, name: str) -> None:
        self._console, self._axe, self._screenshot, self._name = console, axe, screenshot, name

    def at(self, moment: str, name: str = "") -> None:
        self._console.at(moment)
        self._console.synced()
        self.now(name or moment)

    def now(self, name: str) -> None:
        page = self._console.page
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            self._screenshot(page, f"console-{self._name}-{name}-{size}")
            assert sticks_out(page) == [], (name, size)
            assert cut_off(page) == [], (name, size)
        assert self._axe(page) == [], name


def cut_off(page: Page) -> list[str]:
    """Buttons and headings of the console that are partly outside the screen or the part they belong to."""
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll(
        "#keys button, .step .space, .now-box h2, .say, #head h1, #head dd, .c-who b, .tile")].filter((each) => {
      const box = each.getBoundingClientRect();
      if (!box.width || getComputedStyle(each).visibility === "hidden") return false;
      return box.left < 0 || box.top < 0 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
    }).map((each) => each.textContent.trim().slice(0, 40))""")
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_round_with_bets_and_insurance(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot, language: str
) -> None:
    table = f"round-{language}"
    open_table(running, "commission-insurance", table)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER], language)
    look = Looking(console, axe, screenshot, language)
    look.at("ready")
    console.press("Space")
    for box in range(1, 8):
        console.type(f"{box}B{box}k~" if box % 2 else f"{box}P{box}00~")
        console.placed(box)
    console.type("3/TI50")
    look.at("betting")
    console.press("Enter")
    console.placed(8)
    console.press("Space")
    look.at("closed")
    console.type("K2")
    console.dealt(2)
    look.at("cards")
    console.type("K3")
    console.dealt(4)
    look.at("insurance_due")
    console.press("Space")
    look.at("insurance")
    console.type("i1~")
    console.at("insurance")
    console.type("6")
    console.dealt(5)
    look.at("insurance_due", "insurance_due_third")
    console.type("_4")
    look.at("result")
    console.press("Space")
    look.at("settlement")
    console.press("Space", "Space")
    look.now("settlement_line")
    console.press("Shift+Space")
    look.at("ready", "ready_again")
    console.press("p")
    page.locator("#dialog [data-open]").first.wait_for()
    look.now("corrections")
    page.locator("#dialog [data-open=correct_payment]").click()
    page.locator("#dialog [data-field=paid_minor]").wait_for()
    look.now("correct_payment")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_squeeze_and_a_round_in_trouble_that_is_void(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot, language: str
) -> None:
    supervisor = hire(running, Position.PIT_SUPERVISOR)
    table = f"squeeze-{language}"
    open_table(running, "commission-insurance", table, face_down=True)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER], language)
    look = Looking(console, axe, screenshot, language)
    given = running.command(supervisor, table, "sit", who="box 1", box=1)
    assert given.status_code == 200, given.text
    console.press("Space")
    console.at("betting")
    console.type("1B1k~2P500~")
    console.placed(2)
    console.type("z1B~")
    wait_until(lambda: console.round.squeeze_requests, "the request")
    console.press("Space")
    look.at("closed", "squeeze_asked")
    granted = running.command(supervisor, table, "grant_squeeze", side="banker")
    assert granted.status_code == 200, granted.text
    console.synced()
    console.press("Space")  # for all four
    console.dealt(4)
    look.at("turn")
    console.press("9")
    console.synced()
    console.press("K")
    look.at("squeeze")

    table = f"trouble-{language}"
    open_table(running, "commission-insurance", table)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER], language)
    look = Looking(console, axe, screenshot, language)
    console.press("Space")
    console.at("betting")
    for box in range(1, 8):
        console.type(f"{box}B{box}k~")
        console.placed(box)
    console.type("_92KK")
    console.at("result")
    console.press("5")
    page.locator("#ask-unwanted").wait_for()
    look.now("unwanted")
    console.press("y")
    page.locator("#guide[data-step=tiles]").wait_for()  # the console leads there by itself
    page.goto(f"{running.url}/tables/{table}/deal")  # whoever comes back while the round is stopped may stay
    look.at("trouble")
    voided = running.command(supervisor, table, "report_foreign_card", reason="a joker")
    assert voided.status_code == 200, voided.text
    look.at("void")
