"""The display board of a table, for a screen across the pit: no session, no names, always up to date."""

from collections.abc import Collection
from typing import ClassVar
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.board.drawing import ask_svg, bead_plate_svg, big_road_svg, derived_svg
from punto.board.results import read_marks
from punto.board.roads import Derived, Roads, roads
from punto.board.statistics import Statistics, statistics
from punto.catalogue.sentence import say
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS, Language
from punto.web.pages.base.layout import PageContext, PlainAsked, kind_of_game, layout_of, now_ms, table_path
from punto.web.pages.base.templates import Context, page, render, rendered, svg
from punto.web.pages.live.per_table import ByTable, SameForAll
from punto.web.pages.parts.announcement import Announcement, call_of
from punto.web.pages.parts.hands import ShownHand, hand_of
from punto.web.pages.parts.insurance import OfferShown, offer_shown
from punto.web.pages.parts.words import limits_said
from punto.web.views.visibility import Sight

LONG_COLUMNS, SHORT_COLUMNS = 26, 13
"""Columns of the wide roads and of the three beside one another."""


class RoadShown(Struct, frozen=True):
    """A road under its name."""

    name: str
    chinese: str
    """Beside the English name; empty where the name is Chinese already."""
    drawn: Markup


class AskedOf(Struct, frozen=True):
    """If this side wins next."""

    side: str
    drawn: Markup


class BoardHead(Context, frozen=True, kw_only=True):
    """The game, the table and its limits."""

    template = "board/head.html"
    view: TableView
    game: str
    kind: str
    path: str
    seeded: bool
    limits: list[tuple[str, str]]


class BoardRoads(Context, frozen=True, kw_only=True):
    """The roads."""

    template = "board/roads.html"
    wide: list[RoadShown]
    narrow: list[RoadShown]


class BoardNow(Context, frozen=True, kw_only=True):
    """The round on the table, the insurance on offer and the counts of the shoe."""

    template = "board/now.html"
    view: TableView
    call: Announcement
    hands: list[ShownHand]
    offer: OfferShown | None
    no_insurance: bool
    no_insurance_clauses: tuple[Clause, ...]
    counts: Statistics
    asked: list[AskedOf]


class BoardPage(PageContext, frozen=True, kw_only=True):
    """The whole board."""

    template = "board.html"
    table: str
    book: str
    prevails: tuple[Clause, ...]
    live: str
    now_ms: int
    pieces: dict[str, Markup]


class BoardScreen(SameForAll[TableView]):
    """The pieces of one board."""

    contexts: ClassVar[Collection[type[Context]]] = (BoardHead, BoardRoads, BoardNow)

    async def look(self) -> TableView:
        """The table."""
        return await self.showing.view(Sight.PUBLIC)

    def draw(self, looked: TableView, language: Language) -> dict[str, str]:
        """All of them."""
        contexts = board_contexts(self.showing.live, looked, language)
        return {name: render(context, language) for name, context in contexts.items()}


def board_contexts(live: LiveTable, view: TableView, language: Language) -> dict[str, Context]:
    """What each piece shows, by the id of its element."""
    t, marks = TRANSLATORS[language], read_marks(" ".join(view.marks))
    found = roads(marks)
    return {
        "head": BoardHead(
            view=view,
            game=t(f"book.{view.book}"),
            kind=kind_of_game(view.book, t),
            path=table_path(view.table),
            seeded=live.setup.shoes is ShoeKind.SEEDED,
            limits=limits_said(view.settings, t) if view.settings else [],
        ),
        "roads": BoardRoads(wide=wide_roads(found, language), narrow=derived_roads(found, language)),
        "now": BoardNow(
            view=view,
            call=call_of(live, view, t),
            hands=[hand_of(side, view, "", t) for side in (Side.PLAYER, Side.BANKER)],
            offer=offer_shown(view, t),
            no_insurance=view.settings is not None and view.settings.no_insurance,
            no_insurance_clauses=live.rules.topics[Topic.NO_INSURANCE],
            counts=statistics(marks),
            asked=asked_of(found, language),
        ),
    }


def wide_roads(found: Roads, language: Language) -> list[RoadShown]:
    """The bead plate and the big road."""
    return [
        _shown("bead_plate", bead_plate_svg(found.bead_plate, LONG_COLUMNS, language), language),
        _shown("big_road", big_road_svg(found.big_road, LONG_COLUMNS, language), language),
    ]


def derived_roads(found: Roads, language: Language) -> list[RoadShown]:
    """The three that are made of the big road."""
    return [
        _shown(road.value, derived_svg(found.derived[road], road, SHORT_COLUMNS, language), language)
        for road in Derived
    ]


def _shown(road: str, drawn: str, language: Language) -> RoadShown:
    chinese = say(f"road.{road}", {}, "zh") if language == "en" else ""
    return RoadShown(say(f"road.{road}", {}, language), chinese, svg(drawn))


def asked_of(found: Roads, language: Language) -> list[AskedOf]:
    """The ask roads of both sides."""
    return [
        AskedOf(side=side.value, drawn=svg(ask_svg(found.ask[side], side, language)))
        for side in (Side.BANKER, Side.PLAYER)
    ]


def endpoints(boards: ByTable[BoardScreen]) -> list[Endpoint]:
    """The page of a board."""

    async def board(call: HttpRequest) -> Raw:
        name, spoken = call.path["table"], call.language
        screen = await boards.of(name)
        pieces = await screen.pieces(None, {}, spoken)
        path, rules = table_path(name, "board"), screen.showing.live.rules
        context = BoardPage(
            layout=layout_of(call, "board", path),
            table=name,
            book=rules.id,
            prevails=rules.topics[Topic.DISPLAY],
            live=f"/live{path}?{urlencode({'lang': spoken})}",
            now_ms=now_ms(call),
            pieces={piece: rendered(html) for piece, html in pieces.items()},
        )
        return await page(context, spoken)

    return [Endpoint("GET", "/tables/{table}/board", board, "A display board", query=PlainAsked, access=Access.ANYBODY)]
