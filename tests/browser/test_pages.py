"""What all pages share: the frame, two languages and the keyboard. Also the pages of the rules."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.library import book
from punto.rules.refusals import Clause
from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.looking import look_at
from tests.browser.tables import NAME, Felt, choose_language, come_in, felt

BOOK, SHORTEST = "tiger-buffalo", "commission"
PAGES = (
    "/",
    "/enter",
    f"/tables/{NAME}",
    f"/tables/{NAME}/board",
    f"/tables/{NAME}/odds",
    f"/tables/{NAME}/fairness",
    f"/tables/{NAME}/history",
    f"/rules/{BOOK}/1.1",
    "/no/such/page",
)
MOST_TABS = 200
CONTROLS = """() => {
  window.controls = [...document.querySelectorAll(
    "a[href], button:not([disabled]), [role=button], input:not([disabled]):not([type=hidden]), select, summary")]
    .filter(
    (each) => each.checkVisibility() && !each.matches("input[type=radio]:not(:checked)"));
  return window.controls.length;
}"""
FOCUSED = """() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const style = getComputedStyle(focused), seen = getComputedStyle(focused.nextElementSibling ?? focused);
  const ringed = (each) => each.outlineStyle !== "none" && parseFloat(each.outlineWidth) >= 2;
  const place = focused.getBoundingClientRect();
  return {
    at: window.controls.indexOf(focused),
    ringed: ringed(style) || (focused.type === "radio" && ringed(seen)),
    inSight: place.bottom > 0 && place.right > 0,
    what: focused.outerHTML.slice(0, 80),
  };
}"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    """A table after one round."""
    with felt(tmp_path_factory.mktemp("pages"), BOOK) as made:
        made.seat("Zoe", 1)
        made.open_betting()
        made.bet("Zoe", 1, "banker", 100_00)
        made.play("2s 9d Kh Kc")
        yield made


def test_every_control_of_every_page_by_the_keyboard(table: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("status of 404")
    come_in(page, table, "Ann")
    for path in PAGES:
        page.goto(f"{table.running.url}{path}")
        controls: int = page.evaluate(CONTROLS)
        reached: list[int] = []
        for _ in range(MOST_TABS):
            page.keyboard.press("Tab")
            focused = page.evaluate(FOCUSED)
            if focused is None or focused["at"] in reached:
                break
            assert focused["ringed"], (path, focused["what"])
            assert focused["inSight"], (path, focused["what"])
            reached.append(focused["at"])
        assert reached[0] == 0, path  # the skip link
        assert sorted(reached) == list(range(controls)), path


def test_the_skip_link_leads_past_the_bar(table: Felt, page: Page) -> None:
    for path in ("/", f"/tables/{NAME}/odds", f"/rules/{BOOK}"):
        page.goto(f"{table.running.url}{path}")
        page.keyboard.press("Tab")
        link = page.get_by_role("link", name="Skip to main content")
        expect(link).to_be_focused()
        expect(link).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.wait_for_url("**#main")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('header, nav') === null"), path


def test_the_language_is_kept_and_so_is_the_page(table: Felt, page: Page) -> None:
    page.goto(f"{table.running.url}/enter?to=/tables/{NAME}/odds")
    html = page.locator("html")
    expect(html).to_have_attribute("lang", "en")
    choose_language(page, "zh")
    assert page.url.startswith(f"{table.running.url}/enter?")
    page.locator("#visitor").fill("Bea")
    page.locator("form[data-enter=visit] button").click()
    page.wait_for_url(f"**/tables/{NAME}/odds")  # where the visitor was going before changing the language
    for path in (f"/tables/{NAME}/fairness", "/", f"/rules/{BOOK}", f"/tables/{NAME}/board"):
        page.goto(f"{table.running.url}{path}")
        expect(html).to_have_attribute("lang", "zh-Hans")
        page.reload()
        expect(html).to_have_attribute("lang", "zh-Hans")
    page.goto(f"{table.address}/odds")
    choose_language(page, "en")
    assert page.url.startswith(f"{table.address}/odds")
    expect(page.get_by_role("heading", level=1)).to_have_text("Odds at Tiger Buffalo")
    page.goto(table.address)
    expect(html).to_have_attribute("lang", "en")


def test_a_browser_that_likes_chinese_gets_it_unasked(table: Felt, page: Page) -> None:
    page.set_extra_http_headers({"accept-language": "zh-CN,zh;q=0.9,en;q=0.5"})
    page.goto(table.running.url)
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")


def test_an_address_with_nothing_at_it(
    table: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 404")
    for language, words in (("en", "Page not found"), ("zh", "没有这个页面")):
        page.goto(f"{table.running.url}/?lang={language}")
        for path in ("/no/such/page", "/tables/none", f"/tables/{NAME}/none", "/rules/none"):
            answer = page.goto(f"{table.running.url}{path}")
            assert answer is not None
            assert answer.status == 404, path
            expect(page.get_by_role("heading", level=1)).to_have_text(words)
        look_at(page, f"error-{language}", axe, screenshot)
    page.locator("main a").click()
    page.wait_for_url(f"{table.running.url}/")


def test_a_book_and_one_of_its_clauses(table: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    rules = book(BOOK)
    page.goto(table.address)
    page.get_by_role("link", name="rules").click()
    page.wait_for_url(f"**/rules/{BOOK}")
    cited = page.locator("tbody th a.clause").all_inner_texts()
    assert cited == list(rules.clauses)
    page.goto(f"{table.running.url}/rules/{SHORTEST}")
    look_at(page, "rules", axe, screenshot)
    page.go_back()
    number = Clause("4.1.8")
    page.locator(f"tbody th a.clause[href='/rules/{BOOK}/{number}']").click()
    expect(page.locator("#clause p").first).to_have_text(rules.summary(number))
    page.wait_for_load_state()
    look_at(page, "clause", axe, screenshot)
    after = list(rules.clauses)[list(rules.clauses).index(number) + 1]
    page.locator(".row a").last.click()
    page.wait_for_url(f"**/rules/{BOOK}/{after}")
    choose_language(page, "zh")
    look_at(page, "clause-chinese", axe, screenshot)


def test_hostile_words_in_an_address_are_words(table: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("status of 404")
    for path in ("/tables/%3Cimg%20src=x%20onerror=alert(1)%3E", "/rules/%3Cscript%3Ealert(1)%3C%2Fscript%3E"):
        page.goto(f"{table.running.url}{path}")
        expect(page.locator("main")).to_contain_text("<")
        assert page.locator("img[src=x], main script").count() == 0
