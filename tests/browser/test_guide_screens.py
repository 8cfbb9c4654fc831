"""Every step of the guide on four screens in both languages: nothing sticks out, axe finds nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import DESK, PHONE, Axe, Screenshot
from tests.browser.console import PIN, TABLET, WIDE, asked, enrol, hire, open_table, press_space, sign_by_pin, sign_in
from tests.browser.looking import sticks_out
from tests.web.serving import NAMES, Server, server

SIZES = {"1280": DESK, "1180": TABLET, "1920": WIDE, "390": PHONE}
DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
BETS = (("box 1", 1, "banker", 1_000_00), ("box 2", 2, "player", 500_00), ("behind box 3", 3, "tie", 100_00))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("guide") / "floor.db")) as made:
        hire(made, Position.DEALER)
        hire(made, Position.PIT_SUPERVISOR, pin=PIN)
        yield made


class Screens:
    """A dealer at a table where something goes wrong."""

    def __init__(self, page: Page, running: Server, language: str, axe: Axe, screenshot: Screenshot) -> None:
        self.page, self.running, self.language = page, running, language
        self._axe, self._screenshot = axe, screenshot

    def at_table(self, name: str, cards: str) -> None:
        """A round with bets, its cards dealt, and the console."""
        name = f"{name}-{self.language}"
        open_table(self.running, "commission-insurance", name)
        dealer = hire(self.running, Position.DEALER)
        given: list[tuple[str, dict[str, Any]]] = [("open_betting", {})]
        given += [("place_bet", dict(zip(("who", "box", "bet", "stake_minor"), bet, strict=True))) for bet in BETS]
        given += [("close_betting", {}), *(("deal_card", {"card": card}) for card in cards.split())]
        for command, fields in given:
            answer = self.running.command(dealer, name, command, **fields)
            assert answer.status_code == 200, answer.text
        sign_in(self.page, self.running.url, DORA)
        self.page.goto(f"{self.running.url}/tables/{name}/deal?lang={self.language}")
        expect(self.page.locator("body[data-name=cards], body[data-name=result]")).to_be_visible()

    def at(self, step: str) -> None:
        expect(self.page.locator("#guide")).to_have_attribute("data-step", step)
        self.page.wait_for_load_state()  # the guide hears keys

    def look(self, name: str) -> None:
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            assert sticks_out(self.page) == [], (name, size)
            self._screenshot(self.page, f"guide-{self.language}-{name}-{size}")
        self.page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
        assert self._axe(self.page) == [], name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_from_the_key_to_the_end(page: Page, running: Server, axe: Axe, screenshot: Screenshot, language: str) -> None:
    screens = Screens(page, running, language, axe, screenshot)
    enrol(page, running, None)
    screens.at_table("tapped", "2 9 3 K")
    page.keyboard.press("!")
    screens.at("tiles")
    screens.look("tiles")
    expect(page.locator("#head .flag")).to_have_count(0)
    page.keyboard.press("3")
    screens.at("facts")
    expect(page.locator("#head .flag")).to_be_visible()  # the pit is called
    screens.look("missing")
    for key in "1234":  # all four cards lie with the other hand
        page.keyboard.press(key)
    asked(page)
    page.locator("#fact-order label:has([value=lost])").click()
    asked(page)
    page.locator("#fact-reason [data-reason]").first.click()
    expect(page.locator("#go")).to_have_attribute("data-needs", "pit_supervisor")
    screens.look("facts")
    press_space(page)
    expect(page.locator("#dialog .follows")).to_be_visible()
    screens.look("approval")
    sign_by_pin(page, SUE)
    screens.at("options")
    screens.look("options")
    for row, key in enumerate("CRC", 1):
        page.keyboard.press(key)
        if row < 3:
            expect(page.locator(f"#chooser-{row} [data-made]")).to_be_visible()
    screens.at("order")
    screens.look("order")
    page.reload()
    for place in (2, 1):
        page.keyboard.press(str(place))
        expect(page.locator(f"#doubtful [data-place='{place}']")).to_have_attribute("data-drawn", str(3 - place))
    page.locator("#orders a").first.click()
    expect(page.locator("#go")).to_be_visible()
    screens.look("ordered")
    press_space(page)
    expect(page.locator("#dialog .follows")).to_be_visible()
    sign_by_pin(page, SUE)
    screens.at("done")
    expect(page.locator("#done [data-incident]")).to_have_count(1)
    screens.look("done")
    press_space(page)
    expect(page.locator("body")).to_have_attribute("data-name", "third")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_table_raises_leads_there_by_itself_and_a_void_round_needs_a_shoe(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot, language: str
) -> None:
    screens = Screens(page, running, language, axe, screenshot)
    enrol(page, running, None)
    screens.at_table("raised", "9 2 K 3")
    page.keyboard.press("5")
    expect(page.locator("#ask-unwanted")).to_be_visible()
    page.keyboard.press("y")
    screens.at("tiles")
    screens.look("raised")
    press_space(page)  # as the table found
    screens.at("facts")
    expect(page.locator("#fact-cards input[type=hidden]")).to_have_value("5")
    screens.look("raised-facts")
    page.keyboard.press("Escape")
    screens.at("tiles")
    page.locator("[data-tile=wrong_cards]").click()
    screens.at("facts")
    page.locator("#fact-what label:has([value=foreign_card])").click()
    press_space(page)  # at once
    expect(page.locator("#dialog .follows")).to_be_visible()
    page.keyboard.press("Escape")  # left to the pit
    expect(page.locator("#waiting button")).to_have_count(1)
    screens.look("waiting")
    supervisor = hire(running, Position.PIT_SUPERVISOR)
    proposals = f"/api/tables/raised-{language}/proposals"
    (proposal,) = supervisor.get(proposals).json()["proposals"]
    assert supervisor.post(f"{proposals}/{proposal['id']}/approve", json={}).status_code == 200
    screens.at("shoe")
    expect(page.locator("#waiting button")).to_have_count(0)
    screens.look("shoe")
    press_space(page)
    expect(page.locator("#dialog [data-field=shoe]")).to_be_visible()


def test_the_key_asks_for_the_table_on_other_screens(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot
) -> None:
    for name in ("one", "two"):
        open_table(running, "commission", name)
    sign_in(page, running.url, SUE)
    for path in ("approvals", "me", "incidents"):  # in the pit it is the guide of the tile
        page.goto(f"{running.url}/{path}")
        expect(page.locator("#to-guide")).to_be_visible()
        page.keyboard.press("!")
        expect(page.locator("#which")).to_be_visible()
        page.wait_for_load_state()  # it hears keys
    Screens(page, running, "en", axe, screenshot).look("which")
    page.keyboard.press("1")
    expect(page.locator("#guide")).to_have_attribute("data-step", "tiles")


def test_what_waits_for_approval_is_not_proposed_twice(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot
) -> None:
    screens = Screens(page, running, "en", axe, screenshot)
    enrol(page, running, None)
    screens.at_table("twice", "2 9 3 K")
    page.goto(
        f"{running.url}/tables/twice-en/guide?see=nothing_fits&effect=adjust&amounts=250+box+1&reason=seen+on+camera"
    )
    go = page.locator("#go")
    go.dblclick()
    expect(page.locator("#dialog .follows")).to_be_visible()
    page.keyboard.press("Escape")  # left to the pit
    expect(page.locator("#waiting button")).to_have_count(1)
    page.reload()
    go.click()
    expect(page.locator("#dialog .follows")).to_be_visible()
    waiting = hire(running, Position.PIT_SUPERVISOR).get("/api/tables/twice-en/proposals").json()["proposals"]
    assert [each["command"]["amounts"] for each in waiting] == [{"box 1": 250_00}]


def test_opening_the_guide_and_leaving_it_calls_nobody(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot
) -> None:
    screens = Screens(page, running, "en", axe, screenshot)
    screens.at_table("left", "2 9")
    state = running.floor.tables["left-en"].state
    for _ in range(2):
        page.keyboard.press("!")
        screens.at("tiles")
        page.keyboard.press("Escape")
        expect(page.locator("body")).to_have_attribute("data-name", "cards")
    assert running.floor.tables["left-en"].state == state
    page.keyboard.press("!")
    screens.at("tiles")
    page.keyboard.press("3")
    screens.at("facts")
    expect(page.locator("#head .flag")).to_be_visible()
    call = running.floor.tables["left-en"].state.pit_call
    assert call is not None
    assert call.open
