"""Rounds at a table that records cards only, by keyboard and by touch, within the budget of keys."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from punto.table.records.positions import Position
from tests.browser.console import CARDS_ONLY, Console, casino, hire
from tests.web.serving import NAMES

ROUNDS = {
    "9 2 K K": "Player wins",
    "2 9 K K": "Banker wins",
    "9 9 K K": "Tie",
    "K 3 2 K 3 5": "Banker wins",
}
"""Cards in the order drawn."""


@pytest.mark.parametrize("hands", ["keyboard", "touch"])
def test_an_ordinary_round_takes_nine_keys(tmp_path: Path, page: Page, hands: str) -> None:
    with casino(tmp_path, "commission", **CARDS_ONLY) as running:
        hire(running, Position.DEALER)
        console = Console(page, running, "commission")
        console.sign_in(NAMES[Position.DEALER])
        for number, (cards, result) in enumerate(ROUNDS.items(), 1):
            console.at("ready")
            if hands == "keyboard":
                console.press("Space", "Space", *cards.split())
            else:
                console.tap("Space", "Space")
                console.tap(*cards.split(), of="rank")
            console.at("result")
            assert console.now == result
            console.shows(cards.split())
            console.tap("Space")
            console.at("ready")
            assert console.count() <= 9
            assert console.round.number == number
            assert console.round.settled
