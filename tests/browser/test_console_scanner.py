"""Cards that come from a scanner that types, slips of the keyboard, and a line that is away for more than a minute."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.library import book
from punto.table.records.positions import Position
from tests.browser.conftest import Screenshot, Troubles
from tests.browser.console import AT_ONCE, CARDS_ONLY, Console, casino, hire
from tests.browser.line import CUT_LINE
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES

GAME = "commission-insurance"
SUITS = {**CARDS_ONLY, "faces_by_rank": False}


def on_record(console: Console) -> str:
    """The cards of the round, in the order drawn."""
    return " ".join(str(card) for card in console.round.cards)


def at_the_close(console: Console) -> None:
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    console.press("Space", "Space")
    console.at("closed")


def test_lines_of_a_scanner_are_cards_and_two_within_a_blink_ask(tmp_path: Path, page: Page) -> None:
    with casino(tmp_path, GAME, **SUITS) as running:
        hire(running, Position.DEALER)
        console = Console(page, running, GAME)
        at_the_close(console)
        page.keyboard.type("As\n")
        console.dealt(1)
        page.wait_for_timeout(400)  # longer than a blink
        page.evaluate(AT_ONCE, [*"10C", "Enter", *"KH", "Enter"])
        expect(page.locator("#ask-at_once")).to_be_visible()
        assert on_record(console) == "As Tc"
        console.press("y")
        console.dealt(3)
        assert on_record(console) == "As Tc Kh"


def test_the_codes_of_a_maker_are_read_by_a_table_of_the_terminal(tmp_path: Path, page: Page) -> None:
    with casino(tmp_path, GAME, **SUITS) as running:
        hire(running, Position.DEALER)
        console = Console(page, running, GAME)
        console.sign_in(NAMES[Position.DEALER])
        page.locator("#scanner").click()
        page.locator("#codes").fill("0114 As\n0209 nine")
        page.locator("#scanner-codes [value=save]").click()
        expect(page.locator("#scanner-codes .wrong")).to_contain_text("0209 NINE")
        page.locator("#codes").fill("0114 As\n0209 9h")
        page.locator("#scanner-codes [value=save]").click()
        expect(page.locator("#scanner-codes")).to_be_hidden()
        at_the_close(console)
        page.keyboard.type("0114\n")
        console.dealt(1)
        page.wait_for_timeout(400)
        page.keyboard.type("0209\n")
        console.dealt(2)
        page.keyboard.type("0000\n")
        assert "0000 is not a card" in console.message()
        assert on_record(console) == "As 9h"


def test_the_last_card_is_typed_again_or_taken_back(tmp_path: Path, page: Page) -> None:
    with casino(tmp_path, GAME, **CARDS_ONLY) as running:
        hire(running, Position.DEALER)
        console = Console(page, running, GAME)
        at_the_close(console)
        console.press("9", "2")
        console.dealt(2)
        console.synced()
        console.press("Backspace", "3")
        page.wait_for_function("() => document.querySelector('#card-2 img').alt === 'three'")
        assert on_record(console) == "9 3"
        console.press("Backspace", "Backspace")
        console.dealt(1)
        assert on_record(console) == "9"


@pytest.mark.parametrize("away_s", [30, 90])
def test_keys_are_kept_for_a_minute_and_after_that_paper_is(
    tmp_path: Path, page: Page, troubles: Troubles, away_s: int
) -> None:
    troubles.excuse(f"{CUT_LINE}|400")
    with casino(tmp_path, GAME, **CARDS_ONLY) as running:
        hire(running, Position.DEALER)
        console = Console(page, running, GAME)
        page.clock.install()
        at_the_close(console)
        page.clock.pause_at(page.evaluate("Date.now() + 600_000"))  # from here on, time is the test's
        page.context.set_offline(True)
        expect(page.locator("#lost")).to_be_visible()
        console.press("9", "2", "K")
        expect(page.locator("#lost [data-lost-keys]")).to_contain_text("9 2 K")
        page.clock.run_for(away_s * 1_000)
        expect(page.locator("#paper-card")).to_be_visible(visible=away_s > 60)
        page.context.set_offline(False)
        page.clock.resume()
        expect(page.locator("#lost")).to_be_hidden()
        if away_s < 60:
            console.dealt(3)
            assert on_record(console) == "9 2 K"
        else:
            expect(page.locator("#paper-bar")).to_be_visible()
            expect(page.locator("#paper-bar")).to_contain_text("Not sent: 9 2 K")
            assert on_record(console) == ""


@pytest.mark.parametrize("settled", [False, True])
def test_the_paper_card_has_the_bets_of_the_round_and_what_insurance_pays(
    tmp_path: Path, page: Page, troubles: Troubles, screenshot: Screenshot, *, settled: bool
) -> None:
    troubles.excuse(f"{CUT_LINE}|400")
    with casino(tmp_path, GAME) as running:
        hire(running, Position.DEALER)
        console = Console(page, running, GAME)
        page.clock.install()
        console.sign_in(NAMES[Position.DEALER])
        console.press("Space")
        console.at("betting")
        console.type("1B1k~2P500~3/B300~")
        console.placed(3)
        console.type("_29KK" if settled else "_K2K3")
        console.at("result" if settled else "insurance_due")
        console.press("Space")
        if settled:
            console.at("settlement")
            console.press("Space")
            expect(page.locator("#sheet [data-line].done")).to_have_count(1)
        else:
            console.at("insurance")
            console.type("i1100~")
            wait_until(lambda: console.round.insurance.cover, "the insurance")
        console.synced()
        page.clock.pause_at(page.evaluate("Date.now() + 600_000"))
        page.context.set_offline(True)
        expect(page.locator("#lost")).to_be_visible()
        page.clock.run_for(90_000)
        expect(page.locator("#paper-card")).to_be_visible()
        lines = [" ".join(row.split()) for row in page.locator("#paper-bets tr").all_inner_texts()]
        if settled:
            assert lines == ["2 Player Take 500 ✓ done", "3 Banker Behind box 3 Pay 285", "1 Banker Pay 950"]
        else:
            assert lines == ["1 Banker 1,000 insured 100", "2 Player 500", "3 Behind box 3 Banker 300"]
        rows = [" ".join(row.split()) for row in page.locator("#paper-card .insurance tr").all_inner_texts()]
        insurance = book(GAME).insurance
        assert insurance is not None
        assert len(rows) == len(insurance.lines) + 3  # the heads of the table and of both stages
        assert rows[2] == "Banker 0-4 5 2 to 1"
        assert rows[-1] == "Player 9 0-6 8 to 1 also on a tie"
        for width, height in ((1280, 800), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            screenshot(page, f"paper-{'sheet' if settled else 'bets'}-{width}")
            assert sticks_out(page) == []
        page.context.set_offline(False)
        page.clock.resume()
        expect(page.locator("#lost")).to_be_hidden()
