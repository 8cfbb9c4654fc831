"""Stakes at their limits, chips that one cannot afford, refusals at the bet, and insurance by key."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.tables import BANKER_INSURED, BANKER_WINS, PLAY_MONEY_MINOR, Felt, bet, come_in, felt, sit
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    """One table for all tests. Each ends with its round over."""
    with felt(tmp_path_factory.mktemp("stakes"), "commission-insurance") as made:
        yield made


def _staked(table: Felt, who: str) -> dict[str, int]:
    return {placed.bet: placed.stake_minor for placed in table.round.bets.values() if placed.who == who}


def _choose(page: Page, chip: int) -> None:
    page.locator(f"input[name=chip][value='{chip}']").check()


def _read(page: Page, words: str) -> None:
    """Read a message that goes by itself, unless the pointer is on it."""
    toast = page.locator("#messages .toast")
    toast.hover()
    expect(toast).to_contain_text(words)


def _is_at(page: Page, area: Locator) -> bool:
    """Whether the message is above or below the area, and not far from it."""
    toast, around = page.locator("#messages .toast").bounding_box(), area.bounding_box()
    assert toast
    assert around
    overlaps = toast["x"] < around["x"] + around["width"] and around["x"] < toast["x"] + toast["width"]
    above, below = around["y"] - toast["y"] - toast["height"], toast["y"] - around["y"] - around["height"]
    return overlaps and max(above, below) < 40


def test_stakes_are_filled_up_to_the_limit_and_side_bets_repeat_alone(
    table: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("409")  # the table refuses more than the limit
    come_in(page, table, "Ann")
    sit(page, 1)
    table.open_betting()
    tie = page.locator(".area[data-bet=tie]")
    bet(page, "tie", 100_00, times=4)
    _choose(page, 500_00)
    tie.click()
    _read(page, "Filled up to the limit: 100 more.")
    wait_until(lambda: _is_at(page, tie), "the message at the bet")
    page.wait_for_selector(".area[data-bet=tie][data-stake='50000']:not([data-pending])")
    tie.click()  # nothing more fits: the table says why, at the bet
    expect(page.locator("#messages .refusal")).to_be_visible()
    wait_until(lambda: _is_at(page, tie), "the refusal at the bet")
    assert axe(page) == []
    screenshot(page, "refused-at-the-bet")
    assert _staked(table, "Ann") == {"tie": 500_00}

    # double fills up as well
    bet(page, "player", 1_000_00, times=3)
    page.keyboard.press("d")
    page.wait_for_selector(".area[data-bet=player][data-stake='500000']")
    wait_until(lambda: _staked(table, "Ann") == {"tie": 500_00, "player": 5_000_00}, "the doubled bets")
    expect(page.locator("[data-do=double][data-waiting]")).to_have_count(0)
    table.play(BANKER_WINS)

    # the side bets of the last round, and not the main bet
    table.open_betting()
    expect(page.locator("#round")).to_have_text(str(table.round.number))
    expect(page.locator("[data-do=sides]")).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("s")
    page.wait_for_selector(".area[data-bet=tie][data-stake='50000']")
    expect(page.locator("[data-do=sides][data-waiting]")).to_have_count(0)
    assert _staked(table, "Ann") == {"tie": 500_00}
    table.play(BANKER_WINS)


def test_chips_that_one_cannot_afford_are_dim_and_the_rest_is_staked(table: Felt, page: Page) -> None:
    come_in(page, table, "Bea")
    sit(page, 2)
    expect(page.locator(".pick.poor")).to_have_count(0)
    table.open_betting()
    bet(page, "player", 5_000_00)
    bet(page, "banker", 1_000_00, times=4)
    _choose(page, 500_00)
    page.locator(".area[data-bet=banker]").click()
    page.wait_for_selector(".area[data-bet=banker][data-stake='450000']")
    expect(page.locator(".pick.poor input")).to_have_count(2)  # 500 are left: 1,000 and 5,000 are too much
    assert (
        page.locator(".pick.poor input").evaluate_all("all => all.map((each) => each.ariaDescription)")
        == ["more than you have"] * 2
    )
    _choose(page, 1_000_00)
    page.locator(".area[data-bet=banker]").click()
    _read(page, "Filled up")
    page.wait_for_selector(".area[data-bet=banker][data-stake='500000']")
    assert sum(_staked(table, "Bea").values()) == PLAY_MONEY_MINOR
    table.play(BANKER_WINS)


def test_insurance_by_key(table: Felt, page: Page) -> None:
    come_in(page, table, "Cat")
    sit(page, 3)
    table.open_betting()
    bet(page, "banker", 100_00)
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    table.deal(("open_insurance", {}))
    sheet = page.locator("#insurance")
    expect(sheet).to_be_visible()
    page.keyboard.press("n")
    expect(sheet).to_be_hidden()
    page.keyboard.press("i")
    expect(sheet).to_be_visible()
    page.locator("#ins-stake").fill("12")
    page.keyboard.press("n")  # typed into the field
    expect(page.locator("#ins-stake")).to_have_value("12n")
    expect(sheet).to_be_visible()
    page.locator("#ins-stake").fill("12")
    page.keyboard.press("Enter")
    wait_until(lambda: [each.stake_minor for each in table.round.insurance.cover] == [12_00], "the insurance")
    expect(sheet).to_be_hidden()
    page.keyboard.press("i")
    expect(sheet).to_be_visible()
    page.keyboard.press("i")
    wait_until(lambda: len(table.round.insurance.cover) == 2, "more insurance")
    table.deal(("close_insurance", {}))
    table.finish()
