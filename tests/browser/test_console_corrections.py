"""Corrections in the dialogs of the console: what is said before they are approved, and the money after it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Screenshot
from tests.browser.console import PIN, Console, enrol, hire, open_table, sign_by_pin
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server, server

MAX, SUE = NAMES[Position.PIT_MANAGER], NAMES[Position.PIT_SUPERVISOR]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("corrections") / "floor.db")) as made:
        hire(made, Position.DEALER)
        hire(made, Position.PIT_SUPERVISOR, pin=PIN)
        hire(made, Position.PIT_MANAGER, pin=PIN)
        yield made


class Correcting:
    """Fills in the dialogs of a dealer at a terminal."""

    def __init__(self, page: Page, running: Server, table: str) -> None:
        open_table(running, "commission-insurance", table)
        enrol(page, running, table)
        self.page, self.console = page, Console(page, running, table)
        self.console.sign_in(NAMES[Position.DEALER])

    def bets(self) -> None:
        """Banker 1,000 in box 1, Player 500 in box 2."""
        self.console.press("Space")
        self.console.at("betting")
        self.console.type("1B1k~2P500~")
        self.console.placed(2)

    def insured_round(self) -> None:
        """These bets, Player 0 and Banker 5 after four cards, and insurance in box 1."""
        console = self.console
        self.bets()
        console.type("_K2K3")
        console.at("insurance_due")
        console.press("Space")
        console.at("insurance")
        console.type("i1100~")
        wait_until(lambda: console.round.insurance.cover, "the insurance")

    def settled(self) -> None:
        """Player 6, Banker 9."""
        console = self.console
        console.press("6")
        console.at("insurance_due")
        console.press("Space")
        console.at("insurance")
        console.press("4")
        console.at("result")
        console.press("Space")
        console.at("settlement")

    def fill(self, form: str, picked: str, *, enter: bool = True, **fields: str) -> None:
        """Fill in a form, mostly to its end."""
        self.console.synced()
        self.console.press("p")
        dialog = self.page.locator("#dialog")
        dialog.locator(f"[data-open={form}]").click()
        dialog.locator(".pick", has_text=picked).first.click()
        for name, value in fields.items():
            dialog.locator(f"[data-field={name}] input").first.fill(value)
        if enter:
            self.page.keyboard.press("Enter")

    def follows(self) -> list[str]:
        lines = self.page.locator("#dialog .follows li")
        expect(lines.first).to_be_visible()
        return lines.all_inner_texts()

    def stakes(self) -> dict[str, int]:
        return {who: placed.stake_minor for (who, _, _), placed in self.console.round.bets.items()}


def test_a_bet_is_corrected_by_the_dealer_until_the_first_card_and_then_by_a_supervisor(
    page: Page, running: Server
) -> None:
    at = Correcting(page, running, "bets")
    at.bets()
    at.console.press("Space")
    at.console.at("closed")
    at.fill("correct_bet", "Box 2", stake_minor="700")
    expect(page.locator("#dialog")).to_be_hidden()
    assert at.stakes() == {"box 1": 1_000_00, "box 2": 700_00}
    at.console.synced()
    at.console.press("9")
    at.console.dealt(1)
    at.fill("correct_bet", "Box 1", stake_minor="2k")
    assert at.follows() == ["Box 1, Banker: 2,000 lay there, not 1,000."]
    assert at.stakes()["box 1"] == 1_000_00
    sign_by_pin(page, SUE)
    wait_until(lambda: at.stakes() == {"box 1": 2_000_00, "box 2": 700_00}, "the correction")
    at.console.synced()
    expect(page.locator("#left h2 b")).to_have_text("2,700")


def test_insurance_is_corrected_by_the_dealer_until_the_next_card_and_then_by_a_supervisor(
    page: Page, running: Server
) -> None:
    at = Correcting(page, running, "insurance")
    at.insured_round()
    at.fill("correct_insurance", "Box 1", stake_minor="150")
    expect(page.locator("#dialog")).to_be_hidden()
    assert [cover.stake_minor for cover in at.console.round.insurance.cover] == [150_00]
    at.console.synced()
    at.console.press("6")
    at.console.dealt(5)
    at.fill("correct_insurance", "Box 1", stake_minor="50")
    assert at.follows()[0] == "Insurance on Banker, Box 1: 50 lay there, not 150."
    sign_by_pin(page, SUE)
    wait_until(lambda: [cover.stake_minor for cover in at.console.round.insurance.cover] == [50_00], "the correction")
    at.console.synced()
    expect(page.locator("#left .tag.insured")).to_contain_text("50")


def test_a_card_corrected_after_the_settlement_says_what_to_pay_and_to_collect(
    page: Page, running: Server, screenshot: Screenshot
) -> None:
    at = Correcting(page, running, "cards")
    at.insured_round()
    at.settled()
    at.fill("correct_card", "Card 6, Banker", card="K", enter=False)
    changes = page.locator("#dialog [data-changes]")
    expect(changes).to_contain_text("Now: Banker wins 9 to 6")
    expect(changes).to_contain_text("Then: Player wins 6 to 5")
    expect(changes.locator("li")).to_have_text(
        [
            "Box 1, Banker: 1,000 taken instead of 950 paid.",
            "Box 2, Player: 500 paid instead of 500 taken.",
            "Box 1, Banker Insurance: 200 paid instead of 100 taken.",
        ]
    )
    expect(changes).to_contain_text("This needs pit manager or above.")
    screenshot(page, "correct-card")
    page.keyboard.press("Enter")
    assert at.follows() == [
        "The settlement of round 1 is reversed.",
        "The four was really the king.",
        "The round is settled: Player wins, Player 6, Banker 5.",
        "Collect 1,950 from Box 1 for Banker.",
        "Pay 1,000 to Box 2 for Player.",
        "Pay 300 to Box 1 for Banker Insurance.",
    ]
    sign_by_pin(page, MAX)
    wait_until(lambda: str(at.console.round.cards[5]) == "K", "the correction")
    at.console.synced()
    state = at.console.state
    assert {who: state.chips_minor(who) for who in ("box 1", "box 2")} == {"box 1": 300_00, "box 2": 1_000_00}


def test_a_wrong_payment_is_corrected_with_a_supervisor(page: Page, running: Server, screenshot: Screenshot) -> None:
    at = Correcting(page, running, "payments")
    at.insured_round()
    at.settled()
    at.console.press("Shift+Space")
    at.console.at("ready")
    before = at.console.state.balances
    reason = "paid without commission"
    paid = {"paid_minor": "1k", "recovered_minor": "0", "reason": reason}
    at.fill("correct_payment", "Box 1, Banker: 950 paid", **paid, enter=False)
    screenshot(page, "correct-payment")
    page.keyboard.press("Enter")
    assert at.follows() == ["Box 1, Banker: 1,000 paid instead of 950 paid; 0 came back."]
    sign_by_pin(page, SUE)
    wait_until(lambda: at.console.state.balances != before, "the correction")
    after = at.console.state.balances
    assert after["mispaid"] == -50_00
    assert sum(after.values()) == 0


def test_a_payment_is_corrected_in_the_words_of_the_sheet(page: Page, running: Server) -> None:
    """A lost bet that was left there, and a bet that won and was taken: the command has all that the player got."""
    at = Correcting(page, running, "sheet")
    at.bets()
    at.console.type("_29KK")
    at.console.at("result")
    at.console.press("Space")
    at.console.at("settlement")
    at.fill("correct_payment", "but the stake was left there", paid_minor="500", reason="paid by mistake")
    assert at.follows() == ["Box 2, Player: 500 paid instead of 500 taken; 0 came back."]
    sign_by_pin(page, SUE)
    wait_until(lambda: at.console.round.mispaid == {("box 2", 2, "player"): 1_000_00}, "what was handed over too much")
    at.fill("correct_payment", "but the stake of 1,000 was taken", paid_minor="0", reason="taken by mistake")
    assert at.follows() == ["Box 1, Banker: 1,000 taken instead of 950 paid; 0 came back."]
    sign_by_pin(page, SUE)
    wait_until(lambda: at.console.round.mispaid.get(("box 1", 1, "banker")) == -1_950_00, "what is still due")


def test_a_card_that_only_the_dealer_has_to_correct_says_so(page: Page, running: Server) -> None:
    at = Correcting(page, running, "alone")
    at.bets()
    at.console.type("_29K")
    at.console.dealt(3)
    at.fill("correct_card", "Card 3, Player", enter=False)
    page.locator("#dialog .ranks [data-put=Q]").click()  # a tap says what changes, as a key does
    changes = page.locator("#dialog [data-changes]")
    expect(changes).to_contain_text("Then: more cards are needed")
    expect(changes).to_contain_text("Nobody's money changes.")
    expect(changes).to_contain_text("You may do this.")
    page.locator("#dialog .pick", has_text="Card 1, Player").click()
    expect(changes).to_contain_text("This needs pit supervisor or above.")
    page.locator("#dialog .pick", has_text="Card 3, Player").click()
    expect(changes).to_contain_text("You may do this.")
    page.keyboard.press("Enter")
    expect(page.locator("#dialog")).to_be_hidden()
    assert str(at.console.round.cards[2]) == "Q"
