"""Live pages: each piece is sent again when it has changed, and equals the piece of a reloaded page."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from punto.floor.people import floor_facts
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.web.pages import page_socket
from punto.web.pages.base.static_files import static_files
from tests.floor.playing import DEALER, MANAGER, At, betting_table
from tests.waiting import DEADLINE_S
from tests.web.page_tree import read_html, read_page
from tests.web.serving import Server
from tests.web.watching import open_socket

SOON_AGAIN_S = 0.1
NATURAL = ("9s", "2d", "Kh", "3c")


@contextmanager
def live(served: Server, path: str, language: str = "en", token: str | None = None) -> Iterator[ClientConnection]:
    """The WebSocket at the address that the page gives."""
    page = read_page(served.client(token), path, language)
    address = served.url.replace("http", "ws", 1) + page.one("body").attributes["data-live"]
    who = {"authorization": f"Bearer {token}"} if token else {}
    with open_socket(address, who) as socket:
        yield socket


def told(socket: ClientConnection) -> dict[str, Any]:
    """The pieces of the next message that is not a heartbeat."""
    while set(message := json.loads(socket.recv(DEADLINE_S))) == {"now"}:
        pass
    assert set(message) == {"now", "pieces", "release"}, message
    pieces: dict[str, Any] = message["pieces"]
    return pieces


def finish(served: Server, at: At) -> None:
    served.run(at.do(DEALER, "close_betting"))
    for card in NATURAL:
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "settle"))


def test_the_lobby_sends_the_table_that_has_moved(served: Server) -> None:
    first, second = (served.run(betting_table(served.floor, name)) for name in ("a", "b"))
    with live(served, "/") as socket:
        assert set(told(socket)) == {"table-1", "table-2"}
        served.run(second.do(DEALER, "close_betting"))
        pieces = told(socket)
        assert set(pieces) == {"table-2"}
        assert "No more bets" in read_html(pieces["table-2"]).words
        served.run(first.do(DEALER, "close_betting"))
        assert set(told(socket)) == {"table-1"}


def test_the_lobby_sends_the_whole_list_when_it_is_another(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floor_facts, "REFRESH_S", SOON_AGAIN_S)
    served.run(betting_table(served.floor, "b"))
    with live(served, "/") as socket:
        assert set(told(socket)) == {"table-1"}
        served.run(served.floor.create_table(MANAGER, TableSetup("a", "commission", ShoeKind.VIRTUAL)))
        pieces = told(socket)
        assert set(pieces) == {"lobby"}
        names = [heading.words for heading in read_html(pieces["lobby"]).all("h2")]
        assert names == ["Commission Baccarat Table a", "Commission Baccarat Table b"]


def test_a_lobby_without_tables_waits_for_the_first(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floor_facts, "REFRESH_S", SOON_AGAIN_S)
    with live(served, "/", "zh") as socket:
        served.run(betting_table(served.floor, "a"))
        pieces = told(socket)
        while "请下注" not in pieces["lobby"]:
            pieces = told(socket)
        assert set(pieces) == {"lobby"}


def test_the_board_moves_with_the_table(served: Server) -> None:
    at = served.run(betting_table(served.floor, 'a "b" <c>?#%41'))
    path = "/tables/a%20%22b%22%20%3Cc%3E%3F%23%2541/board"
    with live(served, path) as socket:
        assert set(told(socket)) == {"head", "roads", "now"}
        finish(served, at)
        pieces: dict[str, str] = {}
        while "roads" not in pieces:
            pieces |= told(socket)
        assert len(list(read_html(pieces["roads"]).one("svg", "bead").all("g", "mark"))) == 1
        assert "Player wins" in read_html(pieces["now"]).words
        whole = served.client().get(path).text
        assert all(piece in whole for piece in pieces.values())


def test_the_odds_move_with_the_offer(served: Server) -> None:
    at = served.run(betting_table(served.floor, "t1", "commission-insurance"))
    served.run(at.bet("ann", 100_00, bet="banker"))
    with live(served, "/tables/t1/odds", "zh") as socket:
        assert "目前没有可买的保险" in told(socket)["moment"]
        served.run(at.do(DEALER, "close_betting"))
        for card in ("As", "2s", "Ad", "3d"):
            served.run(at.do(DEALER, "deal_card", card=card))
        served.run(at.do(DEALER, "open_insurance"))
        assert "按已见的牌计算，赌场优势为" in told(socket)["moment"]  # noqa: RUF001 - Chinese


def test_a_page_hears_from_the_server_while_nothing_happens(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_socket, "HEARTBEAT_S", 0.01)
    at = served.run(betting_table(served.floor, "a"))
    with live(served, "/tables/a") as socket:
        assert told(socket)
        beats = [json.loads(socket.recv(DEADLINE_S)) for _ in range(3)]
        assert [set(beat) for beat in beats] == [{"now"}] * 3
        assert beats == sorted(beats, key=lambda beat: int(beat["now"]))
        served.run(at.do(DEALER, "close_betting"))
        assert "No more bets" in read_html(told(socket)["stage"]).words


def test_a_page_waits_for_more_than_two_heartbeats_and_not_for_more_than_five_seconds() -> None:
    script = static_files()["live/line.js"].answer.body.decode()
    looks, look_ms = (int(re.findall(rf"const {name} = (\d+);", script)[0]) for name in ("MAX_LOOKS", "LOOK_MS"))
    assert looks * look_ms > 2 * page_socket.HEARTBEAT_S * 1_000
    assert (looks + 1) * look_ms < 5_000
