"""Chips lie on the felt at once and are confirmed after. However quick the taps are, none is lost."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Troubles
from tests.browser.tables import MAXIMUM_MINOR, NAME, PLAY_MONEY_MINOR, Felt, bet, come_in, sit
from tests.browser.test_late_taps import HeldRequests
from tests.floor.playing import At, player

TAP = """async ([bets, everyMs]) => {
  const shown = [];
  for (const bet of bets) {
    const area = document.querySelector(`.area[data-bet=${bet}]`);
    area.click();
    shown.push(area.querySelector(".sum").textContent);
    await new Promise((done) => setTimeout(done, everyMs));
  }
  return shown;
}"""


def seated(page: Page, felt: Felt, chip_minor: int) -> None:
    come_in(page, felt, "Ann")
    sit(page, 1)
    felt.open_betting()
    expect(page.locator(".area[data-bet=banker]")).to_be_enabled()
    page.locator(f"input[name=chip][value='{chip_minor}']").check()


def stakes(felt: Felt) -> dict[str, int]:
    return {bet: placed.stake_minor for (_, _, bet), placed in felt.round.bets.items()}


def all_confirmed(page: Page) -> None:
    expect(page.locator("[data-pending], [data-waiting]")).to_have_count(0)


def test_taps_every_50_ms_all_count_and_show_at_once(insured: Felt, page: Page) -> None:
    seated(page, insured, 25_00)
    shown = page.evaluate(TAP, [["banker", "banker", "tie", "banker", "tie", "banker"] * 2, 50])
    assert shown == ["25", "50", "25", "75", "50", "100", "125", "150", "75", "175", "100", "200"]
    all_confirmed(page)
    assert stakes(insured) == {"banker": 200_00, "tie": 100_00}
    expect(page.locator("#balance")).to_have_text("9,700")


def test_a_chip_is_shown_before_the_table_has_answered(insured: Felt, page: Page) -> None:
    seated(page, insured, 25_00)
    held = HeldRequests(page)
    page.evaluate(TAP, [["banker"] * 3, 0])
    held.wait_for_one()
    area = page.locator(".area[data-bet=banker]")
    expect(area).to_have_attribute("data-pending", "")
    assert area.get_attribute("data-stake") == "0"
    expect(area.locator(".sum")).to_have_text("75")
    expect(area.locator(".chip")).to_have_count(3)
    expect(page.locator("#balance")).to_have_text("9,925")
    insured.seat("Bo", 4)  # the page is drawn again, and the chips still lie there
    expect(page.locator("#stage .seat").nth(3)).to_contain_text("Bo")
    expect(area.locator(".sum")).to_have_text("75")
    held.release()
    expect(area).to_have_attribute("data-stake", "7500")
    all_confirmed(page)
    assert stakes(insured) == {"banker": 75_00}


def test_of_taps_sent_together_those_that_fit_stay_and_the_others_bounce_back(
    insured: Felt, page: Page, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    seated(page, insured, 25_00)
    bet(page, "banker", 25_00)
    insured.seat("Bo", 4)
    insured.running.run(At(insured.running.floor, NAME, "behind").do(player("Bo"), "stand_behind", who="Bo", box=1))
    held = HeldRequests(page)
    page.evaluate(TAP, [["banker"] * 5, 0])
    held.wait_for_one()
    insured.bet("Bo", 1, "banker", MAXIMUM_MINOR - 100_00)
    held.release()
    all_confirmed(page)
    expect(page.locator("#messages .refusal")).to_contain_text("Your box is full on Banker: it holds at most")
    expect(page.locator(".area[data-bet=banker] .sum")).to_have_text("100")
    assert insured.round.bets["Ann", 1, "banker"].stake_minor == 100_00
    expect(page.locator("#balance")).to_have_text("9,900")


def test_all_chips_bounce_back_when_no_more_bets_are_taken(insured: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("status of 409")
    seated(page, insured, 25_00)
    held = HeldRequests(page)
    page.evaluate(TAP, [["banker", "tie"], 0])
    held.wait_for_one()
    insured.pit("report_excess_card", cards=["9s"])
    held.release()
    expect(page.locator("#messages .refusal")).to_be_visible()
    all_confirmed(page)
    expect(page.locator(".area .stack:visible")).to_have_count(0)
    expect(page.locator("#balance")).to_have_text("10,000")
    assert insured.round.bets == {}


def test_undo_takes_back_whole_acts(insured: Felt, page: Page) -> None:
    seated(page, insured, 25_00)
    page.evaluate(TAP, [["banker", "banker", "tie"], 0])
    page.keyboard.press("d")
    page.keyboard.press("d")  # 200 on Banker, 100 on Tie
    all_confirmed(page)
    assert stakes(insured) == {"banker": 200_00, "tie": 100_00}
    for left in (
        {"banker": 100_00, "tie": 50_00},
        {"banker": 50_00, "tie": 25_00},
        {"banker": 50_00},
        {"banker": 25_00},
    ):
        page.keyboard.press("u")
        expect(page.locator(".area[data-bet=banker]")).to_have_attribute("data-stake", str(left["banker"]))
        expect(page.locator(".area[data-bet=tie]")).to_have_attribute("data-stake", str(left.get("tie", 0)))
        all_confirmed(page)
        assert stakes(insured) == left
    page.reload()  # what was done in this round is remembered
    page.locator("[data-do=undo]").click()
    expect(page.locator("#balance")).to_have_attribute("data-minor", str(PLAY_MONEY_MINOR))
    assert stakes(insured) == {}
    expect(page.locator("[data-do=undo]")).to_be_disabled()
