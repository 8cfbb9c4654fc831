"""A shift in the pit: the table that needs somebody comes first, and keys lead to everything."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.console import TABLET, WIDE, casino, hire, sign_in
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server

QUIET, CLOSING, PROPOSING, CALLING = "commission", "commission-insurance", "super-six-plus", "tiger-buffalo"
"""Each table for what one test does there, so that tests may come in any order."""
DORA, SUE, MAX = (NAMES[each] for each in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER))
DAN = "Dan O'Neill"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with casino(Path(tmp_path_factory.mktemp("pit")), QUIET, CLOSING, PROPOSING, CALLING) as running:
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER, Position.AUDITOR):
            hire(running, position)
        running.hired(DAN, Position.DEALER)
        yield running


def give(floor: Server, table: str, command: str, position: Position = Position.DEALER, **fields: Any) -> None:
    given = floor.command(floor.by(position), table, command, **fields)
    assert given.status_code == 200, given.text


def tables(page: Page) -> list[str]:
    """In the order of the tiles."""
    names: list[str] = page.locator("[data-tile]").evaluate_all("links => links.map(link => link.dataset.tile)")
    return names


def comes_first(page: Page, name: str) -> None:
    wait_until(lambda: tables(page)[0] == name, f"{name} first")


def looks_well(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    assert sticks_out(page) == [], name
    assert axe(page) == [], name
    screenshot(page, name)


def focused(page: Page, name: str) -> None:
    expect(page.locator(f"[data-tile='{name}']")).to_be_focused()


def test_a_supervisor_runs_the_pit_by_keys(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    page = page_at(*WIDE)
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/start?lang=en")
    page.wait_for_url(f"{floor.url}/pit")
    expect(page.locator(".since").first).not_to_be_empty()
    first, second, *_ = tables(page)

    # arrows, and an order that changes only for a table that needs somebody
    page.keyboard.press("ArrowDown")
    focused(page, first)
    page.keyboard.press("ArrowRight")
    focused(page, second)
    give(floor, CALLING, "open_betting")
    expect(page.locator(".p-tile", has=page.locator(f"[data-tile='{CALLING}']"))).to_contain_text("Betting")
    assert tables(page)[:2] == [first, second]
    give(floor, CALLING, "call_pit")
    comes_first(page, CALLING)
    focused(page, second)
    page.keyboard.press("Home")
    focused(page, CALLING)
    expect(page.locator(".p-need.some")).to_be_visible()
    looks_well(page, "pit-call", axe, screenshot)

    # a call is answered with two keys
    page.keyboard.press("c")
    expect(page.locator("[data-answer] button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-answer]")).to_have_count(0)
    comes_first(page, first)
    looks_well(page, "pit-quiet", axe, screenshot)
    assert troubles.left == []


def test_a_proposal_is_approved_and_limits_are_changed_by_keys(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    page = page_at(*WIDE)
    sign_in(page, floor.url, SUE)
    give(floor, PROPOSING, "open_betting")
    give(floor, PROPOSING, "place_bet", who="box 1", box=1, bet="banker", stake_minor=500_00)
    give(floor, PROPOSING, "close_betting")
    page.goto(f"{floor.url}/pit?lang=en")
    expect(page.locator(".since").first).not_to_be_empty()
    proposal = {"id": "fell", "command": {"command": "report_dealing_error.1", "reason": "a card fell"}}
    made = floor.by(Position.DEALER).post(f"/api/tables/{PROPOSING}/proposals", json=proposal)
    assert made.status_code == 201, made.text
    expect(page.locator("#proposal-fell .yes")).to_be_visible()
    looks_well(page, "pit-proposal", axe, screenshot)
    page.keyboard.press("p")
    expect(page.locator("#proposal-fell .yes")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#proposal-fell")).to_have_count(0)
    expect(page.locator(".p-tile", has=page.locator(f"[data-tile='{PROPOSING}']"))).to_contain_text("Players choose")

    page.locator(f"[data-tile='{QUIET}']").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{floor.url}/pit/tables/{QUIET}")
    expect(page.locator("#tile .since").first).not_to_be_empty()
    page.keyboard.press("l")
    field = page.locator("#dialog [data-field='settings.main.max_minor'] input")
    field.fill("60k")
    looks_well(page, "pit-limits", axe, screenshot)
    field.press("Enter")
    expect(page.locator("#dialog")).to_be_hidden()
    expect(page.locator("#tile .p-limits")).to_contain_text("60k")

    # a fill is asked for and sent
    page.keyboard.press("f")
    page.locator("#dialog .pile input").first.fill("2")
    expect(page.locator("#dialog output")).not_to_have_text("0")
    looks_well(page, "pit-fill", axe, screenshot)
    page.keyboard.press("Enter")
    slip = page.locator(".p-slips li")
    expect(slip).to_contain_text("commission-000001")
    expect(slip).to_contain_text("asked for")
    expect(page.locator("#dialog")).to_be_hidden()
    page.keyboard.press("s")
    expect(page.locator("#dialog .pick")).to_have_count(1)
    page.locator("#dialog [type=submit]").click()
    expect(slip).to_contain_text("on its way")
    expect(page.locator("#dialog")).to_be_hidden()
    looks_well(page, "pit-table", axe, screenshot)
    page.keyboard.press("d")
    page.wait_for_url(f"{floor.url}/tables/{QUIET}/deal")
    assert troubles.left == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_manager_assigns_relieves_closes_and_opens(
    language: str, floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("40[49]")
    table = CLOSING
    page = page_at(*TABLET)
    sign_in(page, floor.url, MAX)
    page.goto(f"{floor.url}/pit/tables/{table}?lang={language}")
    who, on_duty, state = (
        page.locator(".assign [name=name]"),
        page.locator(".p-duty li"),
        page.locator("#tile .p-state"),
    )
    expect(page.locator("#tile .since").first).not_to_be_empty()

    def enter(name: str, *keys: str) -> None:
        page.keyboard.press("r")
        expect(who).to_be_focused()
        page.keyboard.type(name)
        for key in keys:
            page.keyboard.press(key)

    enter("nobody", "Enter")
    expect(page.locator(".assign:has([name=name]) .wrong")).not_to_be_empty()
    expect(who).to_be_focused()
    who.fill("")
    page.locator("h1").click()
    for name, keys, count in ((DORA, ("Enter",), 1), (SUE, ("Enter",), 2), (DAN, ("Tab", "Tab", "Enter"), 2)):
        with page.expect_navigation():  # the line may show it before the page is loaded again
            enter(name, *keys)
        expect(on_duty).to_have_count(count)
    expect(on_duty.first).to_contain_text(DAN)
    looks_well(page, f"pit-duty-{language}", axe, screenshot)
    assert floor.run(floor.service.duty.table_of(DORA)) is None
    for left in (1, 0):
        on_duty.first.locator("button").focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(on_duty).to_have_count(left)

    page.keyboard.press("x")
    expect(page.locator("#dialog [type=submit]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(state).to_contain_text({"en": "Closed", "zh": "关闭"}[language])
    expect(page.locator("#dialog")).to_be_hidden()  # the table may change before the answer comes
    page.keyboard.press("o")
    page.locator("#dialog [data-field='float_minor'] input").fill("1000000")
    looks_well(page, f"pit-open-{language}", axe, screenshot)
    page.locator("#dialog [type=submit]").click()
    expect(state).to_contain_text({"en": "No shoe", "zh": "无牌靴"}[language])
    expect(page.locator("#dialog")).to_be_hidden()
    page.keyboard.press("n")
    expect(page.locator("#dialog [type=submit]")).to_be_visible()
    page.locator("#dialog [type=submit]").click()
    expect(state).to_contain_text({"en": "Ready", "zh": "就绪"}[language])
    expect(page.locator("#dialog")).to_be_hidden()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile("/pit$"))
    expect(page.locator(".since").first).not_to_be_empty()
    looks_well(page, f"pit-tablet-{language}", axe, screenshot)


def test_an_auditor_reads_it_on_a_phone(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    page = page_at(*PHONE)
    sign_in(page, floor.url, NAMES[Position.AUDITOR])
    for path, name in (("/pit", "pit-phone"), (f"/pit/tables/{PROPOSING}", "pit-table-phone")):
        page.goto(f"{floor.url}{path}?lang=zh")
        expect(page.locator(".since").first).not_to_be_empty()
        looks_well(page, name, axe, screenshot)
    expect(page.locator("[data-open]")).to_have_count(0)
    assert troubles.left == []


def test_the_dialogs_of_a_table_fit_a_phone(floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot) -> None:
    page = page_at(*PHONE)
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/pit/tables/{QUIET}?lang=en")
    expect(page.locator("#tile .since").first).not_to_be_empty()
    page.keyboard.press("k")
    expect(page.locator("#dialog .pad")).to_be_visible()
    assert page.locator("#dialog").evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") == 0
    looks_well(page, "pit-count-phone", axe, screenshot)
