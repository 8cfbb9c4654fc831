"""The first seconds of a page: nothing is fetched late, and no tap is lost."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.tables import Felt, come_in, felt
from tests.browser.test_late_taps import HeldRequests
from tests.waiting import wait_until

CARDS = 52
SCRIPTS = """() => {
  const tags = [...document.querySelectorAll("head script, head link[rel=modulepreload]")];
  const named = tags.map((each) => each.src ?? each.href);
  const files = performance.getEntriesByType("resource").map((each) => each.name);
  const loaded = files.filter((each) => each.includes(".js"));
  return [loaded.filter((each) => !named.includes(each)), loaded.length];
}"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    with felt(tmp_path_factory.mktemp("seconds"), "commission") as made:
        yield made


def test_the_faces_of_the_cards_are_fetched_while_the_first_bets_are_placed(table: Felt, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script("navigator.connection.saveData = false")
    come_in(page, table, "Cleo")
    page.wait_for_load_state()
    assert not any("/cards/" in each and "/back" not in each for each in asked)
    table.seat("Cleo", 3)
    table.open_betting()

    def all_fetched() -> bool:
        page.wait_for_timeout(10)  # lets playwright say what is fetched
        return len({each for each in asked if "/cards/" in each and "/back" not in each}) == CARDS

    wait_until(all_fetched, "all faces")
    table.deal(("close_betting", {}))
    table.cards("9s 2d Kh Kc")
    table.deal(("settle", {}))


def test_every_script_is_named_in_the_head(table: Felt, page: Page) -> None:
    come_in(page, table, "Dido")
    for path in ("", "/board"):
        page.goto(f"{table.address}{path}")
        late, scripts = page.evaluate(SCRIPTS)
        assert late == []
        assert scripts >= 4


def test_taps_before_the_scripts_run_are_made_again(table: Felt, page: Page) -> None:
    come_in(page, table, "Ann")
    table.seat("Ann", 2)
    table.open_betting()
    held = HeldRequests(page, "**/static/table/table.js*")
    page.goto(table.address, wait_until="commit")
    banker, tie = page.locator(".area[data-bet=banker]"), page.locator(".area[data-bet=tie]")
    banker.click()
    tie.click()
    banker.click()
    page.locator("input[name=chip][value='10000']").check()
    held.wait_for_one()
    expect(banker).to_have_attribute("data-stake", "0")
    held.release()
    expect(banker).to_have_attribute("data-stake", "20000")
    expect(tie).to_have_attribute("data-stake", "10000")
    assert {(bet.bet, bet.stake_minor) for bet in table.round.bets.values()} == {("banker", 200_00), ("tie", 100_00)}


def test_a_form_sent_before_the_scripts_run_is_sent_by_them(table: Felt, page: Page) -> None:
    held = HeldRequests(page, "**/static/punto.js*")
    page.goto(f"{table.running.url}/enter", wait_until="commit")
    page.locator("form[data-enter=visit] [name=name]").fill("Esther")
    page.locator("form[data-enter=visit] button").click()
    held.wait_for_one()
    assert page.url == f"{table.running.url}/enter"
    held.release()
    page.wait_for_url(f"{table.running.url}/")
    expect(page.locator(".bar .who")).to_contain_text("Esther")
