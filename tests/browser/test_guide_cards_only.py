"""A dealing error where only cards are recorded: everybody with a bet is asked, time is called, and it ends by hand."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.floor.journal.entry import event_of
from punto.table.records.findings import OptionsClosed, OptionsGiven
from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot
from tests.browser.console import CARDS_ONLY, PIN, Console, asked, enrol, hire, open_table, press_space, sign_by_pin
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server, server

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
SIZES = ((1280, 800), (1366, 768), (1920, 1080))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("by-hand") / "floor.db")) as made:
        hire(made, Position.DEALER)
        hire(made, Position.PIT_SUPERVISOR, pin=PIN)
        yield made


def look(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        screenshot(page, f"by-hand-{name}-{width}")
        assert sticks_out(page) == [], (name, width)
    assert axe(page) == [], name


def step(page: Page, name: str) -> None:
    expect(page.locator("#guide")).to_have_attribute("data-step", name)
    page.wait_for_load_state()


def two_cards(page: Page, running: Server, table: str, language: str) -> Console:
    console = Console(page, running, table)
    console.sign_in(DORA, language)
    console.press("Space", "Space")
    console.at("closed")
    console.type("29")
    console.dealt(2)
    console.synced()
    return console


@pytest.mark.parametrize(("language", "took_back"), [("en", "2"), ("zh", "")])
def test_everybody_with_a_bet_is_asked_and_the_round_ends_settled(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot, language: str, took_back: str
) -> None:
    table = f"hand-{language}"
    open_table(running, "commission-insurance", table, **CARDS_ONLY)
    enrol(page, running, table)
    console = two_cards(page, running, table, language)
    page.keyboard.press("!")
    step(page, "tiles")
    page.locator("[data-tile=dealing_error]").click()
    step(page, "facts")
    page.keyboard.press("1")  # a card fell off the table
    asked(page)
    look(page, f"facts-{language}", axe, screenshot)
    press_space(page)
    expect(page.locator("#dialog .follows")).to_be_visible()
    sign_by_pin(page, SUE)
    step(page, "options")
    options = console.round.irregularities.options
    assert options is not None
    assert options.by_hand
    look(page, f"ask-{language}", axe, screenshot)
    if language == "en":
        expect(page.locator("#now-words")).to_have_text("Ask everybody with a bet: play on, or take it back?")
        expect(page.locator("#guide")).to_contain_text("Everybody with a bet: play on, or take it back.")
    if took_back:
        page.keyboard.press(took_back)
        asked(page)
        expect(page.locator("#fact-took_back input")).to_have_value(took_back)
    press_space(page)
    expect(page.locator("#dialog .follows")).to_be_visible()
    screenshot(page, f"by-hand-time-{language}")
    sign_by_pin(page, SUE)
    step(page, "done")
    look(page, f"done-{language}", axe, screenshot)
    assert console.round.irregularities.options is None
    press_space(page)
    console.at("cards")
    console.type("KK")
    console.at("result")
    console.press("Space")
    console.at("ready")
    wait_until(lambda: console.round.settled, "the settlement")
    look(page, f"after-{language}", axe, screenshot)
    check_record(running, table, took_back)


def check_record(running: Server, table: str, took_back: str) -> None:
    happened = [event_of(entry) for entry in running.run(running.floor.tables[table].after(1, 0))]
    (given,) = [event for event in happened if isinstance(event, OptionsGiven)]
    (closed,) = [event for event in happened if isinstance(event, OptionsClosed)]
    assert given.by_hand
    assert closed.took_back == (int(took_back) if took_back else None)
