"""A ruling at a table whose book has no clause on rulings is marked as resting on none, on every page."""

from collections.abc import Iterator
from typing import Any

import pytest

from punto.catalogue.sentence import Language, say
from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position
from tests.floor.playing import DEALER, At, manual_table, player
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

SHIFT = Actor("sid", Position.SHIFT_MANAGER)
STAFF_PAGES = {
    Position.DEALER: (
        "/tables/felt/history",
        "/tables/felt/rounds/1-1",
        "/tables/felt/rounds/1-2",
        "/tables/felt/deal",
    ),
    Position.SHIFT_MANAGER: ("/incidents/1", "/incidents/2", "/pit/reports"),
    Position.AUDITOR: ("/audit",),
}
PLAYER_PAGES = ("/tables/felt", "/tables/felt/history", "/tables/felt/rounds/1-1", "/tables/felt/rounds/1-2")


class RuledTable:
    """Two rounds of one table: a ruling returns a bet and pays an amount, and a ruling voids the second round."""

    def __init__(self, served: Server, game: str, **limits: int) -> None:
        self.served = served
        at: At = served.run(manual_table(served.floor, "felt", game, **limits))
        self.vera = served.client(served.visitor("vera"))
        served.run(at.do(DEALER, "buy_in", who="vera", amount_minor=500_00))
        served.run(at.do(player("vera"), "sit", who="vera", box=3))
        bet: dict[str, Any] = {"who": "vera", "box": 3, "bet": "banker"}
        for number in (1, 2):
            served.run(at.do(DEALER, "open_betting"))
            served.run(at.do(player("vera"), "place_bet", **bet, stake_minor=100_00))
            served.run(at.do(DEALER, "close_betting"))
            if number == 1:
                served.run(at.do(SHIFT, "rule", reason="a chip fell", effect="return", bets=[bet]))
                for card in ["9s", "2d", "Kh", "3c"]:
                    served.run(at.do(DEALER, "deal_card", card=card))
                served.run(at.do(DEALER, "settle"))
                served.run(at.do(SHIFT, "rule", reason="a stack fell", effect="adjust", amounts={"vera": 500}))
        served.run(at.do(SHIFT, "rule", reason="the cover fell", effect="void"))

    def unmarked(self, language: Language) -> set[str]:
        """The pages that do not have the mark."""
        mark = say("ruling.no_clause", language, words="").strip()
        pages = [(self.vera, path) for path in PLAYER_PAGES]
        pages += [(self.served.by(position), path) for position, paths in STAFF_PAGES.items() for path in paths]
        return {path for client, path in pages if mark not in read_page(client, path, language).words}


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("rulings") / "floor.db")) as running:
        yield running


def test_every_page_marks_a_ruling_that_rests_on_no_clause(served: Server) -> None:
    table = RuledTable(served, "commission")
    assert table.unmarked("en") == set()
    assert table.unmarked("zh") == set()


def test_a_ruling_by_a_clause_has_no_mark(served: Server) -> None:
    table = RuledTable(served, "super-six-plus")
    paths = {*PLAYER_PAGES, *(path for paths in STAFF_PAGES.values() for path in paths)}
    assert table.unmarked("en") == table.unmarked("zh") == paths
