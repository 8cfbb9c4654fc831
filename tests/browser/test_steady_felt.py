"""What happens at the table moves nothing on the page, takes no focus away, and is told when it lies on the felt."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, PageAt
from tests.browser.tables import BANKER_INSURED, BANKER_WINS, Felt, bet, come_in, sit, synced
from tests.floor.playing import At, player

SIZES = ((1366, 768), (844, 390), PHONE)
OBSERVE = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push([value, ...sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
  }).observe({ type: "layout-shift" });
}"""
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def as_player(felt: Felt, name: str, command: str, **fields: Any) -> None:
    """Give a command as a player, without a browser: what follows an input may move the page."""
    at = At(felt.running.floor, felt.name, f"{name}-{command}-{felt.state.round and felt.round.number}")
    felt.running.run(at.do(player(name), command, who=name, **fields))


def test_a_round_moves_nothing(insured: Felt, page_at: PageAt) -> None:
    pages = [page_at(*size) for size in SIZES]
    for number, page in enumerate(pages, 1):
        come_in(page, insured, f"Ann {number}")
        sit(page, number)
    insured.seat("Bo", 5)
    as_player(insured, "Bo", "stand_behind", box=1)
    for page in pages:
        synced(page, insured)
        page.evaluate(OBSERVE)
    for _ in range(2):
        insured.open_betting()
        for number in range(1, len(pages) + 1):
            for each in ("banker", "tie", "player_pair"):
                insured.bet(f"Ann {number}", number, each, 100_00)
        insured.bet("Bo", 1, "banker", 50_00)
        shown(pages, ".area[data-bet=banker][data-stake='10000']")
        insured.deal(("close_betting", {}))
        for card in BANKER_INSURED.split():
            insured.cards(card)
        shown(pages, "#stage .card:nth-child(2) img")
        insured.deal(("open_insurance", {}))
        shown(pages, "#insurance")
        for page in pages:
            page.evaluate("() => document.querySelector('[data-dismiss]').click()")
        shown(pages, ".reopen:visible")
        insured.deal(("close_insurance", {}))
        insured.finish()
        shown(pages, ".call .outcome")
    for page, size in zip(pages, SIZES, strict=True):
        page.evaluate(FRAMES)
        assert page.evaluate("() => window.shifts") == [], size


def shown(pages: list[Page], selector: str) -> None:
    for page in pages:
        page.locator(selector).first.wait_for()
        page.evaluate(FRAMES)


def test_the_focus_stays_when_betting_and_insurance_close(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    banker = page.locator(".area[data-bet=banker]")
    expect(banker).to_be_enabled()
    page.keyboard.press("3")
    banker.focus()
    page.keyboard.press("Enter")
    expect(banker).to_have_attribute("data-stake", "10000")
    insured.deal(("close_betting", {}))
    expect(banker).to_be_disabled()
    expect(banker).to_be_focused()
    page.keyboard.press("Enter")  # no more bets
    insured.cards(BANKER_INSURED)
    insured.deal(("open_insurance", {}))
    expect(page.locator("#insurance")).to_be_visible()
    page.locator("#ins-stake").focus()
    insured.deal(("close_insurance", {}))
    insured.finish()
    expect(page.locator("#insurance")).to_have_count(0)
    expect(page.locator(".mybox")).to_be_focused()
    assert insured.round.results[-1].stake_minor == 100_00


def test_leaving_takes_two_steps(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    page.locator("#leaving summary").click()
    expect(page.locator("#leaving")).to_contain_text("Your box becomes free for others. Your chips stay yours.")
    page.locator("#leaving summary").click()
    expect(page.locator("[data-leave]")).to_be_hidden()
    assert insured.state.seats == {1: "Ann"}
    page.locator("#leaving summary").click()
    page.locator("[data-leave]").click()
    expect(page.locator("[data-sit='1']")).to_be_visible()
    assert insured.state.seats == {}


def test_the_chips_of_those_behind_are_not_mine(insured: Felt, page: Page, page_at: PageAt) -> None:
    come_in(page, insured, "Ann")
    sit(page, 2)
    insured.seat("Bo", 5)
    as_player(insured, "Bo", "stand_behind", box=2)
    insured.open_betting()
    bet(page, "banker", 25_00)
    insured.bet("Bo", 2, "banker", 50_00)
    expect(page.locator(".seat.mine .sum")).to_have_text("25 +50")
    stranger = page_at(*DESK)  # sees nobody's bets, and what lies in the box
    stranger.goto(insured.address)
    expect(stranger.locator(".seat.taken .sum").first).to_have_text("75")


def test_the_score_is_told_when_the_card_lies(insured: Felt, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    insured.deal(("close_betting", {}))
    insured.cards("Ks 2d Kh Kc")  # Player 0, Banker 2: both draw
    synced(page, insured)
    expect(page.locator(".hand.player .points")).to_contain_text("0")
    old = [page.locator(".hand.player .points").element_handle(), page.locator(".call .after-card").element_handle()]
    insured.cards("6s")
    expect(page.locator(".hand.player .points")).to_contain_text("6")
    # a badge and words of their own, which appear when the card has arrived
    assert [each.evaluate("node => node.isConnected") for each in old] == [False, False]
    seconds = "(selector) => { const style = getComputedStyle(document.querySelector(selector));"
    way_s = page.evaluate(f"{seconds} return parseFloat(style.animationDuration); }}", "#card-5")
    for told in (".hand.player .points", ".call .after-card"):
        assert page.evaluate(f"{seconds} return style.animationName; }}", told) == "told"
        assert page.evaluate(f"{seconds} return parseFloat(style.animationDelay); }}", told) >= way_s > 0


def test_what_is_bet_and_won_moves_no_bet(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    names = ".area .name, .area .pays"
    expect(page.locator(".area[data-bet=banker]")).to_be_enabled()
    places = "nodes => nodes.map((node) => node.getBoundingClientRect()).map(({ left, top }) => [left, top])"
    before = page.locator(names).evaluate_all(places)
    for each in ("banker", "player_pair", "tie"):
        bet(page, each, 25_00)
    assert page.locator(names).evaluate_all(places) == before
    insured.play(BANKER_WINS)
    expect(page.locator(".call .outcome")).to_be_visible()
    assert page.locator(names).evaluate_all(places) == before
