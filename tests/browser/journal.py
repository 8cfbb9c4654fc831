"""Compares what a page shows of a round with the state of its table."""

from collections.abc import Iterable

from playwright.sync_api import Page

from punto.library import book
from punto.rules.coup.table_of_play import Side
from tests.browser.tables import Felt, minor, synced


def balance(page: Page) -> int:
    """The balance on the page."""
    return minor(page.locator("#balance").inner_text())


def results(page: Page) -> dict[str, tuple[str, int]]:
    """Result and gain of each bet on the page."""
    found = {}
    for each in page.locator("#side .results > li").all():
        name = each.locator(".bet").evaluate("node => node.firstChild.textContent").strip()
        found[name] = (each.locator(".verdict").inner_text(), minor(each.locator(".amount").inner_text()))
    return found


def same_as_the_journal(page: Page, table: Felt, who: str, *, back: Iterable[str] = ()) -> None:
    """Balance, results and cards on the page against the state of the table.

    ``back``: bets that went back before the settlement, which the table has no result of.
    """
    rules = book(table.game)
    synced(page, table)
    assert balance(page) == table.state.chips_minor(who)
    names = {"win": "won", "lose": "lost", "push": "returned"}
    said = {rules.bets[bet].name: ("returned", 0) for bet in back}
    for result in table.round.results:
        if result.who == who:
            name = rules.bets[result.bet].name if result.bet in rules.bets else "Banker Insurance"
            said[name] = (names[result.result], result.returned_minor - result.stake_minor)
    assert results(page) == said
    faces = page.locator("#stage .card img").evaluate_all("cards => cards.map(card => card.getAttribute('src'))")
    assert sorted(face.split("/")[-1][:2] for face in faces) == sorted(str(card) for card in table.round.cards if card)
    points = [page.locator(f".hand.{side} .points").inner_text().split()[0] for side in Side]
    coup = rules.coup(" ".join(str(card) for card in table.round.cards))
    assert points == [str(coup.hand(side).points) for side in Side]
