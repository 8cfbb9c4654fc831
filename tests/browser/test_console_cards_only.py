"""Rounds at a table that records cards only, by keyboard and by touch, within the budget of keys."""

from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Page

from punto.table.records.positions import Position
from tests.browser.conftest import Screenshot
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


SIZES = ((1280, 800), (1366, 768), (1920, 1080))
SHOE = {
    "9 X X 2": "Player, natural",
    "2 9 X X": "Banker, natural",
    "9 9 X X": "Tie, natural",
    "X 3 2 X 3 5": "Banker",
    "K X K 9": "Banker, Player Pair, natural",
    "6 6 A 6 3": "Player, Banker Pair",
    "7 6 X X": "Player",
    "8 X X 2": "Player, natural",
}
"""Rounds and what each of them counts; X is any card that counts nothing."""
CUT = """() => {
  const panel = document.getElementById("left"), frame = panel.getBoundingClientRect();
  const cut = [...panel.querySelectorAll("h2, .tally div, .tally dt, .tally dd, .road-box")].filter((each) => {
    const at = each.getBoundingClientRect();
    const outside = at.top < frame.top || at.bottom > frame.bottom || at.right > frame.right;
    return outside || !at.height || each.scrollWidth > each.clientWidth + 1;
  });
  return cut.map((each) => each.textContent.trim());
}"""
"""What of the counters is cut off or out of sight."""


def counters(page: Page) -> dict[str, int]:
    rows = page.locator("#left .tally > div").all()
    return {row.locator("dt").inner_text().split("\n")[-1]: int(row.locator("dd").inner_text()) for row in rows}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_counters_of_a_shoe_are_right_and_fit(
    tmp_path: Path, page: Page, screenshot: Screenshot, language: str
) -> None:
    tens = cycle("TJQ")
    with casino(tmp_path, "commission", **CARDS_ONLY) as running:
        dealer = hire(running, Position.DEALER)

        def give(command: str, **fields: object) -> None:
            answer = running.command(dealer, "commission", command, **fields)
            assert answer.status_code == 200, answer.text

        for cards in list(SHOE) * 5:
            give("open_betting")
            give("close_betting")
            for card in cards.split():
                give("deal_card", card=next(tens) if card == "X" else card)
            give("settle")
        console = Console(page, running, "commission")
        console.sign_in(NAMES[Position.DEALER], language)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            screenshot(page, f"cards-only-{language}-{width}")
            assert page.evaluate(CUT) == [], width
        counted = list(counters(page).values())
        said = [words.replace("natural", "Naturals").split(", ") for words in SHOE.values()]
        names = ("Banker", "Player", "Tie", "Banker Pair", "Player Pair", "Naturals")
        assert counted == [*(5 * sum(name in each for each in said) for name in names), 5 * len(SHOE)]
        given = running.command(hire(running, Position.PIT_SUPERVISOR), "commission", "load_shoe", shoe="next", decks=8)
        assert given.status_code == 200, given.text
        console.synced()
        assert list(counters(page).values()) == [0] * len(counted)
        give("open_betting")
        console.synced()
        assert list(counters(page).values()) == [0] * len(counted)
