"""The display board of a table, for a large screen in the pit. Needs no session, shows no names, updates live."""

from collections.abc import Collection
from typing import ClassVar
from urllib.parse import urlencode

from markupsafe import Markup

from punto.board.results import read_marks
from punto.board.roads import roads
from punto.board.statistics import Statistics, statistics
from punto.catalogue.sentence import Language
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.messages import TableView
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.layout import PageContext, PageQuery, kind_of_game, layout_of, now_ms, table_path
from punto.web.pages.base.templates import Context, page, render, rendered
from punto.web.pages.live.per_table import ByTable, SameForAll
from punto.web.pages.parts.announcement import Announcement, call_of
from punto.web.pages.parts.carried import ShownCarried, carried_cards
from punto.web.pages.parts.hands import ShownHand, hand_of
from punto.web.pages.parts.insurance import ShownOffer, show_offer
from punto.web.pages.parts.roads import AskRoad, ShownRoad, ask_roads, derived_roads, wide_roads
from punto.web.pages.parts.words import limit_lines
from punto.web.views.visibility import Sight

LONG_COLUMNS, SHORT_COLUMNS = 26, 13
"""Columns of the wide roads, and of the three that are side by side."""


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
    template = "board/roads.html"
    wide: list[ShownRoad]
    narrow: list[ShownRoad]


class BoardNow(Context, frozen=True, kw_only=True):
    """The current round, the insurance on offer and the statistics of the shoe."""

    template = "board/now.html"
    view: TableView
    call: Announcement
    hands: list[ShownHand]
    carried: tuple[ShownCarried, ...]
    offer: ShownOffer | None
    no_insurance: bool
    no_insurance_clauses: tuple[Clause, ...]
    counts: Statistics
    ask_roads: list[AskRoad]


class BoardPage(PageContext, frozen=True, kw_only=True):
    template = "board.html"
    table_title: str
    book: str
    prevails: tuple[Clause, ...]
    live: str
    now_ms: int
    pieces: dict[str, Markup]


class BoardScreen(SameForAll[TableView]):
    contexts: ClassVar[Collection[type[Context]]] = (BoardHead, BoardRoads, BoardNow)

    async def read(self) -> TableView:
        return await self.cache.view(Sight.PUBLIC)

    def draw(self, data: TableView, language: Language) -> dict[str, str]:
        contexts = board_contexts(self.cache.live, data, language)
        t = translator(language, at_shuffler=self.cache.live.state.at_shuffler)
        return {name: render(context, language, t) for name, context in contexts.items()}


def board_contexts(live: LiveTable, view: TableView, language: Language) -> dict[str, Context]:
    """The context of each piece, by the id of its element."""
    t = translator(language, at_shuffler=live.state.at_shuffler)
    marks = read_marks(" ".join(view.marks))
    all_roads = roads(marks)
    return {
        "head": BoardHead(
            view=view,
            game=t(f"book.{view.book}"),
            kind=kind_of_game(view.book, t),
            path=table_path(view.table),
            seeded=live.setup.shoes is ShoeKind.SEEDED,
            limits=limit_lines(view.settings, t) if view.settings else [],
        ),
        "roads": BoardRoads(
            wide=wide_roads(all_roads, LONG_COLUMNS, language),
            narrow=derived_roads(all_roads, SHORT_COLUMNS, language),
        ),
        "now": BoardNow(
            view=view,
            call=call_of(live, view, t),
            hands=[hand_of(side, view, "", t) for side in (Side.PLAYER, Side.BANKER)],
            carried=carried_cards(live.state, t),
            offer=show_offer(view, t),
            no_insurance=view.settings is not None and view.settings.no_insurance,
            no_insurance_clauses=live.rules.topics[Topic.NO_INSURANCE],
            counts=statistics(marks),
            ask_roads=ask_roads(all_roads, language),
        ),
    }


def endpoints(boards: ByTable[BoardScreen]) -> list[Endpoint]:
    async def board(call: HttpRequest) -> Raw:
        name, language = call.path["table"], call.language
        screen = await boards.of(name)
        pieces = await screen.pieces(None, {}, language)
        path, rules = table_path(name, "board"), screen.cache.live.rules
        context = BoardPage(
            layout=layout_of(call, "board", path),
            table_title=screen.cache.live.title,
            book=rules.id,
            prevails=rules.topics[Topic.DISPLAY],
            live=f"/live{path}?{urlencode({'lang': language})}",
            now_ms=now_ms(call),
            pieces={piece: rendered(html) for piece, html in pieces.items()},
        )
        return await page(context, language)

    return [
        Endpoint(
            "GET",
            "/tables/{table}/board",
            board,
            "The display board of a table",
            query=PageQuery,
            access=Access.ANYBODY,
        )
    ]
