"""Somebody wants to know a card that a player squeezes before all do. Only the squeezer's own page has it."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from punto.floor.running.table_setup import Pace, TableSetup
from punto.table.records.positions import Position
from punto.web.pages.base.static_files import card_faces
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, player
from tests.web.pages.test_pages_live import live
from tests.web.serving import Server, server
from tests.web.watching import Line, line

FACE = re.compile(r"cards/([A2-9TJQK][shdc])\.svg|\"([A2-9TJQK][shdc])\"")
"""A card as pages draw it or as the API writes it."""
SETTINGS: dict[str, Any] = {
    "layout": "D",
    "boxes": 7,
    "main": {"min_minor": 25_00, "max_minor": 5_000_00},
    "differential_minor": 5_000_00,
    "burn": False,
    "face_down": True,
    "squeeze_granted": True,
    "automations": ["turn", "squeeze"],
}
READS = ("", "/legal", "/events", "/rounds", "/shoes")
PLACEHOLDER = '"card":"As"'
"""Legal commands name no card of the shoe: any stands for it."""
PAGES = ("", "/board", "/history", "/deal")


class Squeezed:
    """Vera squeezes both hands of a sealed shoe; everybody else looks on in every way there is."""

    def __init__(self, served: Server, lines: ExitStack) -> None:
        self.served, self.lines = served, lines
        pace = Pace(turn_s=0.0, squeeze_s=3_600.0)
        served.run(served.floor.create_table(MANAGER, TableSetup("t1", "super-six-plus", pace=pace)))
        self.at = At(served.floor, "t1")
        self.do(SUPERVISOR, "open_table", settings=SETTINGS, float_minor=1_000_000_00)
        self.do(SUPERVISOR, "load_shoe", shoe="one", decks=8)
        self.do(DEALER, "open_betting")
        self.vera = served.visitor("vera")
        staff = (Position.DEALER, Position.SHIFT_MANAGER, Position.AUDITOR)
        self.others = [None, served.visitor("wu"), *map(served.token, staff)]
        for box, (who, stake_minor) in enumerate((("vera", 500_00), ("wu", 100_00)), 1):
            self.do(DEALER, "buy_in", who=who, amount_minor=1_000_00)
            self.do(player(who), "sit", who=who, box=box)
            self.do(player(who), "place_bet", who=who, box=box, bet="banker", stake_minor=stake_minor)
        for side in ("player", "banker"):
            self.do(player("vera"), "request_squeeze", who="vera", side=side)
        self.do(DEALER, "close_betting")
        for _ in range(4):
            self.do(DEALER, "deal_card")
        self.feeds = [self._feed(token) for token in (*self.others, self.vera)]
        self.pages = [self._page(token) for token in self.others]
        self.own = self._page(self.vera)

    def _feed(self, token: str | None) -> Line:
        feed = self.lines.enter_context(line(self.served, token))
        feed.watch()
        return feed

    def _page(self, token: str | None) -> Line:
        return Line(self.lines.enter_context(live(self.served, "/tables/t1", token=token)))

    def do(self, *command: Any, **fields: Any) -> None:
        self.served.run(self.at.do(*command, **fields))

    def squeeze(self, place: int, **fields: Any) -> str:
        """The cursor after it."""
        given = self.served.command(self.served.client(self.vera), "t1", "squeeze_card", place=place, **fields)
        assert given.status_code == 200, given.text
        assert faces(given.text) == set()
        cursor: str = given.json()["cursor"]
        return cursor

    @property
    def cursor(self) -> str:
        state = self.served.client().get("/api/tables/t1").json()["state"]
        return f"{state['opening']}/{state['version']}"

    def card(self, place: int) -> str:
        """What the shoe has at that place."""
        now = self.served.floor.table("t1").state.round
        assert now is not None
        shoe = self.served.run(self.served.floor.sealed_shoe(now.shoes[place - 1]))
        assert shoe is not None
        return shoe.cards[now.draws[place - 1]].value

    def seen_by_others(self, cursor: str) -> set[str]:
        """The cards in all that was sent to anybody but the squeezer's page, and in all that anybody can ask for."""
        for feed in self.feeds:
            feed.until(cursor)
        for page in self.pages:
            pieces_until(page, cursor)
        clients = [self.served.client(token) for token in self.others]
        texts = [text for each in (*self.feeds, *self.pages) for text in each.raw]
        for client in (*clients, self.served.client(self.vera)):
            texts += [client.get(f"/api/tables/t1{rest}").text for rest in READS]
        for client in clients:
            texts += [client.get(f"/tables/t1{rest}").text for rest in PAGES]
        return faces("".join(texts))


def pieces_until(page: Line, cursor: str) -> str:
    """The messages until a page shows the table at this cursor."""
    told: list[str] = []
    while not told or json.loads(told[-1]).get("pieces", {}).get("at") != cursor:
        page.next()
        told.append(page.raw[-1])
    return "".join(told)


def faces(text: str) -> set[str]:
    """The cards in a text, without the list of all pictures that every table page fetches in advance."""
    shown = text.replace('\\"', '"').replace(PLACEHOLDER, "").replace(f'data-faces="{card_faces()}"', "")
    return {found[0] or found[1] for found in FACE.findall(shown)}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Squeezed]:
    with server(str(tmp_path / "floor.db")) as served, ExitStack() as lines:
        yield Squeezed(served, lines)


def test_nobody_has_the_face_before_the_squeeze_and_nobody_else_before_it_lies_open(table: Squeezed) -> None:
    before = table.cursor
    assert table.seen_by_others(before) == faces(pieces_until(table.own, before)) == set()
    peeled = table.squeeze(3)
    assert faces(pieces_until(table.own, peeled)) == {table.card(3)}
    assert table.seen_by_others(peeled) == set()
    assert faces(table.served.client(table.vera).get("/tables/t1").text) == {table.card(3)}
    opened = table.squeeze(3, laid_open=True)
    opening, version = opened.split("/")
    turned = f"{opening}/{int(version) + 1}"
    assert table.seen_by_others(turned) == {table.card(3)}


def test_who_may_not_squeeze_learns_nothing_by_trying(table: Squeezed) -> None:
    for token in table.others:
        answer = table.served.command(table.served.client(token), "t1", "squeeze_card", place=1)
        assert answer.status_code in (401, 403, 409, 400), answer.text
        assert faces(answer.text) == set()
    assert table.seen_by_others(table.cursor) == set()
