"""Players at the pit: registered, identified, rated, and given a code with which they play at a screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.console import TABLET, WIDE, casino, hire, open_table, sign_in
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server

FELT, SCREENS = "commission", "Jade"
SUE, SID, AUDE = (NAMES[each] for each in (Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER, Position.AUDITOR))


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A felt table with somebody unknown at box 2, and a table with screens and somebody unknown at box 1."""
    with casino(Path(tmp_path_factory.mktemp("players")), FELT) as running:
        open_table(running, "super-six-plus", SCREENS, observing=False, faces_by_rank=False)
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER, Position.AUDITOR):
            hire(running, position)
        for table, box, amount_minor in ((FELT, 2, 25_000_00), (SCREENS, 1, 1_500_00)):
            dealer = running.by(Position.DEALER)
            bought = running.command(dealer, table, "buy_in", who=f"box {box}", amount_minor=amount_minor)
            assert bought.status_code == 200, bought.text
        yield running


def plays_with(
    phone: Page, floor: Server, player: str, code: str, language: str, axe: Axe, screenshot: Screenshot
) -> None:
    """A player signs in on a phone and takes a place."""
    phone.goto(f"{floor.url}/enter?lang={language}")
    phone.locator("#player-id").fill(player.lower())
    phone.locator("#player-code").fill("wrong")
    phone.locator("[data-enter=code] button").click()
    expect(phone.locator("#player-code-wrong")).not_to_be_empty()
    assert (sticks_out(phone), axe(phone)) == ([], [])
    screenshot(phone, f"players-enter-{language}")
    phone.locator("#player-code").fill(code)
    phone.locator("[data-enter=code] button").click()
    phone.wait_for_url(f"{floor.url}/tables/{SCREENS}")
    box = 3 if language == "en" else 4
    phone.locator(f"[data-sit='{box}']").first.click()
    wait_until(lambda: floor.floor.table(SCREENS).state.seats.get(box) == player, "the player sits")
    expect(phone.locator("[data-play-money]")).to_have_count(0)
    screenshot(phone, f"players-table-{language}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_player_is_registered_identified_and_plays_with_a_code(
    language: str, floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("40[0139]")
    page = page_at(*WIDE)
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/pit/players?lang={language}")
    expect(page.locator("tr.large")).to_have_count(1)
    page.locator("#new-name").fill(f"Li Mei {language}")
    page.locator("#new-card").fill("not a card")
    page.locator("[data-players=register] button").click()
    expect(page.locator("[data-players=register] .wrong")).not_to_be_empty()
    page.locator("#new-card").fill(f"gold-{language}")
    with page.expect_navigation():
        page.locator("[data-players=register] button").click()
    expect(page.locator("#player-h")).to_contain_text(f"Li Mei {language}")
    player = page.locator("[data-player]").get_attribute("data-player") or ""

    if language == "en":  # there is one person to identify
        page.locator("#place").select_option("box 1")
        expect(page.locator("#identity")).to_have_value(player)
        with page.expect_navigation():
            page.locator("[data-players=identify] button").click()
        expect(page.locator(".holdings li")).to_have_count(1)
    else:
        dealer = floor.by(Position.DEALER)
        assert floor.command(dealer, SCREENS, "buy_in", who=player, amount_minor=900_00).status_code == 200
        page.reload()
        expect(page.locator(".holdings li")).to_have_count(1)
    assert axe(page) == []
    page.locator("[data-players=code] button").click()
    code = page.locator("[data-slip=code]")
    expect(code).not_to_be_empty()
    expect(page.locator("#slip")).to_be_focused()
    assert (sticks_out(page), axe(page)) == ([], [])
    screenshot(page, f"players-{language}")
    page.emulate_media(media="print")
    expect(page.locator("#register-h")).to_be_hidden()
    expect(code).to_be_visible()
    screenshot(page, f"players-slip-{language}")
    page.emulate_media(media="screen")

    phone = page_at(*PHONE)
    plays_with(phone, floor, player, code.inner_text(), language, axe, screenshot)

    # a supervisor signs them out, and the phone loads its page again by itself
    page.locator("[data-players=revoke] button").click()
    expect(page.locator("#slip")).to_be_hidden()
    expect(phone.locator(".who a[href='/enter']:visible")).to_be_visible()
    assert troubles.left == []


def test_an_auditor_reads_and_a_shift_manager_erases(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    registered = floor.by(Position.PIT_SUPERVISOR).post("/api/players", json={"name": "Bo Chan", "notes": "tall"})
    player = registered.json()["id"]
    page = page_at(*TABLET)
    sign_in(page, floor.url, AUDE)
    page.goto(f"{floor.url}/pit/players?lang=en&search=bo+ch")
    expect(page.locator("#player-h")).to_contain_text("Bo Chan")
    expect(page.locator(".notes")).to_have_text("tall")
    expect(page.locator("[data-players]")).to_have_count(0)
    assert (sticks_out(page), axe(page)) == ([], [])
    screenshot(page, "players-auditor")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert (sticks_out(page), axe(page)) == ([], [])
    screenshot(page, "players-phone")
    sign_in(page, floor.url, SID)
    page.goto(f"{floor.url}/pit/players?lang=en&player={player}")
    page.locator("summary", has_text="Erase").click()
    page.locator("[data-players=erase] button").click()
    expect(page.locator(".paper[role=status]")).to_contain_text("erased")
    assert troubles.left == []
