"""The lobby shows a player what they have at each table and in sum, and shows nobody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from punto.floor.people.floor_rules import FloorRules
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, betting_table
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db")) as running:
        yield running


def _balances(lobby: Element) -> list[str]:
    return [each.words for each in lobby.all("dd", "mine")]


def test_a_player_sees_each_balance_and_the_sum(served: Server) -> None:
    vera = served.client(served.visitor("vera"))
    for name, amount_minor in (("a", 700_00), ("b", 50_50), ("felt", 9_000_00)):
        at = served.run(betting_table(served.floor, name))
        served.run(at.do(DEALER, "buy_in", who="vera", amount_minor=amount_minor))
    served.run(betting_table(served.floor, "other"))
    rules = FloorRules(visitors=True, buy_in_minor=100_00, tables=("a", "b", "other"))
    served.run(set_rules(served.service.visitors, rules))
    lobby = read_page(vera, "/")
    assert _balances(lobby) == ["700 SGD", "50.50 SGD"]
    assert lobby.id("sum").words == "Your balances: 750.50 SGD"
    assert read_page(vera, "/", "zh").id("sum").words == "您的余额合计：750.50 SGD"  # noqa: RUF001 - Chinese
    anybodys = read_page(served.client(), "/")
    assert (_balances(anybodys), anybodys.id("sum").words) == ([], "")
