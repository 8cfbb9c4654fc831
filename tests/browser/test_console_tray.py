"""Fills and counts at the console: asked for, received and counted by keyboard, with a supervisor's PIN."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from punto.table.records.ledger import tray_minor
from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Troubles
from tests.browser.console import PIN, TABLET, Console, enrol, hire, open_table, sign_by_pin
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server, server

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
FLOAT_MINOR = 1_000_000_00


def dialog(page: Page) -> Locator:
    return page.locator("#dialog")


def choose(console: Console, name: str) -> None:
    """A dialog of the menu of the table, once the last one is gone."""
    expect(dialog(console.page)).to_be_hidden()
    console.synced()
    console.press("t")
    dialog(console.page).locator(f"[data-open={name}]").click()


def pile(page: Page, value_minor: int, count: str) -> None:
    dialog(page).locator(f"[data-value='{value_minor}']").fill(count)


def second_count(console: Console, count: str) -> None:
    """The supervisor counts after the dealer, at the dealer's terminal."""
    page = console.page
    choose(console, "count_tray")
    expect(dialog(page).locator("p").first).to_contain_text(DORA)
    shown = dialog(page).inner_text()
    assert not any(sum_ in shown for sum_ in ("1,010,000", "1,020,000", "1,020,250"))  # nothing counted or expected
    pile(page, 1_000_000, count)
    dialog(page).locator("[data-field=name] input").fill(SUE)
    dialog(page).locator("[data-field=pin] input").fill(PIN)
    console.press("Enter")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_fill_is_asked_for_and_received_and_two_people_count_the_tray(
    page: Page, axe: Axe, troubles: Troubles, tmp_path: Path, language: str
) -> None:
    troubles.excuse("status of 409")  # counts that differ
    with server(str(tmp_path / "floor.db")) as running:
        _play(page, axe, running, language)


def _play(page: Page, axe: Axe, running: Server, language: str) -> None:
    hire(running, Position.DEALER)
    hire(running, Position.PIT_SUPERVISOR, pin=PIN)
    open_table(running, "commission", "Jade", cash_out_supervised_minor=500_00)
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    enrol(page, running, "Jade")
    console = Console(page, running, "Jade")
    console.sign_in(DORA, language)

    choose(console, "request_fill")
    pile(page, 500_000, "4")
    expect(dialog(page).locator("output")).to_have_text("20,000")
    pile(page, 2_500, "10")
    expect(dialog(page).locator("output")).to_have_text("20,250")
    assert axe(page) == []
    console.press("Enter")
    wait_until(lambda: bool(console.state.slips))

    for sent in (False, True):
        choose(console, "slips")
        expect(dialog(page).locator(".pick")).to_contain_text("Jade-000001")
        console.press("Enter")
        sign_by_pin(page, SUE)
        wait_until(lambda done=sent: not console.state.slips if done else console.state.slips[1].sent)  # type: ignore[misc]
    assert tray_minor(console.state.balances) == FLOAT_MINOR + 20_250_00

    # two counts that differ are void: the dialog closes, and the next one starts from nothing
    choose(console, "count_tray")
    dialog(page).locator(".pick").first.click()
    pile(page, 1_000_000, "101")
    console.press("Enter")
    expect(dialog(page)).to_be_hidden()
    second_count(console, "102")
    expect(dialog(page)).to_be_hidden()
    assert tray_minor(console.state.balances) == FLOAT_MINOR + 20_250_00

    choose(console, "count_tray")
    dialog(page).locator(".pick").first.click()
    pile(page, 1_000_000, "102")
    assert axe(page) == []
    console.press("Enter")
    expect(page.locator("#messages")).to_contain_text(DORA)
    second_count(console, "102")
    expect(page.locator("#messages")).to_contain_text("1,020,000")
    expect(page.locator("#messages")).to_contain_text("1,020,250")
    assert tray_minor(console.state.balances) == 1_020_000_00

    expect(dialog(page)).to_be_hidden()
    console.synced()
    console.press("s")
    dialog(page).locator("[data-open=cash_out]").click()
    expect(dialog(page).locator("p").first).to_contain_text("500")
