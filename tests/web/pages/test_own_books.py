"""Books of one's own have all pages that the shipped ones have, in every stage of a round."""

from pathlib import Path

import pytest

from punto import library
from punto.table.records.positions import Position
from tests.floor.playing import DEALER, betting_table
from tests.web.page_tree import read_page
from tests.web.serving import Server

FOLDER = Path(__file__).parents[3] / "examples" / "books"
GAMES = ("macau", "seven-returned", "dragon-bonus", "perfect-pair", "unnamed")
UNNAMED = """
id = "unnamed"
extends = "commission"
[bets.odd_one]
otherwise = "push"
pays = [
  { when = { pairs = ["none"] }, odds = "lose" },
  { when = { total = "odd", player_cards = [2, 3] }, odds = "7/3" },
  { when = { first_four = ["9x2+", "two_pair"] }, odds = "9" },
  { when = { banker_third_card = "black", natural = "none" }, odds = "1/4" },
]
[bets.small_margin]
pays = [{ when = { winner = ["player", "banker"], margin = 1 }, odds = "5" }]
"""
CARDS = ("7h", "2d", "7h", "5d", "6h")


@pytest.fixture(autouse=True)
def _on_the_shelf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "_OWN", {})
    library.put_on_shelf(FOLDER)
    (tmp_path / "unnamed.toml").write_text(UNNAMED)
    library.put_on_shelf(tmp_path)


def _read_all(served: Server, game: str, language: str) -> str:
    """The words of every page about the table and its book, to staff and to a player."""
    words = []
    for position, paths in (
        (Position.PIT_SUPERVISOR, ("/tables/{}/deal", "/tables/{}/keys", "/pit", "/tables/{}/history")),
        (Position.PLAYER, ("/tables/{}", "/tables/{}/odds", "/tables/{}/board", "/rules/{}", "/rules/{}/4.1.2")),
    ):
        client = served.by(position)
        words += [read_page(client, path.format(game), language).one("main").words for path in paths]
    return "\n".join(words)


@pytest.mark.parametrize("game", GAMES)
def test_every_page_of_a_book_of_ones_own_can_be_read(served: Server, game: str) -> None:
    rules = library.book(game)
    at = served.run(betting_table(served.floor, game, game))
    for bet in rules.bets:
        served.run(at.bet("ann", 25_00, bet=bet))
    said = _read_all(served, game, "zh") + _read_all(served, game, "en")
    assert all(rule.name in said for rule in rules.bets.values())
    served.run(at.do(DEALER, "close_betting"))
    for number, card in enumerate(CARDS):
        served.run(at.do(DEALER, "deal_card", card=card))
        if number in (2, 4):
            assert _read_all(served, game, "en")
    served.run(at.do(DEALER, "settle"))
    assert _read_all(served, game, "en")


def test_programs_read_a_book_of_ones_own(served: Server) -> None:
    client = served.client()
    for game in GAMES:
        answer = client.get(f"/api/books/{game}/clauses/4.1.2")
        assert answer.status_code == 200, answer.text
    assert {each["book"] for each in client.get("/api/books").json()["books"]} >= {*GAMES}


def test_a_path_is_no_book_for_the_network(served: Server) -> None:
    for name in ("..%2F..%2Fexamples%2Fbooks%2Fmacau.toml", "macau.toml", "%2Fetc%2Fpasswd"):
        assert served.client().get(f"/api/books/{name}/clauses/4.1.2").status_code == 404
