"""In a book without seated and standing players, a player chooses any box to bet in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.floor.playing import DEALER, betting_table, player
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

LIMITS: dict[str, Any] = {"least": 1_00}
STANDING = "stand behind a seated player"
ANY_BOX = "Anyone can bet in any box."


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db")) as running:
        yield running


class Boxes:
    """A table with ann seated at box 1; vera has chips and no place."""

    def __init__(self, served: Server, game: str, **changes: Any) -> None:
        self.served = served
        self.at = served.run(betting_table(served.floor, "t1", game, **LIMITS, **changes))
        self.vera = served.client(served.visitor("vera"))
        self.do(DEALER, "buy_in", who="vera", amount_minor=1_000_00)

    def do(self, *command: Any, **fields: Any) -> None:
        self.served.run(self.at.do(*command, **fields))

    def page(self, query: str = "", language: str = "en") -> Element:
        return read_page(self.vera, f"/tables/t1{query}", language)


def _chosen(page: Element) -> list[str]:
    return [each.attributes["data-box"] for each in page.all("div", "areas") if "data-box" in each.attributes]


def test_commission_lets_a_player_choose_any_box(served: Server) -> None:
    table = Boxes(served, "commission")
    page = table.page()
    assert ANY_BOX in page.id("box").words
    assert STANDING not in page.id("box").words
    assert [each for each in page.all("button") if "data-stand" in each.attributes] == []
    assert "1" in [each.attributes.get("data-choose-box") for each in page.id("box").all("button")]
    links = [each.attributes["href"] for each in page.id("side").all("a")]
    assert {"?box=1", "?box=4"} <= set(links)
    assert _chosen(table.page("?box=4")) == ["4"]
    assert _chosen(table.page("?box=1")) == ["1"]
    assert _chosen(table.page("?box=99")) == []
    assert "Behind" not in table.page("?box=1").id("box").words


def test_a_bet_where_nobody_sits_is_drawn_and_is_the_box_shown(served: Server) -> None:
    table = Boxes(served, "commission")
    table.do(player("vera"), "place_bet", who="vera", box=4, bet="banker", stake_minor=321_00)
    page = table.page()
    assert _chosen(page) == ["4"]
    assert "321" in [each.words for each in page.id("stage").all("text", "sum")]
    assert "321" in [each.words for each in read_page(served.client(), "/tables/t1").id("stage").all("text", "sum")]


def test_the_other_books_have_places(served: Server) -> None:
    table = Boxes(served, "super-six-plus", differential_minor=5_000_00)
    page = table.page()
    assert STANDING in page.id("box").words
    assert ANY_BOX not in page.id("box").words
    assert _chosen(table.page("?box=4")) == []
    assert "?box=4" not in [each.attributes["href"] for each in page.id("side").all("a")]
