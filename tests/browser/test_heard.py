"""What those hear who do not see the table: whose chips lie there, each card as it comes, and each box once."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Axe, PageAt
from tests.browser.tables import come_in, felt, sit, synced

SIZES = ((1280, 800), (390, 664), (390, 844), (667, 375))
STOPS = """() => {
  const all = [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")];
  const boxOf = (node) => new URLSearchParams(node.getAttribute("href")?.split("?")[1]).get("box")
    ?? node.dataset.sit ?? node.dataset.stand ?? node.dataset.chooseBox ?? (node.dataset.take && node.dataset.box);
  const stops = all.filter((node) => node.tabIndex >= 0 && node.checkVisibility({ visibilityProperty: true }));
  return stops.map(boxOf).filter(Boolean).sort();
}"""


def test_somebody_who_looks_on_hears_whose_stakes_they_are(tmp_path: Path, page: Page) -> None:
    with felt(tmp_path, "commission") as table:
        table.seat("Bob", 4)
        table.open_betting()
        table.bet("Bob", 4, "banker", 25_00)
        page.goto(table.address)
        synced(page, table)
        banker = page.locator(".area[data-bet=banker]")
        expect(banker).to_have_accessible_name(re.compile(r"Banker .*All stakes 25$"))
        expect(page.locator("#box")).not_to_contain_text("Your stake")
        come_in(page, table, "Ann")
        table.seat("Ann", 2)
        table.bet("Ann", 2, "banker", 50_00)
        synced(page, table)
        expect(banker).to_have_accessible_name(re.compile(r"Your stake 50$"))


@pytest.mark.parametrize(
    ("language", "heard"),
    [
        (
            "en",
            [
                "Player: nine of spades, 9 points",
                "Banker: two of diamonds, 2 points",
                "Player: king of hearts, 9 points",
            ],
        ),
        ("zh", ["闲：黑桃9、9 点", "庄：方块2、2 点", "闲：红心K、9 点"]),  # noqa: RUF001 - Chinese
    ],
)
def test_each_card_is_said_as_it_comes(language: str, heard: list[str], tmp_path: Path, page: Page) -> None:
    with felt(tmp_path, "commission") as table:
        table.seat("Bob", 4)
        table.open_betting()
        table.bet("Bob", 4, "player", 25_00)
        page.goto(f"{table.address}?lang={language}")
        spoken = page.get_by_role("log")
        table.deal(("close_betting", {}))
        for card, line in zip(["9s", "2d", "Kh"], heard, strict=True):
            table.cards(card)
            synced(page, table)
            expect(spoken.locator("p").last).to_have_text(line)
        expect(spoken.locator("p")).to_have_count(3)
        table.cards("Kc")
        table.deal(("settle", {}))
        table.open_betting()
        synced(page, table)
        expect(spoken).to_be_empty()


@pytest.mark.parametrize("game", ["commission", "tiger-buffalo"])
def test_tab_stops_at_each_box_once(game: str, tmp_path: Path, page_at: PageAt, axe: Axe) -> None:
    with felt(tmp_path, game) as table:
        page = page_at(*SIZES[0])
        table.seat("Bob", 4)
        come_in(page, table, "Ann")
        boxes = [str(box) for box in range(1, len(page.locator(".seat").all()) + 1)]
        each_once(page, boxes, "choosing")
        assert axe(page) == []
        sit(page, 2)
        synced(page, table)
        each_once(page, boxes, "seated")


def each_once(page: Page, boxes: list[str], state: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        stops = page.evaluate(STOPS)
        own = [box for box in boxes if box not in stops]  # the one that is shown needs no way to it
        assert stops == [box for box in boxes if box not in own], (state, width)
        assert len(own) <= (1 if state == "seated" else 0), (state, width)
