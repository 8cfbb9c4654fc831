"""What a player is told in time: answers to insurance, refusals that go, and what happened while they were away."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.looking import look_at
from tests.browser.tables import BANKER_WINS, MAXIMUM_MINOR, NAME, Felt, bet, come_in, felt, sit
from tests.waiting import wait_until

GAME = "commission-insurance"
INSURED = "4s 6d Kh Kc"
"""Player 4, Banker 6: insurance on Banker."""

READ_MS = 2_001


def seated(page: Page, table: Felt, stake_minor: int = 100_00) -> None:
    come_in(page, table, "Ann")
    sit(page, 1)
    table.open_betting()
    bet(page, "banker", stake_minor)


def test_passing_is_an_answer_and_what_is_insured_stays_in_sight(
    tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, GAME) as table:
        seated(page, table)
        table.deal(("close_betting", {}))
        table.cards(INSURED)
        table.deal(("open_insurance", {}))
        page.locator("[data-dismiss]").click()
        expect(page.locator(".call .words")).to_have_text("Insurance is closing")
        assert table.round.insurance.passed == {("Ann", 1)}
        expect(page.locator("#insurance")).to_be_hidden()
        page.reload()
        expect(page.locator("#insurance")).to_be_hidden()  # the table knows the answer
        page.locator("[data-reopen]").click()
        expect(page.locator("#insurance")).to_be_visible()
        page.locator("#ins-stake").fill("20")
        page.locator("[data-insure]").click()
        expect(page.locator("[data-bet=banker] .insured-for")).to_contain_text("20")
        expect(page.locator("#insurance")).to_be_hidden()
        for width, height in ((390, 664), (1366, 768)):
            page.set_viewport_size({"width": width, "height": height})
            look_at(page, f"insured-{width}", axe, screenshot)
            said, button = page.locator("#box-h small"), page.locator("[data-reopen]")
            expect(said).to_have_text("Insured for 20")
            words, over = said.bounding_box(), button.bounding_box()
            assert words is not None
            assert over is not None
            assert words["x"] + words["width"] <= over["x"]


def test_a_refusal_goes_at_the_next_tap_and_when_the_round_moves_on(
    tmp_path: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    with felt(tmp_path, GAME) as table:
        page.clock.install()
        seated(page, table, MAXIMUM_MINOR)
        refusal = page.locator("#messages .refusal")
        for by_tap in (True, False):
            page.locator("[data-bet=banker]").click()
            expect(refusal).to_contain_text("Your box is full on Banker: it holds at most 5,000.")
            if by_tap:
                page.locator(".call").click()
            else:
                page.clock.run_for(READ_MS)
                table.deal(("close_betting", {}))
            expect(refusal).to_have_count(0)


def test_a_refusal_that_nobody_can_have_read_yet_stays_when_the_round_moves_on(
    tmp_path: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    with felt(tmp_path, GAME) as table:
        page.clock.install()
        seated(page, table, MAXIMUM_MINOR)
        page.clock.pause_at(page.evaluate("Date.now()") + 1_000)
        page.locator("[data-bet=banker]").click()
        expect(page.locator("#messages .refusal")).to_be_visible()
        table.deal(("close_betting", {}))
        expect(page.locator(".call[data-bets]")).to_have_count(0)
        expect(page.locator("#messages .refusal")).to_be_visible()


def test_a_result_that_came_meanwhile_is_told_as_such(
    tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, GAME) as table:
        seated(page, table)
        page.goto(f"{table.running.url}/rules/{GAME}")
        table.play(BANKER_WINS)
        table.open_betting()
        page.goto(f"{table.running.url}/tables/{NAME}?lang=en")
        result = page.locator("#own-result")
        for width, height in ((390, 664), (1366, 768)):
            page.set_viewport_size({"width": width, "height": height})
            expect(result).to_have_text("While you were away: round 1, Banker +95")
            look_at(page, f"while-away-{width}", axe, screenshot)
        page.locator("[data-bet=player]").click()
        expect(result).to_have_text("Round 1: +95")
        wait_until(lambda: len(table.round.bets) == 1, "the bet")
        table.play(BANKER_WINS)
        expect(result).to_have_text("Round 2: \N{MINUS SIGN}100")  # seen as it came
        page.reload()
        expect(result).to_have_text("Round 2: \N{MINUS SIGN}100")


def test_a_stander_whose_seated_player_has_left_is_told_where_to_go(
    tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    with felt(tmp_path, GAME) as table:
        table.seat("bob", 3)
        come_in(page, table, "Ann")
        page.locator("[data-stand='3']").click()
        expect(page.locator("#box-h")).to_contain_text("Behind box 3")
        expect(page.locator(".stranded")).to_have_count(0)
        table.deal(("leave", {"who": "bob"}))
        stranded = page.locator(".stranded")
        expect(stranded).to_contain_text("The player at box 3 has left")
        for width, height in ((390, 664), (1366, 768)):
            page.set_viewport_size({"width": width, "height": height})
            look_at(page, f"stranded-{width}", axe, screenshot)
        stranded.get_by_role("button").click()
        expect(stranded).to_have_count(0)
        assert table.state.seats[3] == "Ann"
