"""Approvals at the dealer's terminal and from the approver's own page: right, wrong, stale, own and declined ones."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.floor.journal.entry import context_of
from punto.table.records.positions import Position
from tests.browser.conftest import Axe, PageAt, Troubles
from tests.browser.console import CARDS_ONLY, PIN, Console, enrol, hire, open_table, sign_by_pin, sign_in
from tests.web.serving import NAMES, Server, server

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
OWN_PIN = "815203"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("approvals") / "floor.db")) as made:
        hire(made, Position.DEALER, pin=OWN_PIN)
        hire(made, Position.PIT_SUPERVISOR, pin=PIN)
        yield made


def proposing(page: Page, running: Server, table: str, *, terminal: bool = True) -> Console:
    """A dealer who has proposed that the first card of a round was an eight."""
    open_table(running, "commission", table, **CARDS_ONLY)
    if terminal:
        enrol(page, running, table)
    console = Console(page, running, table)
    console.sign_in(DORA)
    console.type("__929")
    propose(page, console)
    return console


def propose(page: Page, console: Console) -> None:
    expect(page.locator("#card-3 img")).to_be_visible()
    console.press("p")
    page.locator("[data-open=correct_card]").wait_for()
    console.press("1")
    page.locator("#dialog .pick", has_text="Card 1").click()
    page.locator("#dialog .card-typed").fill("8")
    console.press("Enter")
    expect(page.locator("#dialog .follows")).to_have_text("The nine was really the eight.")


def sign(page: Page, name: str, pin: str) -> None:
    page.locator("#dialog [name=name]").fill(name)
    page.locator("#dialog [name=pin]").fill(pin)
    page.keyboard.press("Enter")


def first_card(console: Console) -> str:
    return str(console.round.cards[0])


def test_a_wrong_pin_and_ones_own_approve_nothing(page: Page, running: Server, axe: Axe, troubles: Troubles) -> None:
    troubles.excuse("40[139]")
    console = proposing(page, running, "wrong")
    wrong = page.locator("#dialog .wrong")
    assert axe(page) == []
    sign(page, SUE, "999998")
    expect(wrong).to_have_text("The name or the PIN is wrong.")
    expect(page.locator("#dialog [name=pin]")).to_have_value("")
    sign(page, DORA, OWN_PIN)
    expect(wrong).to_have_text("You proposed this yourself. Another person has to approve it.")
    assert first_card(console) == "9"
    sign_by_pin(page, SUE)
    expect(page.locator("#card-1 img")).to_have_attribute("alt", "eight")
    assert first_card(console) == "8"


def test_proposer_approver_and_terminal_are_in_the_journal(page: Page, running: Server) -> None:
    proposing(page, running, "journal")
    sign_by_pin(page, SUE)
    expect(page.locator("#card-1 img")).to_have_attribute("alt", "eight")
    live = running.floor.tables["journal"]
    entry = running.run(live.after(live.openings, 0))[-1]
    assert (entry.actor, entry.position) == (SUE, Position.PIT_SUPERVISOR)
    context = context_of(entry)
    assert (context.proposed_by, context.approved_by) == (DORA, SUE)
    assert context.terminal


def test_a_table_that_has_changed_shows_what_would_follow_now(page: Page, running: Server, troubles: Troubles) -> None:
    troubles.excuse("409")
    console = proposing(page, running, "stale")
    dealer = hire(running, Position.DEALER)
    given = running.command(dealer, "stale", "deal_card", card="K")
    assert given.status_code == 200, given.text
    sign(page, SUE, PIN)
    expect(page.locator("#dialog .wrong")).to_have_text("The table has changed since. This is what would follow now.")
    sign_by_pin(page, SUE)
    expect(page.locator("#card-1 img")).to_have_attribute("alt", "eight")
    assert first_card(console) == "8"


def test_what_is_left_to_the_pit_waits_in_sight_and_is_approved_from_the_queue(
    page: Page, page_at: PageAt, running: Server, axe: Axe
) -> None:
    console = proposing(page, running, "queue", terminal=False)
    expect(page.locator("#dialog .sign")).to_contain_text("no PIN counts here")
    console.press("Escape")
    expect(page.locator("#waiting button")).to_have_text("Waits for approval: Correct a card")
    pit = page_at(1280, 800)
    sign_in(pit, running.url, SUE)
    pit.goto(f"{running.url}/approvals")
    article = pit.locator("article", has_text="Table queue, round 1")
    expect(article).to_contain_text("Proposed by dora (dealer)")
    expect(article.locator(".follows")).to_have_text("The nine was really the eight.")
    assert axe(pit) == []
    article.get_by_role("button", name="Approve").click()
    expect(article).to_have_count(0)
    expect(page.locator("#card-1 img")).to_have_attribute("alt", "eight")
    expect(page.locator("#waiting")).to_be_hidden()
    assert "Correct a card. Approved: sue" in console.message()


def test_what_is_declined_is_said_with_its_reason(page: Page, page_at: PageAt, running: Server) -> None:
    console = proposing(page, running, "declined", terminal=False)
    console.press("Escape")
    expect(page.locator("#waiting button")).to_be_visible()
    pit = page_at(1280, 800)
    sign_in(pit, running.url, SUE)
    pit.goto(f"{running.url}/approvals?lang=zh")
    article = pit.locator("article", has_text="declined")
    expect(article.locator("h2")).to_have_text("更正牌面")
    article.locator("[name=reason]").fill("look at the camera first")
    article.locator("[name=decline]").click()
    expect(article).to_have_count(0)
    expect(page.locator("#waiting")).to_be_hidden()
    assert console.message() == "Correct a card. Declined: sue. Reason: look at the camera first"
    assert first_card(console) == "9"


def test_the_queue_is_live_and_dealers_cannot_approve_in_it(page: Page, page_at: PageAt, running: Server) -> None:
    pit = page_at(1280, 800)
    sign_in(pit, running.url, SUE)
    pit.goto(f"{running.url}/approvals?table=live")
    expect(pit.locator("#queue")).to_have_text("Nothing waits for approval.")
    console = proposing(page, running, "live", terminal=False)
    expect(pit.locator("article h2")).to_have_text("Correct a card")
    page.goto(f"{running.url}/approvals?table=live")
    expect(page.locator("article .state")).to_have_text("You proposed this. Somebody else has to approve it.")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    console.sign_in(DORA)
    page.locator("#waiting button").click()
    page.locator("#dialog [data-withdraw]").click()
    expect(page.locator("#waiting")).to_be_hidden()
    expect(pit.locator("#queue")).to_have_text("Nothing waits for approval.")
