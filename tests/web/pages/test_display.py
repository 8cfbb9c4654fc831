"""The display board is for information: payments follow the cards, and the board follows the table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.web.views import shoe_results
from tests.floor.playing import CHIPS_MINOR, DEALER, SUPERVISOR, At, betting_table
from tests.marks import books
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

PLAYER_WINS = "9s 2d Kh 3c"
STAKE_MINOR = 100_00


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db")) as running:
        yield running


def dealt(served: Server, rules: Rulebook) -> At:
    """Ann has bet on Player, who has won 9 to 5. The round is not settled yet."""
    at = served.run(betting_table(served.floor, "t1", rules.id))
    assert served.run(at.bet("ann", STAKE_MINOR)).refusal is None
    served.run(at.do(DEALER, "close_betting"))
    for card in PLAYER_WINS.split():
        served.run(at.do(DEALER, "deal_card", card=card))
    return at


def counts(served: Server) -> list[str]:
    """What the board counts: Banker, Player, Tie."""
    tally = read_page(served.client(), "/tables/t1/board").one("dl", "tally")
    return [tally.one("div", winner).one("dd").words for winner in ("banker", "player", "tie")]


def chips(served: Server) -> int:
    return served.floor.table("t1").state.chips_minor("ann")


@pytest.mark.parametrize("rules", books(Topic.DISPLAY))
def test_a_board_that_is_wrong_changes_no_payment(
    rules: Rulebook, served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = dealt(served, rules)
    monkeypatch.setattr(shoe_results, "_mark", lambda _: ("B",))
    assert counts(served) == ["1", "0", "0"]
    served.run(at.do(DEALER, "settle"))
    assert counts(served) == ["1", "0", "0"]
    assert chips(served) == CHIPS_MINOR + STAKE_MINOR
    (settled,) = served.client().get("/api/tables/t1").json()["state"]["round"]["results"]
    assert (settled["result"], settled["returned_minor"]) == ("win", 2 * STAKE_MINOR)


@pytest.mark.parametrize("rules", books(Topic.DISPLAY))
def test_what_is_put_right_at_the_table_is_put_right_on_the_board(rules: Rulebook, served: Server) -> None:
    at = dealt(served, rules)
    assert counts(served) == ["0", "0", "0"]
    served.run(at.do(DEALER, "settle"))
    assert counts(served) == ["0", "1", "0"]
    served.run(at.do(SUPERVISOR, "report_wrong_number", reconstructable=False, reason="seven cards"))
    assert counts(served) == ["0", "0", "0"]
    assert chips(served) == CHIPS_MINOR


@pytest.mark.parametrize("rules", books(Topic.DISPLAY))
def test_the_board_says_that_the_table_prevails(rules: Rulebook, served: Server) -> None:
    served.run(betting_table(served.floor, "t1", rules.id))
    notice = read_page(served.client(), "/tables/t1/board").one("p", "notice")
    assert "The actual result at the table prevails." in notice.words
    assert [link.words for link in notice.all("a")] == list(rules.topics[Topic.DISPLAY])
