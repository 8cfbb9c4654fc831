"""The fairness page: what is published before the first card and after the last, and the check in the browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.floor.shoes.shoe_kind import ShoeKind
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.browser.tables import Felt, add_table
from tests.web.serving import Server, server

LOOKED_AT = ("/board", "/odds")
TRAINING = {"en": "Training table: the cards come from a seed", "zh": "练习桌：牌序由种子产生"}  # noqa: RUF001 - so it is written


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor for the tables of this file."""
    with server(str(tmp_path_factory.mktemp("fairness") / "floor.db")) as made:
        yield made


@pytest.fixture(scope="module")
def sealed(running: Server) -> Felt:
    """A table with a virtual shoe."""
    return add_table(running, "commission", "Sealed", ShoeKind.VIRTUAL)


@pytest.fixture(scope="module")
def seeded(running: Server) -> Felt:
    """A table for training."""
    return add_table(running, "commission-insurance", "Seeded", ShoeKind.SEEDED)


def test_a_shoe_is_sealed_opened_and_checked_in_the_browser(
    sealed: Felt, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(f"{sealed.address}/fairness")
    seal = page.locator("section", has_text="Shoe Sealed 1, in play").locator("code.hash").inner_text()
    assert len(seal) == 64
    assert page.locator("[data-shoe]").count() == 0
    look_at(page, "fairness-sealed", axe, screenshot)

    # a round is dealt from it, and then the shoe is over
    sealed.open_betting()
    sealed.deal(("close_betting", {}), *[("deal_card", {})] * 4)
    drawn = [str(card) for card in sealed.round.cards]
    page.reload()
    assert page.locator("[data-shoe]").count() == 0
    finish(sealed)
    sealed.pit("load_shoe", shoe="Sealed 2", decks=8)
    page.reload()
    shoe = page.locator("[data-shoe]", has_text="Shoe Sealed 1, over")
    expect(shoe.locator("[data-commitment]")).to_have_text(seal)
    cards = (shoe.locator("[data-cards]").text_content() or "").split()
    assert len(cards) == 416
    assert cards[:4] == drawn

    proof, button = shoe.locator("[data-proof]"), shoe.get_by_role("button", name="Check in this browser")
    expect(proof).to_be_empty()
    button.click()
    expect(proof).to_have_text("The seal matches: these are the cards that were sealed.")
    look_at(page, "fairness-opened", axe, screenshot)
    swap_two_cards(page)
    button.click()
    expect(proof).to_have_text("The seal does not match these cards.")
    screenshot(page, "page-fairness-broken")
    swap_two_cards(page)
    button.click()
    expect(proof).to_contain_text("The seal matches")


def finish(table: Felt) -> None:
    """Deal the cards that the coup still needs, from the sealed shoe, and settle."""
    rules = table.running.floor.tables[table.name].rules
    while not rules.coup(" ".join(str(card) for card in table.round.cards)).finished:
        table.deal(("deal_card", {}))
    table.deal(("settle", {}))


def swap_two_cards(page: Page) -> None:
    """Swap two different cards on the page."""
    page.locator("[data-cards]").first.evaluate("""shown => {
      const cards = shown.textContent.trim().split(" ");
      const other = cards.findIndex((card) => card !== cards[0]);
      [cards[0], cards[other]] = [cards[other], cards[0]];
      shown.textContent = cards.join(" ");
    }""")


def test_of_a_real_shoe_the_page_says_that_there_is_nothing_to_seal(
    running: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    table = add_table(running, "commission", "Real")
    page.goto(f"{table.address}/fairness")
    expect(page.locator(".lead")).to_contain_text("This table is dealt from a real shoe")
    expect(page.locator(".paper")).to_have_count(0)
    expect(page.locator(".training")).to_have_count(0)
    look_at(page, "fairness-real", axe, screenshot)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_seeded_shoe_is_said_on_every_screen(
    seeded: Felt, page: Page, axe: Axe, screenshot: Screenshot, language: str
) -> None:
    words = TRAINING[language]
    page.context.request.post(f"{seeded.running.url}/api/visit", data={"name": f"Ann {language}"})
    for path in ("", "/board", "/odds", "/fairness", "/history"):
        page.goto(f"{seeded.address}{path}?lang={language}")
        expect(page.locator("main .training")).to_have_text(words)
        if language == "en" and path in LOOKED_AT:
            look_at(page, f"training{path.replace('/', '-')}", axe, screenshot)
    page.goto(f"{seeded.running.url}/?lang={language}")
    expect(page.locator("li.table", has_text="Seeded").locator(".training")).to_have_text(words)
    expect(page.locator(".training")).to_have_count(1)
    if language == "en":
        look_at(page, "training-lobby", axe, screenshot)


def test_each_round_of_a_shuffler_is_checked_in_the_browser(
    running: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    table = add_table(running, "super-six-plus", "Machine", ShoeKind.VIRTUAL, continuous={"back_after_rounds": 2})
    page.goto(f"{table.address}/fairness")
    block = page.locator("section", has_text="Shuffler Machine 1, block 1")
    root = block.locator("code.hash").inner_text()
    assert len(root) == 64
    drawn = [play_a_round(table), play_a_round(table)]
    page.reload()
    orders = page.locator("[data-order]")
    expect(orders).to_have_count(2)
    for shown, cards, passed in zip(reversed(orders.all()), drawn, (0, len(drawn[0])), strict=True):
        expect(shown.locator("[data-commitment]")).to_have_text(root)
        codes = [each.get_attribute("src") or "" for each in shown.locator("p.strip").first.locator("img").all()]
        assert [code.rsplit("/", 1)[1][:2] for code in codes][: len(cards)] == cards
        expect(shown.locator("details").first.locator("img")).to_have_count(passed)
    newest = orders.first
    proof, button = newest.locator("[data-proof]"), newest.get_by_role("button", name="Check in this browser")
    button.click()
    expect(proof).to_have_text("The seal matches: these are the cards that were sealed.")
    assert "command below" not in newest.locator("template[data-cannot]").inner_html()  # there is none
    look_at(page, "fairness-shuffler", axe, screenshot)
    swap_two_cards(page)
    button.click()
    expect(proof).to_have_text("The seal does not match these cards.")


def play_a_round(table: Felt) -> list[str]:
    """The cards of a round dealt from a sealed shuffler."""
    table.open_betting()
    table.deal(("close_betting", {}), *[("deal_card", {})] * 4)
    finish(table)
    return [str(card) for card in table.round.cards]
