"""Evenings of each book at the console, by keyboard or by touch: within the budget of keys, as the journal has them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from punto.library import book_ids
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.table.records.positions import Position
from tests.browser.conftest import PageAt
from tests.browser.console import TABLET, Console, hire, open_table
from tests.browser.tables import LAYOUTS, minor
from tests.marks import rest_at_night
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server, server

HANDS = {
    "commission": "keyboard",
    "commission-insurance": "touch",
    "super-six-plus": "touch",
    "da-hu-ying-xiong": "keyboard",
    "tiger-buffalo": "keyboard",
}
NATURAL, SIX_CARDS, INSURED = "9 2 K K", "K 3 2 K 3 5", "K 2 K 3 6 4"
SAME, CHANGED = 11, 20
"""Budgets of keys: the same bets as in the last round, and two boxes changed. Each insurance offer is one more."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("evenings") / "floor.db")) as made:
        hire(made, Position.DEALER)
        for game in book_ids():
            open_table(made, game, game)
        yield made


class Dealer:
    """Plays rounds at a console with keys or with taps."""

    def __init__(self, console: Console, hands: str) -> None:
        self.console, self._touch = console, hands == "touch"

    def step(self, key: str = "Space") -> None:
        if self._touch:
            self.console.tap(key)
        else:
            self.console.press(key.replace("Shift Space", "Shift+Space"))

    def bet(self, box: int, code: str, amount: str, end: str = "Enter") -> None:
        """An amount on a bet. By touch, box, bet and digits are tapped."""
        if not self._touch:
            self.console.press(str(box), code, *amount, end)
            return
        self.console.tap(str(box), of="box")
        self.console.tap(code, *amount.upper(), of="chars")
        self.console.tap(end)

    def card(self, rank: str) -> None:
        if self._touch:
            self.console.tap(rank, of="rank")
        else:
            self.console.press(rank)

    def open(self) -> None:
        self.console.at("ready")
        self.step()
        self.console.at("betting")

    def deal(self, cards: str) -> int:
        """Returns how many insurance offers were made."""
        console, offers = self.console, 0
        wait_until(lambda: console.state.phase.value == "dealing", "the close")
        for number, card in enumerate(cards.split(), 1):
            console.synced()
            if console.moment == "insurance_due":
                self.step()
                console.at("insurance")
                offers += 1
            self.card(card)
            console.dealt(number)
        console.at("result")
        return offers

    def settle(self) -> None:
        self.step()
        self.console.at("settlement")

    def all_done(self) -> None:
        self.step("Shift Space")
        self.console.at("ready")


@pytest.mark.parametrize("game", rest_at_night(book_ids(), ["commission-insurance"]))
def test_an_evening(page_at: PageAt, running: Server, game: str) -> None:
    page = page_at(*TABLET)
    console = Console(page, running, game)
    console.sign_in(NAMES[Position.DEALER])
    dealer = Dealer(console, HANDS[game])
    boxes = LAYOUTS[game][1]

    dealer.open()
    for box in range(1, boxes + 1):
        dealer.bet(box, "B" if box % 2 else "P", "500")
        console.placed(box)
    shows_the_bets(console)
    dealer.step()
    dealer.deal(NATURAL)
    dealer.settle()
    shows_the_settlement(console)
    dealer.all_done()

    console.count()
    dealer.open()
    dealer.step("R")
    console.placed(boxes)
    assert all(placed.assumed for placed in console.round.bets.values())
    dealer.step()
    offers = dealer.deal(SIX_CARDS)
    dealer.settle()
    shows_the_settlement(console)
    dealer.all_done()
    assert console.count() <= SAME + offers

    dealer.open()
    dealer.step("R")
    console.placed(boxes)
    dealer.bet(2, "P", "1k")
    dealer.bet(5, "B", "1k", end="Space")
    wait_until(lambda: console.state.phase.value == "dealing", "the close")
    assert {placed.stake_minor for placed in console.round.bets.values()} == {500_00, 1_000_00}
    shows_the_bets(console)
    offers = dealer.deal(INSURED)
    dealer.settle()
    shows_the_settlement(console)
    dealer.all_done()
    assert console.count() <= CHANGED + offers
    assert console.round.number == 3


def shows_the_bets(console: Console) -> None:
    console.synced()
    shown = [minor(each) for each in console.page.locator("#left .bet b").all_inner_texts()]
    bets = console.round.bets.values()
    assert sorted(shown) == sorted(placed.stake_minor for placed in bets)
    assert minor(console.page.locator("#left h2 b").inner_text()) == sum(placed.stake_minor for placed in bets)


def shows_the_settlement(console: Console) -> None:
    """The sheet moves what the journal moved, and the hands have the journal's cards and points."""
    console.synced()
    page, now = console.page, console.round
    moved = [result.returned_minor - result.stake_minor for result in now.results]
    taken, paid = -sum(each for each in moved if each < 0), sum(each for each in moved if each > 0)
    assert total(page, "take") == taken
    assert total(page, "pay") == paid
    lines = [minor(each) for each in page.locator("#sheet li.line .sum b").all_inner_texts()]
    assert sorted(lines) == sorted(abs(each) for each in moved if each)
    assert sorted(console.cards()) == sorted(str(card) for card in now.cards)
    coup = Coup.of(console.running.floor.tables[console.table].rules.space, now.cards)
    points = page.locator("#sheet .mini b").all_inner_texts()
    assert points == [str(coup.hand(side).points) for side in (Side.PLAYER, Side.BANKER)]


def total(page: Page, part: str) -> int:
    found = page.locator(f"#sheet h3.{part} b")
    return minor(found.inner_text()) if found.count() else 0
