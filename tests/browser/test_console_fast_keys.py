"""Keys and taps that come faster than the table answers: each is read by the moment that the one before it led to."""

from playwright.sync_api import Page

from punto.table.records.positions import Position
from tests.browser.console import AT_ONCE, Console, open_table, rested
from tests.web.serving import NAMES, Server


def console_at(page: Page, running: Server, table: str) -> Console:
    open_table(running, "commission", table)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    return console


def test_a_card_typed_right_after_the_space_that_ends_a_bet_is_a_card(page: Page, running: Server) -> None:
    console = console_at(page, running, "card")
    console.press("Space")
    rested(page)
    page.evaluate(AT_ONCE, [*"3B500", " ", "9", "K"])
    console.at("cards")
    console.dealt(2)
    assert [str(card) for card in console.round.cards] == ["9", "K"]
    assert [(bet.box, bet.bet, bet.stake_minor) for bet in console.round.bets.values()] == [(3, "banker", 500_00)]


def test_a_tap_on_a_box_waits_for_the_keys_before_it(page: Page, running: Server) -> None:
    console = console_at(page, running, "tap")
    page.evaluate(AT_ONCE, [" ", "#3", *"B500", "Enter", "#5", *"P200", "Enter"])
    console.at("betting")
    console.placed(2)
    assert {(bet.box, bet.bet, bet.stake_minor) for bet in console.round.bets.values()} == {
        (3, "banker", 500_00),
        (5, "player", 200_00),
    }


def test_a_point_alone_is_no_amount(page: Page, running: Server) -> None:
    console = console_at(page, running, "point")
    console.press("Space")
    rested(page)
    page.evaluate(AT_ONCE, [*"3B500", "Enter", *"3B.", "Enter", "Escape", " "])
    console.at("closed")
    assert [bet.stake_minor for bet in console.round.bets.values()] == [500_00]


def test_a_tap_counts_where_it_began_even_if_the_screen_is_drawn_before_its_end(page: Page, running: Server) -> None:
    console = console_at(page, running, "drawn")
    button = page.locator("#now [data-key=Space]:visible")
    button.hover()
    page.mouse.down()
    button.evaluate("old => old.replaceWith(old.cloneNode(true))")
    page.mouse.up()
    console.at("betting")
    console.tap("Space")
    console.at("closed")
    assert not console.round.cards
