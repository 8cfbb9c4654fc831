"""Choices of a player: options after a dealing error, a squeeze, sitting and leaving."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.floor.running.table_setup import Pace
from punto.library import book, book_ids
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from tests.browser.conftest import DESK, SOME_BOOKS, Axe, PageAt, Screenshot
from tests.browser.journal import balance, same_as_the_journal
from tests.browser.looking import look_at
from tests.browser.tables import BANKER_WINS, PLAY_MONEY_MINOR, Felt, bet, come_in, felt, sit
from tests.marks import rest_at_night

LOOKED_AT = "commission-insurance"
"""The sheets look the same in every game, so one is enough."""
CALL_TIME_S = 600.0
"""Longer than any test takes: nobody's time is over before they choose."""
OPTIONAL = [name for name in book_ids() if book(name).topics[Topic.OPTIONS]]


@pytest.mark.parametrize("name", rest_at_night(OPTIONAL, SOME_BOOKS))
def test_a_dealing_error_lets_each_player_choose(
    name: str, tmp_path: Path, page: Page, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, name, Pace(call_time_s=CALL_TIME_S), automations=["call_time"]) as table:
        other = page_at(*DESK)
        for each, who, box in ((page, "Ann", 1), (other, "Bo", 2)):
            come_in(each, table, who)
            sit(each, box)
        table.open_betting()
        for each in (page, other):
            bet(each, "banker", 100_00)
        table.deal(("close_betting", {}))
        table.cards("2s 9d")
        expect(page.locator("#choosing")).to_have_count(0)
        table.pit("report_dealing_error", reason="the shoe was knocked")
        expect(page.locator("#choosing p .clause")).to_have_text(list(book(name).topics[Topic.OPTIONS]))
        expect(page.locator("#choosing .happenings")).to_contain_text("There was an error in dealing.")
        expect(page.locator("[data-choose=return] small")).to_have_text("100")
        if name == LOOKED_AT:
            look_at(page, "table-options", axe, screenshot)
        page.locator("[data-choose=return]").click()
        expect(page.locator("#choosing")).to_have_count(0)
        expect(page.locator("#balance")).to_have_attribute("data-minor", str(PLAY_MONEY_MINOR))
        expect(page.locator("#happening")).to_contain_text("You took 100 back.")
        assert set(table.round.bets) == {("Bo", 2, "banker")}
        other.locator("[data-choose=continue]").click()
        expect(other.locator("#choosing")).to_have_count(0)
        expect(other.locator("#happening")).to_contain_text("Your bets play on.")
        assert table.round.irregularities.options is None
        table.cards("Kh Kc")
        table.deal(("settle", {}))
        expect(other.locator(".call .outcome")).to_contain_text("Banker wins")
        same_as_the_journal(other, table, "Bo")
        same_as_the_journal(page, table, "Ann", back=["banker"])


WIDTHS = ((360, 740), (768, 1024), DESK)


def test_the_insurance_sheet_fits_and_leaves_the_cards_in_sight(tmp_path: Path, page: Page) -> None:
    with felt(tmp_path, LOOKED_AT, differential_minor=5_000_00) as table:
        come_in(page, table, "Ann")
        sit(page, 1)
        table.open_betting()
        bet(page, "banker", 100_00)
        table.deal(("close_betting", {}))
        table.cards("4s 6d Kh Kc")
        table.deal(("open_insurance", {}))
        expect(page.locator("#ins-pass")).to_be_visible()
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            sheet = page.locator("#insurance").bounding_box()
            assert sheet is not None
            for part in page.locator("#insurance h2, #insurance p, #insurance button").all():
                box = part.bounding_box()
                assert box is not None
                assert sheet["y"] <= box["y"], width
                assert box["y"] + box["height"] <= sheet["y"] + sheet["height"], width
            for card in page.locator("#stage .card").all():
                box = card.bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= sheet["y"], width


SQUEEZED = [name for name in book_ids() if book(name).topics[Topic.SQUEEZE]]


@pytest.mark.parametrize("name", rest_at_night(SQUEEZED, SOME_BOOKS))
def test_a_squeeze_is_asked_granted_opened_and_turned(
    name: str, tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, name, face_down=True) as table:
        come_in(page, table, "Ann")
        sit(page, 1)
        table.open_betting()
        bet(page, "banker", 100_00)
        ask = page.locator("[data-ask-squeeze=banker]")
        expect(page.locator("#squeeze-notes[role=status]")).to_be_empty()
        ask.focus()
        page.keyboard.press("Enter")
        expect(ask).to_have_count(0)
        expect(page.locator("#squeeze-notes")).to_contain_text("You have asked")
        expect(page.locator("#squeeze")).to_be_focused()  # not the button for the other hand
        assert table.round.squeeze_requests == {Side.BANKER: "Ann"}
        table.deal(("close_betting", {}), *[("deal_card", {})] * 4)
        expect(page.locator("#stage .card.down")).to_have_count(4)
        expect(page.locator("[data-squeeze]")).to_have_count(0)
        table.pit("grant_squeeze", side="banker")
        mine = page.locator(".hand.banker [data-squeeze]")
        expect(mine).to_have_count(2)
        assert page.locator(".hand.player [data-squeeze]").count() == 0
        if name == LOOKED_AT:
            look_at(page, "table-squeeze", axe, screenshot)
        page.locator("[data-squeeze='2']").click()
        expect(mine).to_have_count(1)
        assert table.round.squeezed == {2}
        assert table.round.cards == (None,) * 4
        expect(page.locator("#card-2")).to_contain_text("squeezed")
        if name == LOOKED_AT:
            look_at(page, "table-squeezed", axe, screenshot)
        page.locator("[data-squeeze='4']").click()
        expect(mine).to_have_count(0)
        for place, card in enumerate(BANKER_WINS.split(), 1):
            table.deal(("turn_card", {"place": place, "card": card}))
        expect(page.locator("#card-2 img")).to_have_attribute("alt", "nine of diamonds")
        table.deal(("settle", {}))
        expect(page.locator(".call .outcome")).to_contain_text("Banker wins")
        same_as_the_journal(page, table, "Ann")


def test_play_money_comes_with_a_place_and_who_leaves_is_gone(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    expect(page.locator("#rail")).to_contain_text("With your place you get")
    assert page.locator("#rail button").count() == 0
    sit(page, 1)
    expect(page.locator("#balance")).to_have_attribute("data-minor", str(PLAY_MONEY_MINOR))
    assert insured.state.chips_minor("Ann") == PLAY_MONEY_MINOR
    assert balance(page) == PLAY_MONEY_MINOR
    page.locator("#leaving summary").click()
    page.locator("[data-leave]").click()
    expect(page.locator(".areas[data-box]")).to_have_count(0)
    expect(page.locator("[data-sit='1']")).to_be_visible()
    assert insured.state.seats == {}
