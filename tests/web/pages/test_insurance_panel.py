"""What a player is told while insurance is on offer, and what the pages show of insurance that was called."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from punto import book
from punto.floor.running.table_setup import Pace
from punto.rules.topics import Topic
from punto.table.records.positions import STAFF, Position
from punto.table.records.settings import Automation, BetLimits
from tests.floor.playing import DEALER, At, betting_table, player
from tests.waiting import DEADLINE_S
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

GAME = "commission-insurance"
MORE = "4s 6d Kh Kc"
"""Player 4, Banker 6: insurance on Banker, and again if Player draws a 7."""
OTHER_SIDE = "2s 5d Kh Kc"
"""Player 2, Banker 5: insurance on Banker; after Player's third card only on Player."""
LAST = "4s 7d Kh Kc"
"""Player 4, Banker 7: insurance on Banker; Banker does not draw, so nothing follows."""
PASSING = "If you pass, you cannot take insurance later in this round."
UNTIL = "You can take it until the next card is drawn."
LIMITS = {"main": BetLimits(5_00, 5_000_00), "differential_minor": 5_000_00}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db")) as running:
        yield running


class Offered:
    """A table at which vera has bets in box 3 and insurance is on offer."""

    def __init__(
        self,
        served: Server,
        cards: str,
        bets: dict[str, int] | None = None,
        *,
        with_ann: bool = False,
        **changes: Any,
    ) -> None:
        self.served = served
        self.at: At = served.run(betting_table(served.floor, "t1", GAME, **{**LIMITS, **changes}))
        self.vera = served.client(served.visitor("vera"))
        self.do("buy_in", who="vera", amount_minor=5_000_00)
        self.do("sit", by_vera=True, who="vera", box=3)
        for bet, stake_minor in (bets or {"banker": 100_00}).items():
            self.do("place_bet", by_vera=True, who="vera", box=3, bet=bet, stake_minor=stake_minor)
        if with_ann:
            self.do("buy_in", who="ann", amount_minor=5_000_00)
            self.do("sit", who="ann", box=4)
            self.do("place_bet", who="ann", box=4, bet="banker", stake_minor=100_00)
        self.do("close_betting")
        for card in cards.split():
            self.do("deal_card", card=card)
        self.do("open_insurance")

    def do(self, command: str, *, by_vera: bool = False, **fields: Any) -> None:
        self.served.run(self.at.do(player("vera") if by_vera else DEALER, command, **fields))

    def page(self, language: str = "en") -> Element:
        return read_page(self.vera, "/tables/t1", language)

    def says(self, words: str, language: str = "en") -> bool:
        return any(words in panel.words for panel in self.page(language).all("section", "insurance"))


def test_before_they_pass_a_player_is_told_that_it_is_for_the_round(served: Server) -> None:
    offered = Offered(served, MORE)
    assert offered.says(PASSING)
    assert offered.says("如果这次不买，本局之后不能再买保险。", "zh")
    panel = offered.page().one("section", "insurance")
    assert panel.attributes["aria-describedby"].split() == ["ins-p", "ins-pass"]
    shown = [link.words for link in panel.all("a", "clause")]
    assert set(book(GAME).topics[Topic.INSURANCE_FORGONE]) <= set(shown)


def test_after_they_have_taken_some_nothing_is_forgone(served: Server) -> None:
    offered = Offered(served, MORE)
    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=5_00)
    assert offered.says(UNTIL)
    assert not offered.says(PASSING)


def test_where_nothing_can_follow_passing_ends_nothing(served: Server) -> None:
    assert not Offered(served, LAST).says(PASSING)


def test_where_only_the_other_side_can_follow_passing_ends_nothing(served: Server) -> None:
    assert not Offered(served, OTHER_SIDE).says(PASSING)


def test_who_has_bet_on_both_sides_is_told(served: Server) -> None:
    assert Offered(served, OTHER_SIDE, {"banker": 100_00, "player": 50_00}).says(PASSING)


def test_where_only_the_offer_that_passed_is_forgone_nothing_is_said(served: Server) -> None:
    assert not Offered(served, MORE, forgone_for_the_round=False).says(PASSING)


def test_the_last_offer_of_a_round_ends_nothing(served: Server) -> None:
    offered = Offered(served, MORE)
    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=5_00)
    offered.do("deal_card", card="7h")
    offered.do("open_insurance")
    assert offered.says(UNTIL)
    assert not offered.says(PASSING)


def test_an_offer_can_be_taken_from_the_page_until_the_next_card(served: Server) -> None:
    offered = Offered(served, MORE)
    offered.do("close_insurance")
    assert offered.says(UNTIL)
    assert offered.says(PASSING)
    offered.do("deal_card", card="2h")
    assert list(offered.page().all("section", "insurance")) == []


def test_insurance_that_was_called_says_so_to_the_player_and_to_staff(served: Server) -> None:
    offered = Offered(served, MORE)
    offered.do("call_insurance", who="vera", box=3, stake_minor=20_00)
    assert offered.page().id("box-h").words.endswith("Insured for 20 · called, chips to follow")
    assert offered.page("zh").id("box-h").words.endswith("已口头买入，筹码随后")
    line = "Box 3, vera: 20 on Banker, called, chips to follow"
    for position in (*STAFF, Position.AUDITOR):
        assert line in read_page(served.by(position), "/tables/t1").id("called").words
    for client in (served.client(), offered.vera):
        assert 'id="called"' not in client.get("/tables/t1").text
    (cover,) = served.client().get("/api/tables/t1").json()["state"]["round"]["cover"]
    assert (cover["called"], cover["who"]) == (True, "")


def test_insurance_with_chips_is_not_shown_as_called(served: Server) -> None:
    offered = Offered(served, MORE)
    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=20_00)
    assert offered.page().id("box-h").words.endswith("Insured for 20")
    assert 'id="called"' not in served.by(Position.DEALER).get("/tables/t1").text


def test_when_the_round_is_settled_nothing_is_to_follow(served: Server) -> None:
    offered = Offered(served, MORE)
    offered.do("call_insurance", who="vera", box=3, stake_minor=20_00)
    offered.do("deal_card", card="2h")
    offered.do("settle")
    assert "called" not in offered.page().id("box-h").words
    assert 'id="called"' not in served.by(Position.DEALER).get("/tables/t1").text


def test_the_offer_says_that_the_dealer_has_closed_it(served: Server) -> None:
    """It can still be taken until the next card is drawn."""
    offered = Offered(served, MORE)
    for closed, words in ((False, "Insurance is open"), (True, "Insurance closes with the next card")):
        offer = offered.vera.get("/api/tables/t1").json()["state"]["round"]["offer"]
        assert (offer["side"], offer["closed"]) == ("banker", closed)
        assert words in offered.page().one("div", "call").words
        assert offered.says(UNTIL)
        if not closed:
            offered.do("close_insurance")
    offered.do("deal_card", card="7c")
    assert offered.vera.get("/api/tables/t1").json()["state"]["round"]["offer"] is None


def test_the_other_button_says_no_more_once_some_is_taken(served: Server) -> None:
    offered = Offered(served, MORE)
    assert offered.says("No insurance")
    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=5_00)
    assert offered.says("No more")
    assert offered.says("不再加买", "zh")
    assert not offered.says("No insurance")


@pytest.mark.parametrize("forgone", [True, False])
def test_at_the_next_offer_a_player_who_passed_is_told_what_they_gave_up(served: Server, *, forgone: bool) -> None:
    offered = Offered(served, MORE, {"banker": 100_00}, with_ann=True, forgone_for_the_round=forgone)
    offered.do("take_insurance", who="ann", box=4, stake_minor=5_00)
    gave_up = "You have given up insurance for this round"
    assert offered.page().one("div", "call").words.startswith("Insurance is open")
    offered.do("deal_card", card="7h")
    offered.do("open_insurance")
    call = offered.page().one("div", "call")
    assert (gave_up in call.words, "Insurance is open" in call.words) == (forgone, not forgone)
    assert ("您已放弃本局的保险" in offered.page("zh").one("div", "call").words) == forgone
    cited = [link.words for link in call.all("a", "clause")]
    assert cited == (list(book(GAME).topics[Topic.INSURANCE_FORGONE]) if forgone else [])
    others = read_page(served.client(), "/tables/t1").one("div", "call").words
    assert "Insurance: waiting for box" in others


# ---- who has answered, and what is waited for


def call(client: Any, language: str = "en") -> str:
    return read_page(client, "/tables/t1", language).one("div", "call").one("span", "words").words


def test_others_are_told_whom_the_table_waits_for(served: Server) -> None:
    offered = Offered(served, MORE, with_ann=True)
    watcher = served.client()
    assert call(watcher) == "Insurance: waiting for box 3 and 4"
    assert call(watcher, "zh") == "保险：等待3和4号位"
    assert call(offered.vera) == "Insurance is open"
    offered.do("pass_insurance", by_vera=True, who="vera", box=3)
    assert call(offered.vera) == call(watcher) == "Insurance: waiting for box 4"
    assert "data-answered" in offered.page().one("section", "insurance").attributes
    served.run(offered.at.do(player("ann"), "pass_insurance", who="ann", box=4))
    assert call(watcher) == "Insurance is closing"


def test_who_stands_behind_a_box_is_waited_for_after_who_sits_there(served: Server) -> None:
    at = served.run(betting_table(served.floor, "t1", GAME, **LIMITS))
    vera = served.client(served.visitor("vera"))
    people = (("vera", "sit"), ("bob", "stand_behind"))
    for who, command in people:
        served.run(at.do(DEALER, "buy_in", who=who, amount_minor=5_000_00))
        served.run(at.do(player(who), command, who=who, box=3))
        served.run(at.do(player(who), "place_bet", who=who, box=3, bet="banker", stake_minor=100_00))
    served.run(at.do(DEALER, "close_betting"))
    for card in MORE.split():
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "open_insurance"))
    assert call(served.client()) == "Insurance: waiting for box 3"
    served.run(at.do(player("vera"), "pass_insurance", who="vera", box=3))
    assert call(vera) == "Insurance: waiting for players behind box 3"
    assert call(vera, "zh") == "保险：等待3号位后的玩家"
    served.run(at.do(player("bob"), "pass_insurance", who="bob", box=3))
    assert call(vera) == "Insurance is closing"


def test_the_countdown_ends_a_moment_after_all_have_answered(served: Server) -> None:
    offered = Offered(served, MORE, automations=(Automation.CLOSE_INSURANCE,))
    live = served.floor.table("t1")
    live.setup = replace(live.setup, pace=Pace(close_insurance_s=10 * DEADLINE_S))
    reader = served.client()

    def due() -> dict[str, Any] | None:
        found: dict[str, Any] | None = reader.get("/api/tables/t1").json()["state"]["due"]
        return found

    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=5_00)
    soon = due()
    assert soon is None or soon["at_us"] <= served.floor.clock.now_us() + 1_500_000
    served.until(lambda: due() is None)


def test_what_is_insured_is_marked_on_the_bet(served: Server) -> None:
    offered = Offered(served, MORE, {"banker": 100_00, "player": 50_00})

    def marks() -> dict[str, str]:
        areas = {area.attributes["data-bet"]: area for area in offered.page().all("button", "area")}
        return {bet: mark.words for bet, area in areas.items() for mark in area.all("span", "insured-for")}

    assert marks() == {}
    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=5_00)
    offered.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=2_50)
    assert marks() == {"banker": "保 Insurance 7.50"}
