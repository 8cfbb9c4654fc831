"""A count of none voids nothing by itself: a rank is typed, and only the guide ends the round, with a supervisor."""

from typing import Any

from playwright.sync_api import Page, expect

from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.browser.conftest import Screenshot
from tests.browser.console import PIN, Console, enrol, hire, open_table, press_space, sign_by_pin
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server


def console_with_left(page: Page, running: Server, table: str, left: int) -> Console:
    """A felt table whose shoe has this many cards left by the count: the others lay on the floor in a void round."""
    open_table(running, "commission-insurance", table)
    shoe = running.floor.table(table).state.shoe
    assert shoe is not None
    given: list[tuple[Position, str, dict[str, Any]]] = [
        (Position.DEALER, "open_betting", {}),
        (Position.DEALER, "close_betting", {}),
        (Position.PIT_SUPERVISOR, "report_excess_card", {"cards": [None] * (shoe.left - left)}),
        (Position.SHIFT_MANAGER, "rule", {"reason": "cards on the floor", "effect": "void"}),
    ]
    for position, command, fields in given:
        answer = running.command(hire(running, position), table, command, **fields)
        assert answer.status_code == 200, answer.text
    enrol(page, running, table)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER])
    console.at("void")
    console.press("Space")
    console.at("ready")
    return console


def why(page: Page) -> str:
    return " ".join(page.locator("#now .why:visible").all_inner_texts())


def test_a_rank_is_typed_at_a_count_of_none_and_the_table_stops(page: Page, running: Server) -> None:
    console = console_with_left(page, running, "typed at none", 4)
    assert "Only 4 cards are left by the count" in why(page)
    console.type("_1B100_")
    console.at("closed")
    console.type("KKKK")
    console.at("third")
    assert console.now == "By the count the shoe is empty"
    console.press("5")
    page.wait_for_url("**/guide**")  # the table has stopped by itself
    raised = console.round.irregularities.raised
    assert raised is not None
    assert (raised.kind, str(raised.card)) == (Irregularity.CARD_COUNT, "5")
    assert console.round.irregularities.void is None


def test_space_at_a_count_of_none_opens_the_guide_where_a_supervisor_ends_the_round(
    page: Page, running: Server, screenshot: Screenshot
) -> None:
    hire(running, Position.PIT_SUPERVISOR, pin=PIN)
    console = console_with_left(page, running, "space at none", 4)
    console.type("_1B100_KKKK")
    console.at("third")
    expect(page.locator("#now [data-key=Space]:visible")).to_contain_text("open the guide")
    screenshot(page, "console-count-of-none")
    press_space(page)
    page.wait_for_url("**/guide**")
    assert console.round.irregularities.void is None
    expect(page.locator("#guide")).to_have_attribute("data-step", "tiles")
    press_space(page)  # the tile that the table points to
    expect(page.locator("#guide")).to_have_attribute("data-step", "facts")
    screenshot(page, "guide-count-of-none")
    press_space(page)
    sign_by_pin(page, NAMES[Position.PIT_SUPERVISOR])
    wait_until(lambda: console.state.phase is Phase.READY)
    assert console.round.irregularities.void is Irregularity.SHOE_RUN_OUT
