"""A table with sixteen labelled boxes whose cards are entered by rank alone, on two screens and in two languages."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot
from tests.browser.looking import sticks_out
from tests.browser.tables import bet, come_in, felt, sit

LABELS = ("1", "2", "3", "5", "6", "7", "8", "9", "10", "11", "12", "15", "16", "17", "18", "19")
LAPTOP = (1366, 768)


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize(("language", "box"), [("en", "Box 5 (yours)"), ("zh", "5号位（您的座位）")])
def test_sixteen_labelled_boxes_and_cards_by_rank(
    tmp_path: Path, page_at: PageAt, axe: Axe, screenshot: Screenshot, size: tuple[int, int], language: str, box: str
) -> None:
    with felt(tmp_path, "tiger-buffalo", layout="K", boxes=16, box_labels=LABELS, faces_by_rank=True) as table:
        page = page_at(*size)
        for number in range(5, 17):
            table.seat(f"Player {LABELS[number - 1]}", number)
        come_in(page, table, "Ann")
        page.goto(f"{table.address}?lang={language}")
        screenshot(page, f"labels-{language}-{size[0]}-places")
        sit(page, 4)
        expect(page.locator("#box-h")).to_contain_text(box)
        table.open_betting()
        for number in range(5, 17):
            table.bet(f"Player {LABELS[number - 1]}", number, "banker", 1_250_00)
        bet(page, "banker", 100_00)
        table.play("9 2 K 3")
        expect(page.locator(".card img.face")).to_have_count(4)
        expect(page.locator(".call .outcome")).to_be_visible()
        assert sticks_out(page) == []
        assert axe(page) == []
        assert _out_of_their_boxes(page) == []
        screenshot(page, f"labels-{language}-{size[0]}-settled")
        page.goto(f"{table.address}/board?lang={language}")
        screenshot(page, f"labels-{language}-{size[0]}-board")
        page.goto(f"{table.address}/history?lang={language}")
        screenshot(page, f"labels-{language}-{size[0]}-history")
        page.goto(f"{table.running.url}/?lang={language}")
        assert sticks_out(page) == []
        screenshot(page, f"labels-{language}-{size[0]}-lobby")


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("boxes", [7, 16])
def test_the_longest_labels_fit(
    tmp_path: Path, page_at: PageAt, screenshot: Screenshot, size: tuple[int, int], boxes: int
) -> None:
    labels = [f"W{letter}M" for letter in "ABCDEFGHIJKLMNOP"[:boxes]]
    with felt(tmp_path, "da-hu-ying-xiong", boxes=boxes, box_labels=labels) as table:
        page = page_at(*size)
        for number in range(2, boxes + 1):
            table.seat(f"Player {number}", number)
        table.open_betting()
        for number in range(2, boxes + 1):
            table.bet(f"Player {number}", number, "banker", 5_000_00)
        page.goto(table.address)
        expect(page.locator(".arc .sum")).to_have_count(boxes - 1)
        assert _out_of_their_boxes(page) == []
        screenshot(page, f"long-labels-{boxes}-{size[0]}")


def _out_of_their_boxes(page: Page) -> list[str]:
    """Visible texts that are wider than the box they are in."""
    found: list[str] = page.evaluate("""() => [...document.querySelectorAll(".arc .seat text")].filter((text) => {
      const inner = text.getBoundingClientRect(), outer = text.parentNode.querySelector("path").getBoundingClientRect();
      return inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
    }).map((text) => text.textContent)""")
    return found
