"""A tap counts for the round that the page showed at that moment, however late the table receives it.

A late answer disturbs nobody who has gone on.
"""

import json
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Request, Route, expect

from tests.browser.conftest import Troubles
from tests.browser.tables import BANKER_INSURED, BANKER_WINS, Felt, bet, come_in, felt, sit
from tests.waiting import wait_until

COMMANDS = "**/api/tables/*/commands"
LATE = "You did this in round 1, but it is now round 2. It had no effect."


class HeldRequests:
    """Holds back the requests of a page until they are released."""

    def __init__(self, page: Page, path: str = COMMANDS) -> None:
        self._page, self._held, self._released = page, list[Route](), False
        page.route(path, self._take)

    def _take(self, route: Route) -> None:
        if self._released:
            route.continue_()
        else:
            self._held.append(route)

    def wait_for_one(self) -> Request:
        """The first request, once it is held."""

        def is_held() -> bool:
            self._page.wait_for_timeout(10)  # lets playwright take the request
            return bool(self._held)

        wait_until(is_held, "a request")
        return self._held[0].request

    def release(self) -> None:
        """Send those held and let all others through."""
        self._released = True
        for route in self._held:
            route.continue_()


class HeldAnswers:
    """Lets the commands of a page through, and holds back the answers until they are released."""

    def __init__(self, page: Page) -> None:
        self._page, self._held = page, list[tuple[Route, APIResponse]]()
        page.route(COMMANDS, lambda route: self._held.append((route, route.fetch())))

    def release(self) -> None:
        """Returns when the page has seen them."""

        def is_held() -> bool:
            self._page.wait_for_timeout(10)  # lets playwright take the answer
            return bool(self._held)

        wait_until(is_held, "an answer")
        for route, answer in self._held:
            route.fulfill(response=answer)
        self._page.evaluate("() => fetch('/healthz').then((answer) => answer.text())")


def _command(request: Request) -> dict[str, object]:
    command: dict[str, object] = json.loads(request.post_data or "")["command"]
    return command


@pytest.fixture
def seated(insured: Felt, page: Page, troubles: Troubles) -> Felt:
    """Round 1, bets are open, and Ann sits at box 1 with a bet on Banker."""
    troubles.excuse("status of 409")
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 25_00)
    return insured


def _next_round(felt: Felt) -> None:
    felt.play(BANKER_WINS)
    felt.open_betting()


def _nothing_was_placed(page: Page, felt: Felt) -> None:
    expect(page.locator("#messages .refusal")).to_contain_text(LATE)
    assert (felt.round.number, felt.round.bets) == (2, {})
    expect(page.locator("#balance")).to_have_text("10,023.75")  # round 1: 25.00 on Banker, less 5%


def test_a_bet_that_arrives_in_the_next_round_is_not_placed(seated: Felt, page: Page) -> None:
    held = HeldRequests(page)
    page.locator(".area[data-bet=tie]").click()
    command = _command(held.wait_for_one())
    assert (command["command"], command["round"]) == ("place_bet.1", 1)
    _next_round(seated)
    expect(page.locator("#round")).to_have_text("2")
    held.release()
    _nothing_was_placed(page, seated)
    bet(page, "banker", 25_00)  # a tap in this round counts
    expect(page.locator("#messages .refusal")).to_have_count(0)


def test_a_bet_that_is_sent_again_on_a_bad_line_is_still_for_its_round(
    seated: Felt, page: Page, troubles: Troubles
) -> None:
    troubles.excuse("ERR_FAILED")
    rounds = []

    def lose_the_first(route: Route) -> None:
        rounds.append(_command(route.request)["round"])
        if len(rounds) > 1:
            return route.continue_()
        _next_round(seated)
        return route.abort()

    page.route(COMMANDS, lose_the_first)
    page.locator(".area[data-bet=tie]").click()
    _nothing_was_placed(page, seated)
    assert len(rounds) > 1
    assert set(rounds) == {1}


@pytest.mark.parametrize("waiting", ["double", "repeat", "clear", "undo"])
def test_a_move_that_waits_for_another_is_for_the_round_of_its_tap(seated: Felt, page: Page, waiting: str) -> None:
    held = HeldRequests(page)
    page.locator("[data-do=undo]" if waiting != "undo" else "[data-do=double]").click()
    held.wait_for_one()
    page.locator(f"[data-do={waiting}]").click()
    _next_round(seated)
    expect(page.locator("#round")).to_have_text("2")
    seated.bet("Ann", 1, "tie", 25_00)  # something on the felt for the second move to act on
    expect(page.locator(".area[data-bet=tie]")).to_have_attribute("data-stake", "2500")
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    held.release()
    expect(page.locator("[data-waiting]")).to_have_count(0)
    assert {_command(request)["round"] for request in sent} == {1}
    expect(page.locator("#messages .refusal")).to_contain_text(LATE)
    assert {key: placed.stake_minor for key, placed in seated.round.bets.items()} == {("Ann", 1, "tie"): 25_00}


def test_a_place_taken_after_the_play_money_is_for_the_round_of_the_tap(
    insured: Felt, page: Page, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    come_in(page, insured, "Ann")
    held = HeldRequests(page, "**/play-money")
    page.locator("[data-sit='3']").click()
    held.wait_for_one()
    insured.open_betting()
    expect(page.locator("#round")).to_have_text("1")
    with page.expect_request(COMMANDS) as sent:
        held.release()
    command = _command(sent.value)
    assert (command["command"], command["round"]) == ("sit.1", 0)
    expect(page.locator("#messages .refusal")).to_contain_text("before the first round")
    assert insured.state.seats == {}


def test_a_late_answer_hides_no_later_offer(seated: Felt, page: Page) -> None:
    bet(page, "player", 25_00)
    seated.deal(("close_betting", {}))
    seated.cards(BANKER_INSURED)
    seated.deal(("open_insurance", {}))
    sheet = page.locator("#insurance")
    expect(sheet.locator("h2")).to_contain_text("Banker")
    held = HeldAnswers(page)
    page.locator("[data-insure]").click()
    expect(sheet).to_contain_text("You have taken")
    seated.deal(("close_insurance", {}))
    seated.cards("6h")
    seated.deal(("open_insurance", {}))
    expect(sheet.locator("h2")).to_contain_text("Player")
    held.release()
    expect(sheet).to_be_visible()


def test_a_late_answer_takes_the_focus_from_nobody(tmp_path: Path, page: Page) -> None:
    with felt(tmp_path, "super-six-plus", face_down=True) as table:
        come_in(page, table, "Ann")
        sit(page, 1)
        table.open_betting()
        bet(page, "banker", 25_00)
        held = HeldAnswers(page)
        ask = page.locator("[data-ask-squeeze=banker]")
        ask.click()
        expect(ask).to_have_count(0)
        tie = page.locator(".area[data-bet=tie]")
        tie.focus()
        held.release()
        expect(tie).to_be_focused()
