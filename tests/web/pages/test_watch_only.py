"""What pages say at tables that are not for play money, where visitors can only watch."""

from collections.abc import Iterator

import httpx2
import pytest

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from tests.floor.playing import MANAGER, At, betting_table, manual_table
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

PLAY, REAL, AUTOMATIC, CLOSED = "t1", "t2", "t3", "t4"
DEALER_TAKES = "This table is not for play money. Its dealer takes the bets."
WATCH = "This table is not for play money. You can watch it."
STAFF_WATCH = "You are signed in as staff. This table is not for play money."


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A play-money table, a table with a dealer and customers, one where Punto deals, and a closed one."""
    with server(str(tmp_path_factory.mktemp("watch") / "floor.db")) as running:
        running.token(Position.PLAYER)  # before there are tables, which would all be for play money
        running.run(running.floor.create_table(MANAGER, TableSetup(PLAY, "commission", ShoeKind.MANUAL)))
        running.run(running.service.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, tables=(PLAY,))))
        running.service.floor_view.refresh()
        running.run(At(running.floor, PLAY).open())
        running.run(betting_table(running.floor, REAL))
        running.run(manual_table(running.floor, AUTOMATIC, automations=(Automation.DEAL,)))
        running.run(running.floor.create_table(MANAGER, TableSetup(CLOSED, "commission", ShoeKind.MANUAL)))
        yield running


def client(floor: Server, position: Position | None) -> httpx2.Client:
    return floor.client() if position is None else floor.by(position)


def texts(page: Element) -> list[str]:
    return [each.words for each in page.all("p")]


@pytest.mark.parametrize("position", [None, Position.PLAYER, Position.DEALER, Position.AUDITOR, Position.ADMINISTRATOR])
def test_why_nobody_plays_on_this_page(floor: Server, position: Position | None) -> None:
    staff = position not in (None, Position.PLAYER)
    for table, sentence in ((REAL, DEALER_TAKES), (AUTOMATIC, WATCH)):
        words = read_page(client(floor, position), f"/tables/{table}").one("div", "take").words
        assert words == f"Watching {STAFF_WATCH if staff else sentence}"
    at_play_money = read_page(client(floor, position), f"/tables/{PLAY}").id("box").words
    assert "not for play money" not in at_play_money


@pytest.mark.parametrize(
    ("language", "only", "watch", "play"),
    [("en", "Watch only", "Watch the table", "Go to the table"), ("zh", "仅供旁观", "旁观赌桌", "前往赌桌")],
)
def test_the_lobby_says_where_one_can_only_watch(
    floor: Server, language: str, only: str, watch: str, play: str
) -> None:
    for position in (None, Position.PLAYER):
        page = read_page(client(floor, position), "/", language)
        cards = [page.id(f"table-{number}") for number in (1, 2, 3)]
        assert [only in texts(card) for card in cards] == [False, True, True]
        links = [card.one("a", "button").words for card in cards]
        assert [link.startswith(watch) for link in links] == [False, True, True], links
        assert links[0].startswith(play)


def test_the_rounds_of_a_real_table_are_for_staff(floor: Server) -> None:
    sentence = "This table is not for play money. Only staff can see its rounds."
    for position in (None, Position.PLAYER, Position.ADMINISTRATOR):
        page = read_page(client(floor, position), f"/tables/{REAL}/history")
        assert page.one("h1").words == "The last rounds"
        assert f"{sentence} Watch the table" in texts(page)
    nobody = texts(read_page(floor.client(), f"/tables/{PLAY}/history"))
    assert "Sign in to see the rounds you have played. Sign in" in nobody
    visitor = texts(read_page(floor.by(Position.PLAYER), f"/tables/{PLAY}/history"))
    assert "You have no settled bets at this table yet. Go to the table" in visitor
    for table in (PLAY, REAL):
        dealer = texts(read_page(floor.by(Position.DEALER), f"/tables/{table}/history"))
        assert "No bets have been settled at this table yet. Go to the table" in dealer


@pytest.mark.parametrize("table", [PLAY, REAL, CLOSED])
def test_staff_have_a_link_to_the_rounds_of_a_table(floor: Server, table: str) -> None:
    for position in (None, Position.PLAYER, Position.ADMINISTRATOR, Position.DEALER, Position.AUDITOR):
        side = read_page(client(floor, position), f"/tables/{table}").id("side")
        links = {link.words: link.attributes["href"] for link in side.all("a")}
        sees_all = position in (Position.DEALER, Position.AUDITOR)
        assert links.get("The last rounds") == (f"/tables/{table}/history" if sees_all else None)
