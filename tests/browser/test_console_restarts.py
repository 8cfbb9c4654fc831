"""The server is killed in each moment of a round, and the console goes on; keys typed meanwhile count once."""

import socket
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.play.restarting import ASKS_AFTER_US
from punto.table.records.positions import Position
from tests.browser.conftest import Troubles
from tests.browser.console import CARDS_ONLY, TABLE, Keys, hire, open_table
from tests.web.process import Process, process
from tests.web.serving import NAMES, server

MOMENTS = (
    ("betting", "_"),
    ("closed", "__"),
    ("cards", "__K2"),
    ("insurance_due", "__K2K3"),
    ("insurance", "__K2K3_"),
    ("insurance_due", "__K2K3_6"),
    ("insurance", "__K2K3_6_"),
    ("result", "__K2K3_6_4"),
)
"""The keys from ``ready`` to each moment of one round: Player 0, Banker 5, then 6 and 4."""
NO_LINE = "ERR_CONNECTION|ERR_SOCKET|WebSocket|net::|Failed to fetch|50[0-9]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A floor with a table that records cards only, and a dealer."""
    with server(str(tmp_path / "floor.db")) as running:
        hire(running, Position.DEALER)
        open_table(running, "commission-insurance", **CARDS_ONLY)
    return tmp_path


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def flags(folder: Path, port: int) -> tuple[str, ...]:
    return ("--db", str(folder / "floor.db"), "--port", str(port))


def test_a_killed_server_comes_back_in_each_moment_and_the_round_goes_on(
    folder: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse(NO_LINE)
    port = free_port()
    running = Process(folder, *flags(folder, port))
    try:
        console = Keys(page, running.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.at("ready")
        typed = ""
        for moment, keys in MOMENTS:
            console.type(keys.removeprefix(typed))
            typed = keys
            console.at(moment)
            running.kill()
            running = Process(folder, *flags(folder, port))
            again(console, moment)
            assert console.cards() == [key for key in keys if key != "_"]
        console.type("_")
        console.at("ready")
        page.reload()
        console.at("ready")
        assert console.cards() == ["K", "2", "K", "3", "6", "4"]
    finally:
        running.kill()


def again(console: Keys, moment: str) -> None:
    """Wait for the line. Where the server was away for long, the dealer confirms the cards."""
    expect(console.page.locator("#lost")).to_be_hidden()
    reached = "moment => ['restarted', moment].includes(document.body.dataset.name)"
    console.page.wait_for_function(f"{reached} && document.getElementById('lost').hidden", arg=moment)
    if console.moment == "restarted":
        console.press("Space")
    console.at(moment)


def test_after_a_long_absence_the_console_asks_whether_the_cards_are_still_these(
    folder: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse(NO_LINE)
    port = free_port()
    with process(folder, *flags(folder, port)) as running:
        console = Keys(page, running.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.type("__K2")
        expect(page.locator("#card-2 img")).to_be_visible()
    time.sleep(ASKS_AFTER_US / 1_000_000 + 0.5)
    with process(folder, *flags(folder, port)) as running:
        console.at("restarted")
        assert console.cards() == ["K", "2"]
        console.press("p")
        page.locator("#dialog [data-open=correct_card]").click()
        page.locator("#dialog .pick").first.click()  # the last one
        page.locator("#dialog .card-typed").fill("3")
        page.keyboard.press("Enter")
        expect(page.locator("#dialog")).to_be_hidden()
        console.at("restarted")
        assert console.cards() == ["K", "3"]
        console.press("Space")
        console.at("cards")
        console.press("K")
        expect(page.locator("#card-3 img")).to_be_visible()
