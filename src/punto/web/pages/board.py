"""The display board of a table, for a screen across the pit: no session, no names, always up to date."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.board.drawing import ask_svg, bead_plate_svg, big_road_svg, derived_svg
from punto.board.results import read_marks
from punto.board.roads import Derived, Roads, roads
from punto.board.statistics import statistics
from punto.board.words import BEAD_PLATE, BIG_ROAD, DERIVED
from punto.floor.running.table_setup import ShoeKind
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.messages import TableView
from punto.web.pages.base.handler import language
from punto.web.pages.base.i18n import TONGUES, Language, Tongue
from punto.web.pages.base.layout import PlainAsked, frame, name_and_kind, now_ms, table_path
from punto.web.pages.base.templates import page, render, svg
from punto.web.pages.live.per_table import ByTable, SameForAll
from punto.web.pages.table.view_model import CHINESE, call_of, hand_of, limits_said

BOARD_PIECES = ("head", "roads", "now")
"""The pieces of the page, by the ids of their elements; ``board/<name>.html`` is the template of each."""
LONG, SHORT = 26, 13
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
    name: str
    chinese: str
    drawn: Markup


class OfferShown(Struct, frozen=True):
    """The insurance of the moment."""

    side: str
    name: str
    chinese: str
    odds: str
    player: int
    banker: int
    clauses: tuple[Clause, ...]


class BoardScreen(SameForAll):
    """The pieces of one board."""

    def draw(self, view: TableView, language: Language) -> dict[str, str]:
        """All of them."""
        values = self._values(view, language)
        return {name: render(f"board/{name}.html", language, **values) for name in BOARD_PIECES}

    def _values(self, view: TableView, language: Language) -> dict[str, Any]:
        live, t = self.showing.live, TONGUES[language]
        marks = read_marks(" ".join(view.marks))
        found = roads(marks)
        game, kind = name_and_kind(view.title, t)
        return {
            "view": view,
            "game": game,
            "kind": kind,
            "path": table_path(view.table),
            "seeded": live.setup.shoes is ShoeKind.SEEDED,
            "limits": limits_said(view.settings, t) if view.settings else [],
            "wide": wide_roads(found, language),
            "narrow": derived_roads(found, language),
            "asked": asked_of(found, language, t),
            "counts": statistics(marks),
            "chinese": CHINESE,
            "call": call_of(live, view, t),
            "hands": [hand_of(side, view, "", t) for side in (Side.PLAYER, Side.BANKER)],
            "offer": offer_shown(view, t),
            "no_insurance": view.settings is not None and view.settings.no_insurance,
            "no_insurance_clauses": live.rules.topics[Topic.NO_INSURANCE],
        }


def wide_roads(found: Roads, language: Language) -> list[RoadShown]:
    """The bead plate and the big road."""
    return [
        _shown(BEAD_PLATE, bead_plate_svg(found.bead_plate, LONG, language), language),
        _shown(BIG_ROAD, big_road_svg(found.big_road, LONG, language), language),
    ]


def derived_roads(found: Roads, language: Language) -> list[RoadShown]:
    """The three that are made of the big road."""
    return [
        _shown(DERIVED[road], derived_svg(found.derived[road], road, SHORT, language), language) for road in Derived
    ]


def _shown(names: Mapping[Language, str], drawn: str, language: Language) -> RoadShown:
    return RoadShown(names[language], names["zh"] if language == "en" else "", svg(drawn))


def asked_of(found: Roads, language: Language, t: Tongue) -> list[AskedOf]:
    """The ask roads of both sides."""
    return [
        AskedOf(
            side=side.value,
            name=t(side.capitalize()),
            chinese=CHINESE[side],
            drawn=svg(ask_svg(found.ask[side], side, language)),
        )
        for side in (Side.BANKER, Side.PLAYER)
    ]


def offer_shown(view: TableView, t: Tongue) -> OfferShown | None:
    """The insurance that is on offer now."""
    now = view.round
    if now is None or now.offer is None:
        return None
    odds = Fraction(now.offer.odds)
    return OfferShown(
        side=now.offer.side.value,
        name=t(now.offer.side.capitalize()),
        chinese=CHINESE[now.offer.side],
        odds=t("{a} to {b}", a=odds.numerator, b=odds.denominator),
        player=now.player.points or 0,
        banker=now.banker.points or 0,
        clauses=now.offer.clauses,
    )


def endpoints(boards: ByTable[BoardScreen]) -> list[Endpoint]:
    """The page of a board."""

    async def board(call: HttpRequest) -> Raw:
        name, spoken = call.path["table"], language(call)
        screen = await boards.of(name)
        pieces = await screen.pieces(None, {}, spoken)
        path, rules = table_path(name, "board"), screen.showing.live.rules
        return page(
            "board.html",
            spoken,
            table=name,
            book=rules.id,
            prevails=rules.topics[Topic.DISPLAY],
            live=f"/live{path}?{urlencode({'lang': spoken})}",
            now_ms=now_ms(call),
            pieces={piece: Markup(html) for piece, html in pieces.items()},  # noqa: S704 - rendered by our templates
            **frame(call, "board", path),
        )

    return [Endpoint("GET", "/tables/{table}/board", board, "A display board", query=PlainAsked, access=Access.ANYBODY)]
