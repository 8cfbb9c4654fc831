"""Squeezing on the screen: a card is peeled by drag or key, seen by its player alone, and laid open or timed out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.floor.running.table_setup import Pace
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from tests.browser.conftest import Axe, PageAt, Screenshot
from tests.browser.tables import NAME, Felt, add_table, bet, come_in, let_visitors_in, sit
from tests.waiting import wait_until
from tests.web.serving import server

LONG = Pace(turn_s=0.0, settle_s=600.0, squeeze_s=600.0)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Felt]:
    """Cards are dealt face down from a sealed shoe, and every squeeze is granted."""
    with server(str(tmp_path / "floor.db")) as running:
        made = add_table(
            running,
            "super-six-plus",
            shoes=ShoeKind.VIRTUAL,
            pace=LONG,
            face_down=True,
            squeeze_granted=True,
            automations=["turn", "squeeze", "settle"],
        )
        let_visitors_in(running, NAME)
        yield made


def squeezing(table: Felt, page: Page, side: str) -> None:
    """Ann has the highest bet and squeezes a hand; four cards are dealt."""
    come_in(page, table, "Ann")
    sit(page, 1)
    table.open_betting()
    bet(page, "banker", 500_00)
    page.locator(f"[data-ask-squeeze={side}]").click()
    expect(page.locator(f"[data-ask-squeeze={side}]")).to_have_count(0)
    table.deal(("close_betting", {}), *[("deal_card", {})] * 4)
    expect(page.locator("[data-peel]")).to_have_count(2)


def sealed_card(table: Felt, place: int) -> Card:
    shoe = table.running.run(table.running.floor.sealed_shoe(table.round.shoes[place - 1]))
    assert shoe is not None
    return shoe.cards[table.round.draws[place - 1]]


def pull(page: Page, place: int, share: float) -> None:
    """Take hold of the lower edge of a card and drag it up by a share of its height, without letting go."""
    box = page.locator(f"[data-peel='{place}']").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"]
    page.mouse.move(x, y - 4)
    page.mouse.down()
    page.locator(f"[data-peel='{place}'] img").wait_for(state="attached")
    for step in range(1, 11):
        page.mouse.move(x, y - 4 - box["height"] * share * step / 10)


def faces(page: Page) -> list[str]:
    """The cards that a page names anywhere but in the list of all faces, which it fetches ahead of the first round."""
    content = page.content().replace(page.locator("#table-words").get_attribute("data-faces") or "", "")
    return [card.value for card in Card if f"cards/{card.value}.svg" in content]


def test_only_the_player_who_peels_a_card_sees_it_until_they_lay_it_open(
    table: Felt, page: Page, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    other = page_at(1280, 800)
    squeezing(table, page, "player")
    other.goto(table.address)
    wait_until(lambda: table.round.cards[1] is not None and table.round.cards[3] is not None, "Banker's cards")
    bankers = {sealed_card(table, 2).value, sealed_card(table, 4).value}
    expect(page.locator(".hand.banker img")).to_have_count(2)
    assert set(faces(page)) == bankers
    pull(page, 1, 0.45)
    first = sealed_card(table, 1).value
    assert set(faces(page)) == bankers | {first}
    flap = page.locator("[data-peel='1'] .flap")
    assert "polygon" in flap.evaluate("(flap) => flap.style.clipPath")
    assert axe(page) == []
    screenshot(page, "squeeze-peel")
    page.mouse.up()  # not far enough: it lies down again
    page.wait_for_function("() => document.querySelector(\"[data-peel='1'] .flap\").style.transform === 'none'")
    expect(other.locator(".card.opened")).to_have_count(1)
    expect(other.locator(".hand.banker img")).to_have_count(2)
    assert set(faces(other)) == bankers
    assert table.round.cards[0] is None
    page.evaluate("() => getSelection().selectAllChildren(document.body)")  # the card is dragged, not the text
    pull(page, 1, 0.9)
    page.mouse.up()
    expect(other.locator("#card-1 img")).to_have_attribute("alt", str(page.locator("#card-1 img").get_attribute("alt")))
    assert first in faces(other)
    expect(page.locator("[data-peel]")).to_have_count(1)


def test_by_keys_and_by_taps(table: Felt, phone: Page, axe: Axe, screenshot: Screenshot) -> None:
    squeezing(table, phone, "banker")
    second, fourth = phone.locator("[data-peel='2']"), phone.locator("[data-peel='4']")
    second.focus()
    phone.keyboard.press("ArrowLeft")
    second.locator("img").wait_for(state="attached")
    for _ in range(2):
        phone.keyboard.press("ArrowLeft")
    assert "polygon" in second.locator(".flap").evaluate("(flap) => flap.style.clipPath")
    assert axe(phone) == []
    screenshot(phone, "squeeze-phone")
    assert table.round.cards[1] is None
    for _ in range(4):
        phone.keyboard.press("ArrowLeft")
    expect(phone.locator("#card-2 img")).to_have_count(1)
    fourth.click()
    fourth.locator("img").wait_for(state="attached")
    assert table.round.cards[3] is None
    fourth.click()
    expect(phone.locator("#card-4 img")).to_have_count(1)
    expect(phone.locator("#peeling")).to_have_count(0)
