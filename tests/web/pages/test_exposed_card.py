"""The page of a table while betting is open and a card of the round is exposed: bets can only be withdrawn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from punto import book
from punto.rules.topics import Topic
from punto.table.records.settings import BetLimits
from tests.floor.playing import DEALER, SUPERVISOR, betting_table, player
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

GAME = "commission-insurance"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db")) as running:
        yield running


def _live(page: Element) -> set[str]:
    """The buttons for bets that can be used now, by what they do."""
    buttons = [button.attributes for button in page.all("button") if {"data-do", "data-bet"} & button.attributes.keys()]
    return {each.get("data-do", "bet") for each in buttons if each["aria-disabled"] == "false"}


def test_players_are_told_why_and_can_only_withdraw(served: Server) -> None:
    limits: dict[str, Any] = {"main": BetLimits(5_00, 5_000_00), "differential_minor": 5_000_00}
    at = served.run(betting_table(served.floor, "t1", GAME, **limits))
    vera = served.client(served.visitor("vera"))
    served.run(at.do(DEALER, "buy_in", who="vera", amount_minor=5_000_00))
    served.run(at.do(player("vera"), "sit", who="vera", box=3))
    served.run(at.do(player("vera"), "place_bet", who="vera", box=3, bet="banker", stake_minor=100_00))

    before = read_page(vera, "/tables/t1", "en")
    assert "Place your bets" in before.one("div", "call").words
    assert _live(before) == {"bet", "clear", "undo", "repeat", "sides", "double"}
    assert before.one("fieldset", "tray").attributes["class"] == "tray"

    served.run(at.do(SUPERVISOR, "report_excess_card", cards=["9s"]))
    after = read_page(vera, "/tables/t1", "en")
    call = after.one("div", "call")
    assert "A card is exposed: no new or higher bets in this round" in call.words
    assert tuple(link.words for link in call.all("a", "clause")) == book(GAME).topics[Topic.EXCESS_OPTIONS]
    assert _live(after) == {"clear", "undo"}
    assert after.one("fieldset", "tray").attributes["class"] == "tray shut"
    assert "本局已有牌露出" in read_page(vera, "/tables/t1", "zh").one("div", "call").words
