"""A pit manager stops gaming on a page; every staff page and the console say it, until two people release it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.console import TABLET, WIDE, casino, hire, sign_in
from tests.browser.looking import look_at, sticks_out
from tests.web.serving import NAMES, Server

TABLE = "commission"
DORA, MAX, SID = (NAMES[each] for each in (Position.DEALER, Position.PIT_MANAGER, Position.SHIFT_MANAGER))
HOSTILE = f"smoke <script>alert(1)</script> \"'& {'x' * 200}"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with casino(Path(tmp_path_factory.mktemp("stops")), TABLE) as running:
        for position in (Position.DEALER, Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.ADMINISTRATOR):
            hire(running, position)
        yield running


def looks_well(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    assert sticks_out(page) == [], name
    assert axe(page) == [], name
    screenshot(page, name)


def everybody_reads_it(floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot) -> None:
    """At the board and at the table, without a reason and without a name."""
    board, phone = page_at(*WIDE), page_at(*PHONE)
    board.goto(f"{floor.url}/tables/{TABLE}/board?lang=zh")
    expect(board.locator("#now")).to_contain_text("游戏已暂停。")
    phone.goto(f"{floor.url}/tables/{TABLE}?lang=en")
    expect(phone.locator("#stage")).to_contain_text("Gaming is stopped.")
    for each, name in ((board, "stops-board-zh"), (phone, "stops-table-phone")):
        looks_well(each, name, axe, screenshot)
        assert "smoke" not in each.content()
        assert MAX not in each.locator("body").inner_text()


def says_who_proposes(page: Page) -> None:
    """At once and after it was loaded again, instead of the form to propose it."""
    for again in (page.reload, lambda: None):
        expect(page.locator("#stop-1 .done")).to_contain_text(f"{MAX} proposes to release it: no fire.")
        expect(page.get_by_label("Why gaming can go on")).to_have_count(0)
        again()


def test_gaming_is_stopped_by_one_and_released_by_two(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    console, page, beside = page_at(*TABLET), page_at(*WIDE), page_at(*WIDE)
    sign_in(console, floor.url, DORA)
    console.goto(f"{floor.url}/tables/{TABLE}/deal?lang=en")
    expect(console.locator("#now")).to_contain_text("Place your bets, please")
    sign_in(page, floor.url, MAX)
    page.goto(f"{floor.url}/pit?lang=en")
    page.get_by_role("link", name="Stop gaming").click()
    page.wait_for_url(f"{floor.url}/pit/stops")
    expect(page.locator("#stops")).to_be_hidden()
    look_at(page, "stops-none", axe, screenshot)
    sign_in(beside, floor.url, SID)
    beside.goto(f"{floor.url}/pit/stops?lang=en")

    # all gaming, with a reason; open pages say it without a reload
    everything = page.locator("form", has=page.get_by_role("heading", name="All gaming"))
    everything.get_by_label("Reason").fill(HOSTILE)
    with page.expect_navigation():
        everything.get_by_role("button", name="Stop all gaming").click()
    expect(page.locator("#stops")).to_contain_text(f"All gaming is stopped. Reason: {HOSTILE} ({MAX})")
    look_at(page, "stops-in-force", axe, screenshot)
    expect(console.locator("#stops")).to_contain_text("All gaming is stopped.")
    expect(beside.locator("#in-force")).to_contain_text("1 · All gaming is stopped.")
    now = console.locator("#now .moment:visible")
    expect(now).to_contain_text("Gaming is stopped")
    expect(now).not_to_contain_text("Place your bets")
    looks_well(console, "stops-console", axe, screenshot)

    everybody_reads_it(floor, page_at, axe, screenshot)

    # the same again is refused beside its form
    everything.get_by_label("Reason").fill("once more")
    everything.get_by_role("button", name="Stop all gaming").click()
    expect(everything.get_by_role("alert")).to_have_text("That is already stopped: stop 1.")

    # what the dealer enters all the same is recorded
    console.keyboard.press("a")
    expect(console.locator("body")).to_have_attribute("data-name", "betting")

    # one proposes to release it, another approves it in the pit
    page.get_by_label("Why gaming can go on").fill("no fire")
    page.get_by_role("button", name="Propose to release stop 1").click()
    expect(page.locator("#stop-1 .done")).to_be_visible()
    for each in (beside, page):
        says_who_proposes(each)
    other = page_at(*WIDE)
    sign_in(other, floor.url, SID)
    other.goto(f"{floor.url}/pit?lang=en")
    queue = other.locator("#queue")
    expect(queue).to_contain_text("Release stop 1 (All gaming): no fire")
    looks_well(other, "stops-pit", axe, screenshot)
    queue.locator(".yes").click()
    expect(other.locator("#stops")).to_be_hidden()
    expect(console.locator("#stops")).to_be_hidden()
    expect(beside.locator("#in-force")).to_have_text("Nothing is stopped.")
    expect(beside.locator(".over b")).to_have_text("1 · All gaming")
    page.goto(f"{floor.url}/pit/stops")
    expect(page.locator(".over li")).to_have_count(1)
    expect(page.locator(".over")).to_contain_text(f"released by {SID}")
    assert troubles.left == []


def test_the_page_fits_a_phone_in_chinese(floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot) -> None:
    page = page_at(*PHONE)
    sign_in(page, floor.url, MAX)
    page.goto(f"{floor.url}/pit/stops?lang=zh")
    staff = page.locator("form", has=page.get_by_role("heading", name="一位工作人员"))
    staff.get_by_label("账户").fill(DORA)
    staff.get_by_label("原因").fill("调查中")
    with page.expect_navigation():
        staff.get_by_role("button", name="暂停").click()
    expect(page.locator("#stops")).to_contain_text(f"账户“{DORA}”已被暂停。")
    looks_well(page, "stops-phone-zh", axe, screenshot)
