"""The facts of what went wrong, by taps and by keys: the address of the guide holds them."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from punto.table.records.positions import Position
from tests.browser.console import asked, hire, open_table, rested, sign_in
from tests.web.serving import NAMES, Server, server

IN_ADDRESS = """facts => {
  const told = [...new URLSearchParams(location.search)].filter(([name]) => !["see", "since", "lang"].includes(name));
  return told.length === Object.keys(facts).length && told.every(([name, value]) => facts[name] === value);
}"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("facts") / "floor.db")) as made:
        hire(made, Position.DEALER)
        yield made


class Facts:
    """The facts of a table where Player has 9 to 5 on four cards, box 1 has Banker and box 2 Player."""

    def __init__(self, page: Page, running: Server, table: str, *, by_rank: bool = False) -> None:
        open_table(running, "commission-insurance", table, faces_by_rank=by_rank)
        dealer = hire(running, Position.DEALER)
        steps: list[tuple[str, dict[str, Any]]] = [
            ("open_betting", {}),
            ("place_bet", {"who": "box 1", "box": 1, "bet": "banker", "stake_minor": 100_00}),
            ("place_bet", {"who": "box 2", "box": 2, "bet": "player", "stake_minor": 200_00}),
            ("close_betting", {}),
            *(("deal_card", {"card": card[:1] if by_rank else card}) for card in ("9s", "2d", "Kh", "3c")),
        ]
        for command, fields in steps:
            given = running.command(dealer, table, command, **fields)
            assert given.status_code == 200, given.text
        self.page, self.address = page, f"{running.url}/tables/{table}/guide"
        sign_in(page, running.url, NAMES[Position.DEALER])

    def see(self, tile: str) -> None:
        self.page.goto(f"{self.address}?see={tile}")
        expect(self.page.locator("form[data-facts]")).to_have_attribute("data-tile", tile)

    def told(self, **facts: str) -> None:
        """Wait until the address holds exactly these, and the page has asked again."""
        self.page.wait_for_function(IN_ADDRESS, arg=facts)
        asked(self.page)

    def pick(self, question: str, words: str) -> None:
        asked(self.page)
        self.page.locator(f"#fact-{question} label", has_text=words).click()

    def tap(self, question: str, place: int) -> None:
        asked(self.page)
        self.page.locator(f"#fact-{question} [data-place='{place}']").click()


def test_cards_are_typed_with_their_suits_and_taken_back(running: Server, page: Page) -> None:
    facts = Facts(page, running, "Suits")
    facts.see("excess")
    waits = page.locator("#fact-cards .tr-next")
    page.keyboard.press("9")
    expect(waits).to_have_text("9")
    page.keyboard.press("Backspace")  # only the rank, which waits for its suit
    expect(waits).to_have_text("")
    page.keyboard.type("0h")
    facts.told(cards="Th")
    page.keyboard.type("?")
    facts.told(cards="Th.?")
    expect(page.locator("#fact-cards .tr-typed img")).to_have_count(2)
    page.locator("#fact-cards [data-rank=Backspace]").click()
    facts.told(cards="Th")
    facts.pick("to", "Banker")
    facts.told(cards="Th", to="banker")
    facts.pick("order", "Lost")
    facts.told(cards="Th", to="banker", order="lost")
    expect(page.locator("form [data-missing]")).to_have_attribute("data-fact", "reason")
    page.keyboard.press("1")  # a reason that is given often
    facts.told(cards="Th", to="banker", order="lost", reason="a card fell off the table")
    expect(page.locator("form [data-missing]")).to_have_count(0)


def test_cards_are_tapped_to_the_other_hand_and_into_doubt(running: Server, page: Page) -> None:
    facts = Facts(page, running, "Sides", by_rank=True)
    facts.see("wrong_side")
    banker = page.locator("#fact-wrong [data-side=banker] [data-place]")
    facts.tap("wrong", 1)
    facts.told(wrong="1")
    expect(banker).to_have_count(3)
    page.keyboard.press("ArrowDown")  # to the first question, which then has the focus
    page.keyboard.press("2")
    facts.told(wrong="1.2")
    expect(banker).to_have_count(2)
    facts.tap("wrong", 1)
    facts.told(wrong="2")
    facts.pick("order", "Lost")
    facts.tap("in_doubt", 4)
    facts.tap("in_doubt", 2)
    facts.told(wrong="2", order="lost", in_doubt="2.4")


def test_what_is_filled_in_follows_the_facts_before_it(running: Server, page: Page) -> None:
    facts = Facts(page, running, "Chips", by_rank=True)
    facts.see("late_bet")
    page.keyboard.press("3")
    facts.told(tried="withdrawn")
    amount = page.locator("#fact-amount input")
    facts.pick("bet", "Banker")
    expect(amount).to_have_value("100.00")
    facts.pick("bet", "Player")
    expect(amount).to_have_value("200.00")
    facts.told(tried="withdrawn", bet="2:player:box 2")
    amount.fill("50")
    facts.told(tried="withdrawn", bet="2:player:box 2", amount="50")
    facts.see("late_bet")
    page.keyboard.type("1215")  # at once: placed, by box 2, on Player, 5
    facts.told(tried="placed", who="box 2", bet="player", amount="5")
    expect(page.locator("#fact-box :checked")).to_have_value("2")
    facts.see("nothing_fits")
    facts.pick("effect", "bets are returned")
    facts.pick("bets", "Player")
    facts.pick("bets", "Banker")
    facts.told(effect="return", bets="1:banker:box 1\n2:player:box 2")


def test_keys_typed_at_once_answer_one_question_after_the_other_and_go_on(running: Server, page: Page) -> None:
    facts = Facts(page, running, "Ahead", by_rank=True)
    facts.see("late_bet")
    page.keyboard.type("1215")  # placed, by box 2, on Player, 5
    rested(page)
    page.keyboard.press("Enter")
    expect(page.locator("#guide")).to_have_attribute("data-step", "done")
    expect(page.locator("#done")).to_contain_text("Box 2")


def test_nothing_that_is_tapped_keeps_the_keys_and_space_on_a_chosen_answer_goes_on(
    running: Server, page: Page
) -> None:
    facts = Facts(page, running, "Tapped", by_rank=True)
    facts.see("wrong_cards")
    page.evaluate("""() => addEventListener("change", () => {
      document.body.dataset.focused = document.activeElement.tagName;
    })""")
    facts.pick("what", "another back")
    expect(page.locator("body")).to_have_attribute("data-focused", "BODY")
    facts.told(what="foreign_card")
    page.locator("#fact-what [value=foreign_card]").focus()
    rested(page)
    page.keyboard.press("Space")
    expect(page.locator("#dialog .follows")).to_be_visible()


def test_a_key_counts_as_soon_as_its_step_is_on_the_screen(running: Server, page: Page) -> None:
    """The live line may be faster than the answer to the command before it."""
    facts = Facts(page, running, "Overtaken", by_rank=True)
    facts.see("late_bet")
    expect(page.locator("#head .flag")).to_be_visible()  # the pit is called
    page.keyboard.type("1215")
    facts.told(tried="placed", who="box 2", bet="player", amount="5")

    def overtake(route: Route) -> None:
        answer = route.fetch()
        expect(page.locator("#guide")).to_have_attribute("data-step", "done")
        page.keyboard.press("Space")
        route.fulfill(response=answer)

    page.route("**/commands", overtake)
    rested(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/deal")
