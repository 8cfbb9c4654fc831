"""A bet that plays only in part is explained by the same line to the player, to the dealer and on the round's page."""

# ruff: noqa: RUF001 - Chinese has punctuation marks of its own

from pathlib import Path

from playwright.sync_api import Page, expect

from punto.rules.coup.table_of_play import Side
from punto.table.records.positions import Position
from punto.table.referee.link import write_link
from punto.table.referee.question import BetLaid, RefereeQuestion
from tests.browser.conftest import Axe, PageAt, Screenshot
from tests.browser.console import WIDE, sign_in
from tests.browser.looking import sticks_out
from tests.browser.tables import Felt, come_in, felt
from tests.web.serving import NAMES

PART = (
    "Placed 1,500; 1,000 plays, 500 goes back: Banker 1,500 - Player 0 is 500 over the limit of 1,000 (5.1.1).",
    "下注1,500：1,000计输赢，500退回；庄1,500 - 闲0，比限额1,000多500（5.1.1）。",
)
TIED = ("The hands tie, and this insurance pays on a tie (4.2.1).", "和局，此项保险在和局时也赔付（4.2.1）。")
NINES = "4s Kd Kh 5c 5d 4h"
"""Player is insured at 9 after the third card, and the hands tie."""


def _play(table: Felt) -> None:
    """Round 1: a bet above the limit loses. Round 2: a tie pays insurance."""
    table.open_betting()
    table.deal(("place_bet", {"who": "Ann", "box": 1, "bet": "banker", "stake_minor": 1_500_00}))
    table.play("9s 2d Kh 3c")


def _insure(table: Felt) -> None:
    table.open_betting()
    table.deal(("place_bet", {"who": "Ann", "box": 1, "bet": "player", "stake_minor": 800_00}), ("close_betting", {}))
    for card in NINES.split():
        if table.coup.cards and len(table.coup.cards) == 5:
            table.deal(("open_insurance", {}), ("take_insurance", {"who": "Ann", "box": 1, "stake_minor": 50_00}))
        table.cards(card)
    table.deal(("settle", {}))
    assert table.coup.winner == "tie"
    assert {table.coup.hand(side).points for side in Side} == {9}


def test_the_line_is_the_same_for_everybody(
    tmp_path: Path, page: Page, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, "commission-insurance", observing=True, differential_minor=1_000_00) as table:
        for position in (Position.DEALER, Position.AUDITOR):
            table.running.token(position)
        come_in(page, table, "Ann")
        table.seat("Ann", 1)
        console = page_at(*WIDE)
        sign_in(console, table.running.url, NAMES[Position.DEALER])
        auditor = page_at(*WIDE)
        sign_in(auditor, table.running.url, NAMES[Position.AUDITOR])

        _play(table)
        expect(page.locator(".played")).to_have_text(PART[0])
        assert not axe(page)
        screenshot(page, "partly-played-table")
        _shows(console, f"{table.address}/deal", "#in-hand .note", PART)
        assert not sticks_out(console)
        screenshot(console, "partly-played-sheet")
        _shows(auditor, f"{table.address}/rounds/1-1", ".results-of .played", PART)
        _shows(page, f"{table.address}/rounds/1-1", ".results-of .played", PART)
        _shows(page, f"{table.address}/history", ".results .played", PART)

        _insure(table)
        _shows(console, f"{table.address}/deal", "#in-hand .note", TIED)
        screenshot(console, "insurance-paid-on-a-tie-sheet")
        for viewer in (auditor, page):
            viewer.goto(f"{table.address}/rounds/1-2?lang=en")
            expect(viewer.locator(".round-step").last.locator(".cited-clauses")).to_contain_text("4.2.1")
        page.goto(f"{table.address}/history?lang=en")
        expect(page.locator(".results").first).to_contain_text(TIED[0])
        auditor.goto(f"{table.address}/rounds/1-1?lang=en")
        auditor.locator(".step-list a").last.click()
        screenshot(auditor, "partly-played-round")


def _shows(page: Page, address: str, where: str, lines: tuple[str, str]) -> None:
    for language, line in zip(("zh", "en"), reversed(lines), strict=True):
        page.goto(f"{address}?lang={language}")
        expect(page.locator(where)).to_have_text(line)


def test_the_referee_says_it_too(tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    question = RefereeQuestion(
        book="commission-insurance",
        table={"differential_minor": 1_000_00},
        bets=(BetLaid(1, "banker", "1500"),),
        happened=("9 2 K 3",),
    )
    with felt(tmp_path, "commission-insurance") as table:
        for language, line in zip(("zh", "en"), (f"1号位，庄：{PART[1]}", f"Box 1, Banker: {PART[0]}"), strict=True):
            page.goto(f"{table.running.url}/referee?q={write_link(question)}&lang={language}")
            expect(page.locator(".ruling .note")).to_have_text(line)
        assert not axe(page)
        screenshot(page, "partly-played-referee")
