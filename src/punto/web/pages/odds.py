"""The odds of a table: every bet of its layout from a full shoe, every insurance, and what is offered at the moment."""

import asyncio
from collections.abc import Collection, Iterable
from functools import cache
from typing import ClassVar
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.values import Odds, write_percent
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.odds.figures import CellFigures, StakeFigures
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refused
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS, Language, Translator
from punto.web.pages.base.layout import PageContext, PlainAsked, layout_of, now_ms, table_path
from punto.web.pages.base.templates import Context, page, render, rendered
from punto.web.pages.live.per_table import ByTable, SameForAll
from punto.web.pages.parts.bet_odds import BetOdds, bets_shown, decks_of
from punto.web.pages.parts.insurance import OfferShown, Worth, offer_shown, worth_shown
from punto.web.views.visibility import Sight


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


class Moment(Struct, frozen=True):
    """What is offered now, and what it is worth from the cards seen."""

    offer: OfferShown
    worth: Worth


class OddsOfBets(Context, frozen=True, kw_only=True):
    """Every bet of a layout, or of the whole book where none is named."""

    template = "odds/bets.html"
    layout: str
    bets: tuple[BetOdds, ...]


class OddsOfInsurance(Context, frozen=True, kw_only=True):
    """Every insurance of a book."""

    template = "odds/cells.html"
    insurance: list[InsuranceOdds]


class OddsOfMoment(Context, frozen=True, kw_only=True):
    """The insurance on offer now."""

    template = "odds/moment.html"
    moment: Moment | None
    book: str


class OddsPage(PageContext, frozen=True, kw_only=True):
    """The odds of a table."""

    template = "odds.html"
    table: str
    game: str
    decks: int
    seeded: bool
    bets: Markup
    insured: bool
    cells: Markup
    moment: Markup
    live: str
    now_ms: int


@cache
def drawn_bets(book_id: str, decks: int, layout: str, language: Language) -> Markup:
    """The bets of a layout, or of the whole book where none is named: they never change. In a thread."""
    shown = bets_shown(book_id, decks, layout, language)
    return rendered(render(OddsOfBets(layout=layout, bets=shown), language))


@cache
def drawn_cells(book_id: str, decks: int, language: Language) -> Markup:
    """All insurance of a book: it never changes either. In a thread."""
    shown = insurance_shown(full_shoe_figures(book(book_id), decks).insurance, TRANSLATORS[language])
    return rendered(render(OddsOfInsurance(insurance=shown), language))


def insurance_shown(cells: Iterable[CellFigures], t: Translator) -> list[InsuranceOdds]:
    """The cells by stage and side."""
    by: dict[tuple[Stage, Side], list[CellOdds]] = {}
    for cell in cells:
        by.setdefault((cell.stage, cell.side), []).append(
            CellOdds(
                player=cell.player,
                banker=cell.banker,
                pays=t.write(Odds(cell.odds)),
                edge=write_percent(cell.edge),
                favours_bettor=cell.favours_bettor,
            )
        )
    return [
        InsuranceOdds(
            side=side.value,
            caption=t(f"insurance_at.{stage}", side=side.value),
            cells=tuple(found),
        )
        for (stage, side), found in by.items()
    ]


def moment_of(view: TableView, worth: StakeFigures | None, t: Translator) -> Moment | None:
    """The insurance of the moment."""
    offer = offer_shown(view, t)
    return None if offer is None or worth is None else Moment(offer, worth_shown(worth))


class OddsScreen(SameForAll[tuple[TableView, StakeFigures | None]]):
    """The one piece of the page that moves."""

    contexts: ClassVar[Collection[type[Context]]] = (OddsOfMoment,)

    async def look(self) -> tuple[TableView, StakeFigures | None]:
        """The table, and what its offer is worth."""
        return await self.showing.view_with_worth(Sight.PUBLIC)

    def draw(self, looked: tuple[TableView, StakeFigures | None], language: Language) -> dict[str, str]:
        """The insurance of the moment."""
        view, worth = looked
        moment = moment_of(view, worth, TRANSLATORS[language])
        return {"moment": render(OddsOfMoment(moment=moment, book=view.book), language)}


def endpoints(screens: ByTable[OddsScreen]) -> list[Endpoint]:
    """The page of a table's odds."""

    async def odds(call: HttpRequest) -> Raw:
        if not call.service.config.odds:
            raise Refused(WebCode.NOT_FOUND, variant="odds")
        name, spoken = call.path["table"], call.language
        screen = await screens.of(name)
        live, t = screen.showing.live, TRANSLATORS[spoken]
        decks = decks_of(live)
        path, settings = table_path(name, "odds"), live.state.settings
        offered = live.rules.insurance is not None and not (settings and settings.no_insurance)
        layout = settings.layout if settings else ""
        bets = await asyncio.to_thread(drawn_bets, live.rules.id, decks, layout, spoken)
        cells = await asyncio.to_thread(drawn_cells, live.rules.id, decks, spoken) if offered else Markup()
        pieces = await screen.pieces(None, {}, spoken)
        context = OddsPage(
            layout=layout_of(call, "odds", path),
            table=name,
            game=t(f"book.{live.rules.id}"),
            decks=decks,
            seeded=live.setup.shoes is ShoeKind.SEEDED,
            bets=bets,
            insured=offered,
            cells=cells,
            moment=rendered(pieces["moment"]),
            live=f"/live{path}?{urlencode({'lang': spoken})}",
            now_ms=now_ms(call),
        )
        return await page(context, spoken)

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
