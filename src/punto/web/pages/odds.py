"""The odds of a table: every bet of its layout from a full shoe, every insurance, and what is offered at the moment."""

import asyncio
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import ShoeKind
from punto.library import book
from punto.odds.exact.solver import solve
from punto.odds.figures import CellFigures, Figures, figures
from punto.odds.shoe import full_shoe
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refused
from punto.table.play.insuring import current_line, showing
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode
from punto.web.messages import TableView
from punto.web.pages.base.handler import language
from punto.web.pages.base.i18n import TONGUES, Language, Tongue
from punto.web.pages.base.layout import PlainAsked, frame, name_and_kind, now_ms, table_path
from punto.web.pages.base.templates import page, render
from punto.web.pages.board import OfferShown, offer_shown
from punto.web.pages.live.per_table import ByTable, SameForAll
from punto.web.pages.table import felt
from punto.web.pages.table.insurance import Worth, percent, worth_of

FULL_METER = Fraction(1, 4)
"""An edge that fills the little drawing beside it."""
_STAGES = {Stage.FOUR: "after four cards", Stage.THIRD: "after Player's third card"}


class BetOdds(Struct, frozen=True):
    """A bet, what it pays and what it costs."""

    look: str
    name: str
    chinese: str
    pays: str
    wins: str
    edge: str
    meter: str
    favours_bettor: bool


class CellOdds(Struct, frozen=True):
    """Insurance on two points."""

    player: int
    banker: int
    pays: str
    edge: str
    favours_bettor: bool


class InsuranceOdds(Struct, frozen=True):
    """All insurance of one side at one stage."""

    side: str
    caption: str
    cells: tuple[CellOdds, ...]


@cache
def full_shoe_figures(book_id: str, decks: int) -> Figures:
    """Counted over all orders of a full shoe: some milliseconds, so not on the loop."""
    rules = book(book_id)
    return figures(rules, solve(rules, full_shoe(rules, decks)))


@cache
def drawn_bets(book_id: str, decks: int, layout: str, language: Language) -> Markup:
    """The bets of a layout, or of the whole book where none is named: they never change."""
    shown = bets_shown(book_id, decks, layout, language)
    return Markup(render("odds/bets.html", language, layout=layout, bets=shown))  # noqa: S704 - rendered by our templates


@cache
def drawn_cells(book_id: str, decks: int, language: Language) -> Markup:
    """All insurance of a book: it never changes either."""
    shown = insurance_shown(full_shoe_figures(book_id, decks).insurance, TONGUES[language])
    return Markup(render("odds/cells.html", language, insurance=shown))  # noqa: S704 - as above


@cache
def bets_shown(book_id: str, decks: int, layout: str, language: Language) -> tuple[BetOdds, ...]:
    """The bets of a layout, or of the whole book where none is named."""
    rules, found, t = book(book_id), full_shoe_figures(book_id, decks), TONGUES[language]
    shown = []
    for bet in rules.layouts[layout].menu if layout else tuple(rules.bets):
        rule, worth = rules.bets[bet], found.bets[bet]
        side = felt.side_of_felt(rule) if bet not in ("player", "banker") else bet
        part = max(Fraction(), min(Fraction(1), worth.edge / FULL_METER))
        shown.append(
            BetOdds(
                look="tie" if bet == "tie" else side,
                name=t(rule.name),
                chinese=rule.chinese or "",
                pays=felt.pays(rule, t),
                wins=percent(worth.win),
                edge=percent(worth.edge),
                meter=f"{float(part * 100):.1f}",
                favours_bettor=worth.favours_bettor,
            )
        )
    return tuple(shown)


def decks_of(live: LiveTable) -> int:
    """Of the shoe on the table, or of those that it gets."""
    return live.state.shoe.decks if live.state.shoe else live.setup.decks


def insurance_shown(cells: Iterable[CellFigures], t: Tongue) -> list[InsuranceOdds]:
    """The cells by stage and side."""
    by: dict[tuple[Stage, Side], list[CellOdds]] = {}
    for cell in cells:
        odds = Fraction(cell.odds)
        by.setdefault((cell.stage, cell.side), []).append(
            CellOdds(
                player=cell.player,
                banker=cell.banker,
                pays=t("{a} to {b}", a=odds.numerator, b=odds.denominator),
                edge=percent(cell.edge),
                favours_bettor=cell.favours_bettor,
            )
        )
    return [
        InsuranceOdds(
            side=side.value,
            caption=t("Insurance on {side}, {stage}", side=t(side.capitalize()), stage=t(_STAGES[stage])),
            cells=tuple(found),
        )
        for (stage, side), found in by.items()
    ]


class Moment(Struct, frozen=True):
    """What is offered now, and what it is worth from the cards seen."""

    offer: OfferShown
    worth: Worth


def moment_of(live: LiveTable, view: TableView, t: Tongue) -> Moment | None:
    """The insurance of the moment."""
    offer, shoe = offer_shown(view, t), live.state.shoe
    if offer is None or shoe is None:
        return None
    line, coup = current_line(live.rules, live.state), showing(live.rules, live.state)
    if line is None or coup is None:
        return None
    return Moment(offer, worth_of(live.rules.id, line, coup, shoe))


class OddsScreen(SameForAll):
    """The one piece of the page that moves."""

    def draw(self, view: TableView, language: Language) -> dict[str, str]:
        """The insurance of the moment."""
        moment = moment_of(self.showing.live, view, TONGUES[language])
        return {"moment": render("odds/moment.html", language, moment=moment, book=view.book)}


def endpoints(screens: ByTable[OddsScreen]) -> list[Endpoint]:
    """The page of a table's odds."""

    async def odds(call: HttpRequest) -> Raw:
        if not call.service.config.odds:
            raise Refused(WebCode.NOT_FOUND, variant="odds")
        name, spoken = call.path["table"], language(call)
        screen = await screens.of(name)
        live, t = screen.showing.live, TONGUES[spoken]
        decks = decks_of(live)
        path, settings = table_path(name, "odds"), live.state.settings
        offered = live.rules.insurance is not None and not (settings and settings.no_insurance)
        layout = settings.layout if settings else ""
        bets = await asyncio.to_thread(drawn_bets, live.rules.id, decks, layout, spoken)
        cells = await asyncio.to_thread(drawn_cells, live.rules.id, decks, spoken) if offered else ""
        pieces = await screen.pieces(None, {}, spoken)
        values: dict[str, Any] = {
            "table": name,
            "title": live.rules.title,
            "game": name_and_kind(live.rules.title, t)[0],
            "decks": decks,
            "seeded": live.setup.shoes is ShoeKind.SEEDED,
            "bets": bets,
            "insured": offered,
            "cells": cells,
            "moment": Markup(pieces["moment"]),  # noqa: S704 - rendered by our templates
            "live": f"/live{path}?{urlencode({'lang': spoken})}",
            "now_ms": now_ms(call),
        }
        return page("odds.html", spoken, **values, **frame(call, "odds", path))

    return [
        Endpoint(
            "GET",
            "/tables/{table}/odds",
            odds,
            "The odds of a table",
            query=PlainAsked,
            access=Access.ANYBODY,
            cost=DEAR,
        )
    ]
