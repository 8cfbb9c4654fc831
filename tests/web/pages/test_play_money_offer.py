"""A visitor who can bet no more is offered play money where they sit."""

import pytest

from punto.floor.people.floor_rules import FloorRules
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, betting_table, player
from tests.web.page_tree import read_page
from tests.web.serving import Server

RULES = FloorRules(visitors=True, buy_in_minor=100_00, buy_ins=2, tables=("t1",))
CARDS = ("9s", "2d", "Kh", "Kc")
"""Player wins."""


@pytest.mark.parametrize("left_minor", [0, 24_99])
def test_play_money_is_offered_where_the_chips_are_too_few_for_a_bet(served: Server, left_minor: int) -> None:
    limits = {"min_minor": 25_00, "max_minor": 5_000_00}
    at = served.run(betting_table(served.floor, "t1", main=limits, side=limits))
    vera = served.client(served.visitor("vera"))
    served.run(set_rules(served.service.visitors, RULES))
    served.service.floor_view.refresh()
    assert vera.post("/api/tables/t1/play-money").status_code == 200
    served.run(at.do(player("vera"), "sit", who="vera", box=3))

    def offered() -> bool:
        rail = read_page(vera, "/tables/t1", "en").id("rail")
        return any("data-play-money" in button.attributes for button in rail.all("button"))

    assert not offered()
    stake_minor = RULES.buy_in_minor - left_minor
    served.run(at.do(player("vera"), "place_bet", who="vera", box=3, bet="banker", stake_minor=stake_minor))
    assert not offered()  # it may come back
    served.run(at.do(DEALER, "close_betting"))
    for card in CARDS:
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "settle"))
    live = served.floor.tables["t1"]
    assert live.state.chips_minor("vera") == left_minor
    assert offered()
    assert vera.post("/api/tables/t1/play-money").status_code == 200
    assert live.state.chips_minor("vera") == left_minor + RULES.buy_in_minor
    assert live.state.seats[3] == "vera"
    assert not offered()
