"""How a round ended for a player: the amount on the bet, in words, and as a sound if they want one."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Axe, PageAt, Screenshot
from tests.browser.tables import BANKER_WINS, PLAYER_WINS, bet, come_in, felt, sit

HEARD = """
window.heard = [];
window.AudioContext = class {
  constructor() { Object.assign(this, { state: "running", currentTime: 0, sampleRate: 8000, destination: {} }); }
  node() {
    const change = () => {};
    const param = { setValueAtTime: change, exponentialRampToValueAtTime: change };
    return { gain: param, frequency: {}, connect: (to) => to, start: change, stop: change };
  }
  createGain() { return this.node(); }
  createBiquadFilter() { return this.node(); }
  createBuffer() { return { getChannelData: () => [] }; }
  createBufferSource() { window.heard.push("noise"); return this.node(); }
  createOscillator() { window.heard.push("tone"); return this.node(); }
};
"""
FLOWN = """() => {
  window.flown = [];
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes)
      if (node.className === "flying") window.flown.push(node.textContent);
  }).observe(document.body, { childList: true });
}"""


def test_a_win_is_seen_at_the_bet_and_read_until_the_next_cards(
    tmp_path: Path, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    pages = {"desk": page_at(1280, 800), "phone": page_at(390, 844)}
    with felt(tmp_path, "commission-insurance") as table:
        for box, (name, page) in enumerate(pages.items(), 1):
            page.emulate_media(reduced_motion="no-preference")
            come_in(page, table, name)
            sit(page, box)
            page.evaluate(FLOWN)
        table.open_betting()
        for page in pages.values():
            bet(page, "banker", 100_00)
            bet(page, "tie", 25_00)
        table.play(BANKER_WINS)
        for name, page in pages.items():
            result = page.locator("#own-result[role=status]")
            expect(result).to_contain_text("Round 1: +70 · Banker +95, Tie \N{MINUS SIGN}25")
            expect(page.locator("[data-bet=banker] .won-by")).to_have_text("+95")
            expect(page.locator("[data-bet=tie] .won-by")).to_have_count(0)
            page.wait_for_function("() => window.flown.join() === '+95'")
            expect(page.locator(".flying")).to_have_count(0)
            assert axe(page) == []
            screenshot(page, f"win-{name}")
        table.open_betting()
        for name, page in pages.items():
            expect(page.locator("#round")).to_have_text("2")
            expect(page.locator("#own-result")).to_contain_text("Round 1: +70")
            expect(page.locator("#side .results li")).to_have_count(2)
            page.reload()  # nothing flies again
            page.evaluate(FLOWN)
            expect(page.locator("#own-result")).to_contain_text("Round 1: +70")
            bet(page, "banker", 25_00)
            screenshot(page, f"win-read-{name}")
        table.deal(("close_betting", {}))
        first, *others = PLAYER_WINS.split()
        table.cards(first)
        for page in pages.values():
            expect(page.locator("#round")).to_have_text("2")
            expect(page.locator("#card-1 img")).to_be_visible()
            expect(page.locator("#own-result")).to_contain_text("Round 1: +70")  # until their next result
            expect(page.locator("#side .results li")).to_have_count(2)
        table.cards(" ".join(others))
        table.deal(("settle", {}))
        for page in pages.values():
            expect(page.locator("#own-result")).to_have_text("Round 2: \N{MINUS SIGN}25")
            assert page.evaluate("window.flown") == []


def test_sounds_are_made_once_they_are_wanted(tmp_path: Path, page: Page) -> None:
    page.add_init_script(HEARD)
    with felt(tmp_path, "commission") as table:
        come_in(page, table, "Ann")
        sit(page, 1)
        table.open_betting()
        bet(page, "banker", 100_00)
        assert page.evaluate("window.heard") == []
        page.locator("[data-leaf=settings]").click()
        page.locator("#leaf [name=sound][value=on]").check()
        page.wait_for_function("() => window.heard.length === 3")  # a chip, to hear that it is on
        page.keyboard.press("Escape")
        heard = 3

        def expect_more(sources: int) -> None:
            nonlocal heard
            heard += sources
            page.wait_for_function("(wanted) => window.heard.length === wanted", arg=heard)

        bet(page, "tie", 25_00)
        expect_more(3)
        table.deal(("close_betting", {}))
        expect_more(2)
        for card in BANKER_WINS.split():
            table.cards(card)
            expect_more(1)
        table.deal(("settle", {}))
        expect_more(4)
