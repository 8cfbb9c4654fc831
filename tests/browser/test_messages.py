"""Messages and names: in the language of the page, heard as they are read, and there for as long as somebody reads."""

from playwright.sync_api import Page, expect

from punto.library import book
from punto.rules.topics import Topic
from tests.browser.conftest import Troubles
from tests.browser.tables import BANKER_WINS, MAXIMUM_MINOR, Felt, bet, come_in, sit


def test_a_page_keeps_its_language_when_another_tab_changes_it(insured: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("status of 409")
    come_in(page, insured, "Ann")
    page.goto(f"{insured.address}?lang=zh")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", MAXIMUM_MINOR)
    tab = page.context.new_page()
    tab.goto(f"{insured.running.url}/?lang=en")
    page.locator(".area[data-bet=banker]").click()
    refusal = page.locator("#messages .refusal")
    expect(refusal).to_contain_text("您")
    (clause,) = book(insured.game).topics[Topic.LIMITS]
    refusal.get_by_role("link", name=f"第{clause}条", exact=True).click()
    expect(refusal.locator(".summary")).to_contain_text(book(insured.game).summary(clause, "zh"))
    expect(refusal).to_contain_text("您")


def test_a_summary_stays_while_it_has_the_focus(insured: Felt, page: Page) -> None:
    page.clock.install()
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    insured.play(BANKER_WINS)
    page.locator("#side .results summary").first.click()
    mark = page.locator("#side .results .clause").first
    toast = page.locator("#messages .toast")
    mark.click()
    toast.locator("a").focus()
    page.clock.run_for(30_000)  # the line is lost as well, and comes back
    expect(page.locator("#away")).to_be_hidden()
    expect(toast).to_be_visible()
    mark.focus()
    page.mouse.move(0, 0)
    page.clock.run_for(3_000)
    expect(toast).to_have_count(0)


def test_what_a_screen_reader_says(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    page.goto(f"{insured.address}?lang=zh")
    sit(page, 1)
    insured.open_betting()
    expect(page.get_by_role("button", name="闲 1赔1", exact=True)).to_be_enabled()
    expect(page.get_by_role("button", name="和 1赔8", exact=True)).to_be_enabled()
    expect(page.get_by_role("radio", name="1,000", exact=True)).to_be_enabled()
    expect(page.get_by_role("heading", name="庄", exact=True)).to_be_visible()
