"""After a reload or a lost connection, the page shows the current state."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from punto.library import book, book_ids
from tests.browser.conftest import SOME_BOOKS, Troubles, some_games
from tests.browser.journal import same_as_the_journal
from tests.browser.line import CUT_LINE, Line
from tests.browser.tables import (
    BANKER_INSURED,
    BANKER_WINS,
    NAME,
    PLAY_MONEY_MINOR,
    Felt,
    bet,
    come_in,
    felt,
    felt_again,
    sit,
)
from tests.marks import rest_at_night


@some_games
def test_who_reloads_in_the_middle_finds_everything_as_it_stands(game: Felt, page: Page) -> None:
    come_in(page, game, "Ann")
    sit(page, 1)
    game.open_betting()
    bet(page, "banker", 500_00)
    page.reload()
    page.wait_for_selector(".area[data-bet=banker][data-stake='50000']")
    game.deal(("close_betting", {}))
    game.cards(BANKER_INSURED)
    insures = book(game.game).insurance is not None
    if insures:
        game.deal(("open_insurance", {}))
    page.reload()
    expect(page.locator(".hand.banker .points")).to_contain_text("5")
    assert page.locator("#stage .card img").count() == 4
    expect(page.locator("#insurance")).to_have_count(int(insures))
    if insures:
        page.locator("[data-insure]").click()
        expect(page.locator("#insurance")).to_be_hidden()
        assert [covered.who for covered in game.round.insurance.cover] == ["Ann"]
    game.finish()
    page.reload()
    same_as_the_journal(page, game, "Ann")


@pytest.mark.parametrize("name", rest_at_night(book_ids(), SOME_BOOKS))
def test_a_server_that_starts_again_finds_its_players_again(
    name: str, tmp_path: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse(CUT_LINE)
    with ExitStack() as lines:
        with felt(tmp_path, name) as before:
            # the address of a line stays; a port that is free may be anybody's next
            line = lines.enter_context(Line(before.running.url))
            come_in(page, before, "Ann")
            page.goto(f"{line.url}/tables/{NAME}")
            sit(page, 3)
            before.open_betting()
            bet(page, "player", 25_00)
        line.cut()
        expect(page.locator("#away")).to_be_visible()
        with felt_again(tmp_path, name) as after:
            after.running.taken_over()
            line.mend(after.running.url)
            expect(page.locator("#away")).to_be_hidden()
            assert page.locator(".areas").get_attribute("data-box") == "3"
            expect(page.locator(".area[data-bet=player]")).to_have_attribute("data-stake", "2500")
            expect(page.locator("#balance")).to_have_attribute("data-minor", str(PLAY_MONEY_MINOR - 25_00))
            bet(page, "tie", 25_00)
            if after.state.restart is not None:  # the test took longer than 5 s
                after.deal(("resume_round", {}))
            after.play(BANKER_WINS)
            expect(page.locator(".call .outcome")).to_be_visible()
            same_as_the_journal(page, after, "Ann")


@some_games
def test_a_line_that_was_cut_catches_up_with_what_happened(game: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse(CUT_LINE)
    game.seat("Bo", 2)
    with Line(game.running.url) as line:
        come_in(page, game, "Ann")
        page.goto(f"{line.url}/tables/{NAME}")
        sit(page, 3)
        game.open_betting()
        bet(page, "banker", 25_00)
        line.cut()
        expect(page.locator("#away")).to_be_visible()
        game.bet("Bo", 2, "player", 100_00)
        game.play(BANKER_WINS)
        assert page.locator("#stage .card img").count() == 0
        expect(page.locator(".area[data-bet=banker]")).to_have_attribute("data-stake", "2500")
        line.mend()
        expect(page.locator("#away")).to_be_hidden()
        expect(page.locator(".call .outcome")).to_contain_text("Banker wins")
        same_as_the_journal(page, game, "Ann")
        # and it goes on
        game.open_betting()
        bet(page, "banker", 25_00)
        assert game.round.bets["Ann", 3, "banker"].stake_minor == 25_00


def test_cards_whose_pictures_were_lost_are_drawn_once_the_line_is_back(
    insured: Felt, page: Page, troubles: Troubles
) -> None:
    troubles.excuse(CUT_LINE)
    with Line(insured.running.url) as line:
        come_in(page, insured, "Ann")
        page.goto(f"{line.url}/tables/{NAME}")
        page.route("**/static/cards/*", lambda route: route.abort())
        insured.open_betting()
        insured.deal(("close_betting", {}))
        insured.cards(BANKER_WINS)
        drawn = "() => [...document.querySelectorAll('#stage .card img')].filter(one => one.naturalWidth).length"
        expect(page.locator("#stage .card img")).to_have_count(4)
        assert page.evaluate(drawn) == 0
        page.unroute("**/static/cards/*")
        line.cut()
        expect(page.locator("#away")).to_be_visible()
        line.mend()
        page.wait_for_function(f"() => ({drawn})() === 4")


def test_undo_after_a_reload_takes_back_a_chip(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00, times=3)
    page.reload()
    page.locator("[data-do=undo]").click()
    page.wait_for_selector(".area[data-bet=banker][data-stake='20000']")
    assert insured.round.bets["Ann", 1, "banker"].stake_minor == 200_00


def test_a_lost_answer_does_not_ask_twice_to_come_in(insured: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("ERR_FAILED")
    asked = []

    def lose(route: Route) -> None:
        asked.append(route.request.url)
        route.fetch()
        route.abort()

    page.route("**/api/visit", lose)
    page.goto(f"{insured.running.url}/enter")
    page.locator("[data-enter=visit] [name=name]").fill("Lost")
    page.locator("[data-enter=visit] button[type=submit]").click()
    expect(page.locator("[data-enter=visit] .wrong")).to_contain_text("does not answer")
    assert len(asked) == 1


def test_what_a_proxy_says_in_place_of_the_server_is_no_answer(insured: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("status of 502")
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    asked = []

    def stand_in(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=502, body="<h1>Bad Gateway</h1>")
        else:
            route.continue_()

    page.route("**/commands", stand_in)
    bet(page, "banker", 25_00)  # it is sent again
    assert insured.round.bets["Ann", 1, "banker"].stake_minor == 25_00
    assert len(asked) > 1
