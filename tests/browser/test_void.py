"""A void round on the page: reason, clauses and note fit, and nothing else moves."""

from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Page, expect

from punto.table.decision import MAX_REASON_LENGTH
from punto.table.records.positions import Position
from punto.web.http.auth import cookie_name
from tests.browser.conftest import DESK, PHONE, Axe, PageAt, Screenshot
from tests.browser.looking import sticks_out
from tests.browser.tables import Felt, bet, choose_language, come_in, felt, sit

SIZES = (DESK, (1366, 768), (1920, 1080), (1121, 768), (844, 390), (720, 900), PHONE)
SAID = ".call > span, .call .clause, .call .note"
FIXED = ".arc .seat path, .areas, .take, #rail"
OTHERS = f"{FIXED}, .arc .print, .hand h2, .hand .card, .shoe"
REASON = "the joker lay between two cards of the shoe, as three people saw; ".ljust(MAX_REASON_LENGTH, "x")

Place: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of the page."""


def places(page: Page, selector: str) -> list[Place]:
    """The places of all visible elements that match."""
    found: list[list[float]] = page.locator(selector).evaluate_all("""nodes => nodes
      .map((node) => node.getBoundingClientRect()).filter((box) => box.width && box.height)
      .map((box) => [box.left, box.top + scrollY, box.right, box.bottom + scrollY])""")
    return [(left, top, right, bottom) for left, top, right, bottom in found]


def overlaps(one: Place, other: Place) -> bool:
    """Touching does not count as overlap."""
    return min(one[2], other[2]) - max(one[0], other[0]) > 0.5 and min(one[3], other[3]) - max(one[1], other[1]) > 0.5


def pushed(before: list[Place], after: list[Place]) -> list[tuple[Place, Place]]:
    """Elements that moved down or sideways. On a phone, a third card takes a little height and gives it back."""
    return [(old, new) for old, new in zip(before, after, strict=True) if new[0] != old[0] or new[1] > old[1] + 0.5]


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def sign_in(page: Page, table: Felt) -> None:
    """Sign in as a new pit supervisor, who sees the note."""
    token = table.running.hired("vera", Position.PIT_SUPERVISOR)
    page.context.add_cookies([{"name": cookie_name(table.running.config), "value": token, "url": table.running.url}])
    page.goto(table.address)


@pytest.mark.parametrize(
    ("cards", "report"),
    [
        ("9s", "report_interruption"),
        pytest.param("Ks 2d Kh Kc As 4s", "report_foreign_card", marks=pytest.mark.nightly),
    ],
)
def test_nothing_is_covered_or_pushed(
    cards: str, report: str, tmp_path: Path, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, "da-hu-ying-xiong") as table:
        player, chinese, staff = (page_at(*DESK) for _ in range(3))
        come_in(player, table, "Ann")
        sit(player, 3)
        come_in(chinese, table, "Bo")
        choose_language(chinese, "zh")
        sit(chinese, 4)
        sign_in(staff, table)
        table.open_betting()
        bet(player, "player", 100_00)
        table.deal(("close_betting", {}))
        table.cards(cards)
        seen = (player, "player"), (chinese, "chinese"), (staff, "staff")
        before = {}
        for page, name in seen:
            expect(page.locator("#stage .card img")).to_have_count(len(cards.split()))
            for size in SIZES:
                resize(page, size)
                before[name, size] = places(page, FIXED)
        table.pit(report, reason=REASON)
        for page, name in seen:
            expect(page.locator(".call .ground")).to_be_visible()
            expect(page.locator(".call .note")).to_have_count(1 if page is staff else 0)
            for size in SIZES:
                resize(page, size)
                screenshot(page, f"void-{name}-{len(cards.split())}-{size[0]}")
                said, others = places(page, SAID), places(page, OTHERS)
                assert len(said) == page.locator(SAID).count() > 3
                assert [(name, size, each, other) for each in said for other in others if overlaps(each, other)] == []
                assert pushed(before[name, size], places(page, FIXED)) == [], (name, size)
                tops = {place[1] for place in places(page, ".call .clause")}
                assert len(tops) == 1, "the clauses stand in one row"
                assert sticks_out(page) == []
            assert axe(page) == [], name


def test_the_whole_note_is_opened_by_keyboard(insured: Felt, page: Page, axe: Axe) -> None:
    insured.open_betting()
    insured.deal(("close_betting", {}))
    sign_in(page, insured)
    insured.pit("report_foreign_card", reason=REASON)
    note = page.locator(".call[aria-live=polite] .note")
    expect(note).to_have_text(REASON)
    cut = "node => node.scrollWidth > node.clientWidth"
    assert note.locator("q").evaluate(cut)
    page.locator(".call .clause").last.focus()
    page.keyboard.press("Tab")
    expect(note.locator("summary")).to_be_focused()
    for size in (DESK, PHONE):
        resize(page, size)
        around = places(page, FIXED)
        page.keyboard.press("Enter")
        expect(note).to_have_attribute("open", "")
        assert not note.locator("q").evaluate(cut)
        assert places(page, FIXED) == around
        assert sticks_out(page) == []
        assert axe(page) == []
        page.keyboard.press("Enter")
        assert note.locator("q").evaluate(cut)
