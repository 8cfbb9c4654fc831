"""Countdowns, limits and insurance on the player's page."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from punto.catalogue.values import write_money
from punto.floor.running.table_setup import Pace
from punto.library import book, book_ids
from punto.odds.exact.insurance_offer import offer_figures
from punto.odds.shoe import Composition
from punto.rules.coup.cards import RANKS
from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table.play.insurance_stakes import insurance_bounds
from tests.browser.conftest import SOME_BOOKS, Axe, Screenshot
from tests.browser.journal import same_as_the_journal
from tests.browser.looking import look_at
from tests.browser.tables import BANKER_INSURED, Felt, bet, come_in, felt, sit
from tests.marks import rest_at_night

CLOSES_S = 600.0
"""Longer than any test takes: nothing closes by itself."""


@pytest.mark.parametrize(
    ("written", "stake_minor"), [("1,2", None), ("2,5", None), ("1,050.50", 1_050_50), ("7.5", 7_50)]
)
def test_an_amount_is_read_as_it_is_written_or_not_at_all(
    written: str, stake_minor: int | None, insured: Felt, page: Page
) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 5_000_00)
    insured.deal(("close_betting", {}))
    insured.cards(BANKER_INSURED)
    insured.deal(("open_insurance", {}))
    expect(page.locator("#ins-p")).to_contain_text("A tie returns it.")
    page.locator("#ins-stake").fill(written)
    page.locator("[data-insure]").click()
    if stake_minor is None:
        expect(page.locator("#messages .refusal")).to_be_visible()
        assert insured.round.insurance.cover == ()
    else:
        expect(page.locator("#insurance")).to_be_hidden()
        assert [covered.stake_minor for covered in insured.round.insurance.cover] == [stake_minor]


def insurance_open(table: Felt, page: Page, stake_minor: int = 500_00) -> None:
    """Ann has bet on Banker at box 1, and insurance is offered."""
    come_in(page, table, "Ann")
    sit(page, 1)
    table.open_betting()
    bet(page, "banker", stake_minor)
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    table.deal(("open_insurance", {}))
    expect(page.locator("#insurance")).to_be_visible()


def counts_down(page: Page, table: Felt, ring: str) -> None:
    """Checks that the ring shows the seconds left, and counts down."""
    timer = page.locator(ring)
    expect(timer).to_have_attribute("data-of", f"{CLOSES_S:.1f}")
    first = int(timer.locator("text").text_content() or 0)
    left_ms = int(timer.get_attribute("data-until") or 0) - table.running.floor.clock.now_us() // 1_000
    assert left_ms <= first * 1_000 <= CLOSES_S * 1_000
    page.wait_for_function(
        "([ring, first]) => Number(document.querySelector(`${ring} text`).textContent) < first", arg=[ring, first]
    )
    assert float(timer.locator(".left").get_attribute("stroke-dashoffset") or 0) > 0


INSURING = [name for name in book_ids() if book(name).insurance is not None]


@pytest.mark.parametrize("name", rest_at_night(INSURING, SOME_BOOKS))
def test_what_insurance_costs_pays_and_is_worth(
    name: str, tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    pace = Pace(close_insurance_s=CLOSES_S)
    with felt(tmp_path, name, pace, automations=["close_insurance"]) as table:
        insurance_open(table, page)
        rules, shoe = book(name), table.state.shoe
        assert rules.insurance is not None
        assert shoe is not None
        line = rules.insurance.open_offer(table.coup)
        assert line is not None
        sheet = page.locator("#insurance")
        assert sheet.locator(".lammer b").inner_text() == f"{line.odds.numerator} to {line.odds.denominator}"
        bounds = insurance_bounds(rules, table.state, "Ann", 1)
        assert not isinstance(bounds, Refusal)
        assert sheet.get_attribute("data-most") == str(bounds[1])
        cap, *_, worth = sheet.locator(".small").all()
        assert cap.inner_text().startswith(f"At most {write_money(bounds[1])} on your bet of 500.")
        assert cap.locator(".clause").all_inner_texts() == list(rules.topics[Topic.INSURANCE_CAP])
        seen = [card.rank for card in table.round.cards if card is not None]
        left = Composition(tuple(shoe.decks * 4 - seen.count(rank) for rank in RANKS))
        figures = offer_figures(line, table.coup, left)
        assert f"{float(figures.edge) * 100:.2f}%" in worth.inner_text().replace("\N{MINUS SIGN}", "-")
        assert f"Chances: wins {float(figures.win) * 100:.2f}%" in worth.inner_text()
        counts_down(page, table, "#insurance svg.ring")
        assert axe(page) == []
        screenshot(page, f"{name}-insurance")
        for part, minor_most in ((4, bounds[1] // 4), (2, bounds[1] // 2), (1, bounds[1])):
            page.locator(f"[data-part='{part}']").click()
            assert page.locator("#ins-stake").input_value() == write_money(minor_most)


def test_no_insurance_is_an_answer_too(insured: Felt, page: Page) -> None:
    insurance_open(insured, page)
    page.locator("[data-dismiss]").click()
    expect(page.locator("#insurance")).to_be_hidden()
    page.reload()
    expect(page.locator(".call")).to_contain_text("Insurance is closing")
    expect(page.locator("#insurance")).to_be_hidden()
    assert insured.round.insurance.cover == ()
    insured.deal(("close_insurance", {}))
    insured.finish()
    expect(page.locator(".call .outcome")).to_be_visible()
    same_as_the_journal(page, insured, "Ann")


def test_limits_differential_and_time_left(tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    pace = Pace(close_betting_s=CLOSES_S)
    changes: dict[str, Any] = {"automations": ["close_betting"], "differential_minor": 1_000_00}
    with felt(tmp_path, "commission-insurance", pace, **changes) as table:
        come_in(page, table, "Ann")
        sit(page, 1)
        table.open_betting()
        bet(page, "banker", 500_00, times=2)
        facts = page.locator("[aria-labelledby=limits-h] .facts")
        said = ["Player, Banker", "25 to 5,000", "Other bets", "5 to 500"]
        said += ["Largest gap between Player and Banker, per box", "1,000"]
        said += ["Gap at the whole table now", "Banker 1,000", "Too much in your box for the gap", "0"]
        assert facts.locator("dt, dd").all_inner_texts() == said
        counts_down(page, table, ".call svg.ring")
        look_at(page, "table-limits", axe, screenshot)
