"""Missed insurance that would have won: the guide opens by itself, the pit is called, and no Space settles."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.browser.conftest import Axe, Screenshot
from tests.browser.console import PIN, Console, enrol, hire, open_table, press_space, rested, sign_by_pin
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server

BETS: list[dict[str, Any]] = [
    {"who": "box 1", "box": 1, "bet": "banker", "stake_minor": 500_00},
    {"who": "box 2", "box": 2, "bet": "banker", "stake_minor": 300_00},
    {"who": "box 3", "box": 3, "bet": "player", "stake_minor": 200_00},
]


def console_at(page: Page, running: Server, table: str, cards: str) -> Console:
    """Betting is closed, four cards lie there, and insurance on Banker is due."""
    hire(running, Position.PIT_MANAGER, pin=PIN)
    open_table(running, "commission-insurance", table)
    dealer = hire(running, Position.DEALER)
    given: list[tuple[str, dict[str, Any]]] = [("open_betting", {}), *(("place_bet", bet) for bet in BETS)]
    given += [("close_betting", {}), *(("deal_card", {"card": card}) for card in cards.split())]
    for command, fields in given:
        answer = running.command(dealer, table, command, **fields)
        assert answer.status_code == 200, answer.text
    enrol(page, running, table)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER])
    console.at("insurance_due")
    return console


def not_offered(console: Console, *ranks: str) -> None:
    """Cards are out although nobody offered insurance: the console asks wherever an offer was due."""
    for rank in ranks:
        cards = len(console.round.cards)
        console.synced()
        due = console.moment == "insurance_due"
        console.press(rank)
        if due:
            console.page.locator(".question:visible").wait_for()
            console.press("n")
        console.dealt(cards + 1)


def test_the_guide_opens_by_itself_and_space_does_not_settle(
    page: Page, running: Server, axe: Axe, screenshot: Screenshot
) -> None:
    console = console_at(page, running, "missed", "A 2 A 3")
    not_offered(console, "7", "2")  # Player 9, Banker 7
    page.wait_for_url("**/guide**")
    expect(page.locator("#guide")).to_have_attribute("data-step", "facts")
    expect(page.locator("#head .flag")).to_be_visible()  # the pit is called
    expect(page.locator("#now-words")).to_have_text("Stop: insurance that was not offered would have won")
    now = page.locator("#now .now-box").inner_text()
    assert "Box 1: 500 on Banker goes back, if they had meant to insure it." in now
    assert "Box 2: 300 on Banker goes back, if they had meant to insure it." in now
    assert "Take and pay nothing before the pit manager has decided." in now
    expect(page.locator("#who-may")).to_contain_text("pit manager or above")
    screenshot(page, "guide-missed-insurance")
    assert axe(page) == []
    for _ in range(3):
        page.keyboard.press("Space")
        rested(page)
    assert console.state.phase is Phase.DEALING
    page.goto(f"{running.url}/tables/missed/deal")  # back at the console, Space leads to the guide again
    console.at("trouble")
    screenshot(page, "console-missed-insurance")
    press_space(page)
    page.wait_for_url("**/guide**")
    assert console.state.phase is Phase.DEALING


def test_the_pit_manager_returns_one_bet_and_settles_the_others(page: Page, running: Server) -> None:
    console = console_at(page, running, "decided", "A 2 A 3")
    not_offered(console, "7", "2")
    page.wait_for_url("**/guide**")
    page.locator("#facts label", has_text="Box 1").first.click()
    page.locator("#facts [name=reason]").fill("had the chips in hand")
    page.locator("#go").click()
    sign_by_pin(page, NAMES[Position.PIT_MANAGER])
    wait_until(lambda: bool(console.round.insurance.returned_uninsured))
    expect(page.locator("#now .now-box")).not_to_contain_text("Box 1")
    page.locator("#guide [data-key=N]").click()
    sign_by_pin(page, NAMES[Position.PIT_MANAGER])
    wait_until(lambda: console.state.phase is Phase.READY)
    expect(page.locator("#guide")).to_have_attribute("data-step", "done")
    returned = {result.who: result.returned_minor for result in console.round.results}
    assert returned == {"box 2": 0, "box 3": 400_00}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_it_would_not_have_won_the_console_says_so_and_space_settles(
    page: Page, running: Server, language: str
) -> None:
    console = console_at(page, running, f"lost {language}", "A 2 A 3")
    not_offered(console, "6", "3")  # a tie, 8 to 8
    console.at("result")
    page.goto(f"{page.url.partition('?')[0]}?lang={language}")
    console.at("result")
    said = {"en": "It would not have won, so nothing is owed.", "zh": "该保险不会赢"}
    expect(page.locator("#now .why:visible").first).to_contain_text(said[language])
    press_space(page)
    wait_until(lambda: console.state.phase is Phase.READY)
