"""Pages hold when their text is wider than ours, as with another font or with spacing that a reader adds to it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import DESK, PHONE, PageAt, Screenshot
from tests.browser.console import TABLET, sign_in
from tests.browser.looking import sticks_out
from tests.browser.tables import BANKER_INSURED, Felt, add_table, bet, come_in, felt, sit
from tests.web.serving import NAMES

WIDEN = """([letters, words]) => {
  const sheet = new CSSStyleSheet();  // the content security policy allows no style in the page
  sheet.replaceSync(`* { letter-spacing: ${letters}em !important; word-spacing: ${words}em !important; }`);
  document.adoptedStyleSheets = [sheet];
}"""
SPACING = (0.12, 0.16)
"""Between letters and between words, in widths of the font: the success criterion 1.4.12 of WCAG."""


def holds(page: Page, name: str, screenshot: Screenshot, *sizes: tuple[int, int]) -> None:
    page.evaluate(WIDEN, SPACING)
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        assert sticks_out(page) == [], f"{name} at {width}x{height}"
        screenshot(page, f"wide-{name}-{width}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_sticks_out(language: str, tmp_path: Path, page_at: PageAt, screenshot: Screenshot) -> None:
    with felt(tmp_path, "commission-insurance") as table:
        player, dealer, auditor = (page_at(*PHONE) for _ in range(3))
        come_in(player, table, "Ann")
        for path in ("referee", "", f"tables/{table.name}"):
            player.goto(f"{table.running.url}/{path}?lang={language}")
            holds(player, f"{language}-{path.partition('/')[0] or 'lobby'}", screenshot, PHONE, DESK)
        player.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        sit(player, 2)
        with_insurance(player, table)
        holds(player, f"{language}-insurance", screenshot, PHONE, DESK)
        table.deal(("close_insurance", {}))
        table.finish()
        player.goto(f"{table.address}/rounds/1-1?lang={language}")
        holds(player, f"{language}-round", screenshot, PHONE, DESK)

        add_table(table.running, "tiger-buffalo", "Jade", observing=True).open_betting()
        for page, position in ((dealer, Position.DEALER), (auditor, Position.AUDITOR)):
            table.running.token(position)
            sign_in(page, table.running.url, NAMES[position])
        dealer.goto(f"{table.running.url}/tables/Jade/deal?lang={language}")
        expect(dealer.locator("body")).to_have_attribute("data-name", "betting")
        holds(dealer, f"{language}-console", screenshot, TABLET, DESK)
        auditor.goto(f"{table.running.url}/audit?lang={language}")
        holds(auditor, f"{language}-desk", screenshot, PHONE, DESK)


def with_insurance(page: Page, table: Felt) -> None:
    table.open_betting()
    bet(page, "banker", 500_00)
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    table.deal(("open_insurance", {}))
    expect(page.locator("#insurance")).to_be_visible()
