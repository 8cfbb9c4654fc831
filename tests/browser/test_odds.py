"""The odds page: every figure is exact, and there is no page if odds are off."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.library import book, book_ids
from punto.odds.exact.insurance_offer import offer_figures
from punto.odds.exact.solver import solve
from punto.odds.figures import Figures, figures
from punto.odds.shoe import full_shoe, shoe_without
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from tests.browser.conftest import SOME_BOOKS, Axe, Screenshot, Troubles
from tests.browser.looking import look_at
from tests.browser.tables import LAYOUTS, NAME, add_table, felt
from tests.marks import rest_at_night
from tests.web.serving import Server, server

"""The shortest page and the longest."""
IN_FAVOUR = "in your favour"
BANKER_INSURED = "Ks 2d Kh 3c"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with a table of each game."""
    with server(str(tmp_path_factory.mktemp("odds") / "floor.db")) as made:
        for game in book_ids():
            add_table(made, game, game)
        yield made


def printed(part: Fraction) -> str:
    """Rounded from the exact fraction, to the digits on the page."""
    return f"{(Decimal(part.numerator) / Decimal(part.denominator) * 100).quantize(Decimal('0.01'))}%".replace(
        "-", "\N{MINUS SIGN}"
    )


def exact(game: str) -> Figures:
    """Exact figures from a full shoe."""
    rules = book(game)
    return figures(rules, solve(rules, full_shoe(rules, rules.decks.most)))


@pytest.mark.parametrize("game", rest_at_night(book_ids(), SOME_BOOKS))
def test_the_figures_of_a_layout_are_the_exact_ones(
    running: Server, page: Page, axe: Axe, screenshot: Screenshot, game: str
) -> None:
    page.goto(f"{running.url}/tables/{game}/odds")
    rules, found = book(game), exact(game)
    bets = page.locator("table.odds.fold tbody tr")
    shown = [
        (row.locator("th").inner_text().split(" ")[0], *row.locator("td:not(.pays):not(.no-fold)").all_inner_texts())
        for row in bets.all()
    ]
    expected = []
    for bet in rules.layouts[LAYOUTS[game][0]].menu:
        worth = found.bets[bet]
        favour = f" {IN_FAVOUR}" if worth.edge < 0 else ""
        expected.append((rules.bets[bet].name.split(" ")[0], printed(worth.win), f"{printed(worth.edge)}{favour}"))
    assert shown == expected

    rows = page.locator("table.odds:not(.fold) tbody tr")
    cells = [tuple(" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()) for row in rows.all()]
    assert cells == [
        (
            str(cell.player),
            str(cell.banker),
            "{0.numerator} to {0.denominator}".format(Fraction(cell.odds)),
            f"{printed(cell.edge)} {IN_FAVOUR}" if cell.edge < 0 else printed(cell.edge),
        )
        for cell in found.insurance
    ]
    assert bool(cells) == (rules.insurance is not None)
    if game in SOME_BOOKS:
        look_at(page, f"odds-{game}", axe, screenshot)


def test_the_insurance_of_the_moment_with_its_edge(
    tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, "commission-insurance") as table:
        page.goto(f"{table.address}/odds")
        moment = page.locator("#moment")
        expect(moment).to_contain_text("No insurance is on offer at the moment.")
        table.seat("Zoe", 1)
        table.open_betting()
        table.bet("Zoe", 1, "banker", 100_00)
        table.deal(("close_betting", {}))
        table.cards(BANKER_INSURED)
        table.deal(("open_insurance", {}))
        rules = book(table.game)
        assert rules.insurance is not None
        line = next(each for each in rules.insurance.lines if each.side is Side.BANKER and 5 in each.banker)
        seen = [Card(code) for code in BANKER_INSURED.split()]
        worth = offer_figures(line, rules.coup(BANKER_INSURED), shoe_without(rules, rules.decks.most, seen))
        expect(moment).to_contain_text(f"Insurance on Banker pays {line.odds.numerator} to {line.odds.denominator}.")
        expect(moment).to_contain_text(f"House edge from the cards seen: {printed(worth.edge)}")
        expect(moment).to_contain_text(
            f"Chances: wins {printed(worth.win)}, returned {printed(worth.push)}, loses {printed(worth.lose)}."
        )
        expect(moment.locator(".favours")).to_have_count(1 if worth.edge < 0 else 0)
        look_at(page, "odds-moment", axe, screenshot)
        table.deal(("close_insurance", {}))
        expect(moment).to_contain_text("Insurance on Banker pays")  # until the next card
        table.cards("Kd")
        expect(moment).to_contain_text("No insurance is on offer at the moment.")


def test_a_house_that_shows_no_odds_has_no_such_page(tmp_path: Path, page: Page, troubles: Troubles) -> None:
    troubles.excuse("status of 404")
    with felt(tmp_path, "commission-insurance", odds=False) as table:
        for address in ("", f"/tables/{NAME}", f"/tables/{NAME}/fairness", f"/tables/{NAME}/history"):
            page.goto(f"{table.running.url}{address}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            expect(page.locator("a[href$='/odds']")).to_have_count(0)
        answer = page.goto(f"{table.address}/odds")
        assert answer is not None
        assert answer.status == 404
        expect(page.locator("main")).to_contain_text("This server does not show odds.")
