"""On every screen, cards, bets, chips and balance are in sight at once, and nothing that happens moves them."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.library import book, book_ids
from tests.browser.conftest import PageAt, Screenshot
from tests.browser.looking import sticks_out
from tests.browser.tables import BANKER_INSURED, LAYOUTS, Felt, bet, come_in, felt, sit
from tests.marks import rest_at_night

SIZES = (
    *((844, 390), (932, 430), (1024, 600), (1024, 768), (1120, 630), (1280, 720), (1366, 650), (1366, 768)),
    *((1440, 900), (1536, 730), (1600, 780), (1920, 1080), (2200, 1150), (2560, 1080), (2560, 1440)),
)
SEEN = "#stage .card, .call > span, .area, .pick, .move, #balance, .reopen"
OUT_OF_SIGHT = """(selector) => {
  const nodes = [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  return nodes.flatMap((node) => {
    const box = node.getBoundingClientRect();
    const [right, bottom] = [innerWidth + 0.5, innerHeight + 0.5];
    const inside = box.top >= -0.5 && box.left >= -0.5 && box.bottom <= bottom && box.right <= right;
    return inside ? [] : [`${node.className} ${node.textContent.trim()} to ${box.right}, ${box.bottom}`];
  });
}"""
CUT = """() => [...document.querySelectorAll(".area")].flatMap((area) => {
  const around = area.getBoundingClientRect();
  const texts = [...area.querySelectorAll(".name, .zh, .pays, .sum")].filter((node) => node.checkVisibility());
  return texts.map((node) => node.getBoundingClientRect())
    .filter((box) => box.top < around.top - 1 || box.bottom > around.bottom + 1 || box.right > around.right + 1)
    .map((box) => `${area.textContent.trim()}: ${box.top} to ${box.bottom} in ${around.top} to ${around.bottom}`);
})"""


def all_in_sight(page: Page, name: str, screenshot: Screenshot) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        where = f"{name} at {width}x{height}"
        assert page.evaluate(OUT_OF_SIGHT, SEEN) == [], where
        assert page.evaluate(CUT) == [], where
        assert sticks_out(page) == [], where
        screenshot(page, f"size-{name}-{width}x{height}")


def bet_on_all(page: Page, table: Felt) -> None:
    table.open_betting()
    for each in book(table.game).layouts[LAYOUTS[table.game][0]].menu:
        bet(page, each, 25_00)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", rest_at_night(book_ids(), ["tiger-buffalo"]))
def test_cards_bets_chips_and_balance_are_in_sight(
    name: str, language: str, tmp_path: Path, page_at: PageAt, screenshot: Screenshot
) -> None:
    with felt(tmp_path, name) as table:
        page = page_at(*SIZES[0])
        come_in(page, table, "Ann")
        page.goto(f"{table.address}?lang={language}")
        sit(page, 2)
        bet_on_all(page, table)
        all_in_sight(page, f"{name}-{language}-betting", screenshot)
        table.deal(("close_betting", {}))
        table.cards(BANKER_INSURED)
        insures = book(name).insurance is not None
        if insures:
            table.deal(("open_insurance", {}))
            page.locator("#insurance [data-dismiss]").click()
            expect(page.locator(".reopen")).to_be_visible()
            all_in_sight(page, f"{name}-{language}-insurance", screenshot)
            table.deal(("close_insurance", {}))
        table.finish()
        expect(page.locator(".call .outcome")).to_be_visible()
        expect(page.locator("#stage .card img")).to_have_count(len(table.round.cards))
        all_in_sight(page, f"{name}-{language}-settled", screenshot)
