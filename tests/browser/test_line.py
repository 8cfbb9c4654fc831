"""A line that freezes, is cut, loses half of what is sent or comes back in the next round."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.floor.running.table_setup import Pace
from tests.browser.conftest import Troubles
from tests.browser.line import CUT_LINE, Line
from tests.browser.tables import BANKER_INSURED, BANKER_WINS, NAME, PLAY_MONEY_MINOR, Felt, bet, come_in, felt, sit

CLOSES_S = 600.0
"""Betting is open for so long: the page's clock alone reaches its end in a test."""
NOTICED_MS = 5_000


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Felt]:
    with felt(tmp_path, "commission-insurance", Pace(close_betting_s=CLOSES_S), automations=["close_betting"]) as made:
        yield made


@pytest.fixture
def line(table: Felt, page: Page, troubles: Troubles) -> Iterator[Line]:
    """Ann sits at box 3 with 25 on Banker in round 1, and all she sends and sees goes over this line."""
    troubles.excuse(f"{CUT_LINE}|status of 409")
    with Line(table.running.url) as made:
        come_in(page, table, "Ann")
        page.clock.install()
        page.goto(f"{made.url}/tables/{NAME}")
        sit(page, 3)
        table.open_betting()
        bet(page, "banker", 25_00)
        yield made


def test_a_silent_line_is_noticed_and_the_felt_is_shut(table: Felt, line: Line, page: Page) -> None:
    expect(page.locator("#away")).to_be_hidden()
    line.silence()
    page.clock.run_for(NOTICED_MS)
    expect(page.locator("#away")).to_be_visible()
    page.locator(".area[data-bet=tie]").click(force=True)
    expect(page.locator("#messages .refusal")).to_contain_text("does not answer")
    expect(page.locator(".area[data-bet=tie] .stack")).to_be_hidden()
    line.mend()
    expect(page.locator("#away")).to_be_hidden()
    bet(page, "tie", 25_00)
    assert {key[2]: placed.stake_minor for key, placed in table.round.bets.items()} == {"banker": 25_00, "tie": 25_00}


def test_at_zero_the_felt_is_shut_whatever_the_line_does(table: Felt, line: Line, page: Page) -> None:
    place_bets, no_more = page.locator(".call > span").all()
    expect(place_bets).to_have_text("Place your bets, please")
    line.silence()
    page.clock.run_for(int(CLOSES_S) * 1_000)  # only here: at the table betting is still open
    expect(page.locator("body")).to_have_attribute("data-over", "")
    expect(no_more).to_have_text("No more bets")
    expect(no_more).to_be_visible()
    expect(place_bets).to_be_hidden()
    page.locator(".area[data-bet=tie]").click()
    page.keyboard.press("d")
    expect(page.locator("[data-pending], [data-waiting]")).to_have_count(0)
    line.mend()  # the table says that there is time left
    expect(page.locator("body")).not_to_have_attribute("data-over", "")
    expect(place_bets).to_be_visible()
    assert {key[2]: placed.stake_minor for key, placed in table.round.bets.items()} == {"banker": 25_00}


def test_a_tap_on_a_frozen_line_never_lands_in_the_next_round(table: Felt, line: Line, page: Page) -> None:
    line.silence()
    page.locator(".area[data-bet=tie]").click()
    expect(page.locator(".area[data-bet=tie] .sum")).to_have_text("25")
    table.play(BANKER_WINS)
    table.open_betting()
    line.mend()  # what was held up arrives now
    expect(page.locator("#round")).to_have_text("2")
    expect(page.locator("#messages .refusal")).to_contain_text("You did this in round 1, but it is now round 2.")
    expect(page.locator(".area[data-bet=tie] .stack")).to_be_hidden()
    expect(page.locator("#balance")).to_have_text("10,023.75")
    assert table.round.bets == {}
    assert table.state.chips_minor("Ann") == PLAY_MONEY_MINOR + 23_75


def test_a_line_that_was_cut_comes_back_in_the_next_round(table: Felt, line: Line, page: Page) -> None:
    line.cut()
    expect(page.locator("#away")).to_be_visible()
    table.play(BANKER_WINS)
    table.open_betting()
    line.mend()
    expect(page.locator("#away")).to_be_hidden()
    expect(page.locator("#round")).to_have_text("2")
    expect(page.locator(".area[data-bet=banker]")).to_have_attribute("data-stake", "0")
    expect(page.locator(".area[data-bet=banker] .stack")).to_be_hidden()


def test_no_tap_is_lost_on_a_line_that_loses_half_of_what_is_sent(table: Felt, line: Line, page: Page) -> None:
    line.lose_half()
    for _ in range(3):
        page.locator(".area[data-bet=player]").click()
        page.locator(".area[data-bet=tie]").click()
    expect(page.locator(".area[data-bet=tie]")).to_have_attribute("data-stake", "7500")
    expect(page.locator(".area[data-bet=player]")).to_have_attribute("data-stake", "7500")
    expect(page.locator("[data-pending]")).to_have_count(0)
    stakes = {key[2]: placed.stake_minor for key, placed in table.round.bets.items()}
    assert stakes == {"banker": 25_00, "player": 75_00, "tie": 75_00}


def test_at_zero_no_insurance_is_taken_either(tmp_path: Path, page: Page, troubles: Troubles) -> None:
    troubles.excuse(CUT_LINE)
    pace = Pace(close_insurance_s=CLOSES_S)
    with (
        felt(tmp_path, "commission-insurance", pace, automations=["close_insurance"]) as table,
        Line(table.running.url) as line,
    ):
        come_in(page, table, "Ann")
        page.clock.install()
        page.goto(f"{line.url}/tables/{NAME}")
        sit(page, 3)
        table.open_betting()
        bet(page, "banker", 500_00)
        table.deal(("close_betting", {}))
        table.cards(BANKER_INSURED)
        table.deal(("open_insurance", {}))
        expect(page.locator("[data-insure]")).to_be_enabled()
        line.silence()
        page.clock.run_for(int(CLOSES_S) * 1_000)
        expect(page.locator("[data-insure]")).to_be_disabled()
        expect(page.locator("#insurance [data-dismiss]")).to_be_enabled()
