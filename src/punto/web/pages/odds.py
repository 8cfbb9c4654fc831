"""The odds page of a table: all bets of its layout and all insurance from a full shoe, and the current offer."""

import asyncio
from collections.abc import Collection, Iterable
from functools import cache
from typing import ClassVar
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.catalogue.values import Odds, write_percent
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.odds.figures import CellFigures, StakeFigures
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refused
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS, Translator, translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, now_ms, table_path
from punto.web.pages.base.templates import Context, page, render, rendered
from punto.web.pages.live.per_table import ByTable, SameForAll
from punto.web.pages.parts.bet_odds import BetOdds, bet_odds, decks_of
from punto.web.pages.parts.insurance import ShownOffer, Worth, show_offer, show_worth
from punto.web.views.visibility import Sight


class CellOdds(Struct, frozen=True):
    """Insurance at one pair of points."""

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


class CurrentOffer(Struct, frozen=True):
    """The insurance on offer now, and its value given the cards seen."""

    offer: ShownOffer
    worth: Worth


class OddsOfBets(Context, frozen=True, kw_only=True):
    """All bets of a layout; of the whole book if ``layout`` is empty."""

    template = "odds/bets.html"
    layout: str
    bets: tuple[BetOdds, ...]


class OddsOfInsurance(Context, frozen=True, kw_only=True):
    """All insurance of a book."""

    template = "odds/cells.html"
    insurance: list[InsuranceOdds]


class OddsOfMoment(Context, frozen=True, kw_only=True):
    """The insurance on offer now."""

    template = "odds/moment.html"
    moment: CurrentOffer | None
    book: str


class OddsPage(PageContext, frozen=True, kw_only=True):
    template = "odds.html"
    table: str
    table_title: str
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
def draw_bets(book_id: str, decks: int, layout: str, language: Language) -> Markup:
    """The bets of a layout, or of the whole book if ``layout`` is empty. Slow: call in a thread."""
    shown = bet_odds(book_id, decks, layout, language)
    return rendered(render(OddsOfBets(layout=layout, bets=shown), language))


@cache
def draw_cells(book_id: str, decks: int, language: Language) -> Markup:
    """All insurance of a book. Slow: call in a thread."""
    shown = show_insurance(full_shoe_figures(book(book_id), decks).insurance, TRANSLATORS[language])
    return rendered(render(OddsOfInsurance(insurance=shown), language))


def show_insurance(cells: Iterable[CellFigures], t: Translator) -> list[InsuranceOdds]:
    """The cells, grouped by stage and side."""
    groups: dict[tuple[Stage, Side], list[CellOdds]] = {}
    for cell in cells:
        groups.setdefault((cell.stage, cell.side), []).append(
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
            cells=tuple(group),
        )
        for (stage, side), group in groups.items()
    ]


def moment_of(view: TableView, worth: StakeFigures | None, t: Translator) -> CurrentOffer | None:
    offer = show_offer(view, t)
    return None if offer is None or worth is None else CurrentOffer(offer, show_worth(worth))


class OddsScreen(SameForAll[tuple[TableView, StakeFigures | None]]):
    """The piece of the page that updates live: the insurance on offer."""

    contexts: ClassVar[Collection[type[Context]]] = (OddsOfMoment,)

    async def read(self) -> tuple[TableView, StakeFigures | None]:
        return await self.cache.view_with_worth(Sight.PUBLIC)

    def draw(self, data: tuple[TableView, StakeFigures | None], language: Language) -> dict[str, str]:
        view, worth = data
        moment = moment_of(view, worth, TRANSLATORS[language])
        return {"moment": render(OddsOfMoment(moment=moment, book=view.book), language)}


def endpoints(screens: ByTable[OddsScreen]) -> list[Endpoint]:
    async def odds(call: HttpRequest) -> Raw:
        if not call.service.config.odds:
            raise Refused(WebCode.NOT_FOUND, variant="odds")
        name, language = call.path["table"], call.language
        screen = await screens.of(name)
        live = screen.cache.live
        t = translator(language, at_shuffler=live.state.at_shuffler)
        decks = decks_of(live)
        path, settings = table_path(name, "odds"), live.state.settings
        offered = live.rules.insurance is not None and not (settings and settings.no_insurance)
        layout = settings.layout if settings else ""
        bets = await asyncio.to_thread(draw_bets, live.rules.id, decks, layout, language)
        cells = await asyncio.to_thread(draw_cells, live.rules.id, decks, language) if offered else Markup()
        pieces = await screen.pieces(None, {}, language)
        context = OddsPage(
            layout=layout_of(call, "odds", path),
            table=name,
            table_title=live.title,
            game=t(f"book.{live.rules.id}"),
            decks=decks,
            seeded=live.setup.shoes is ShoeKind.SEEDED,
            bets=bets,
            insured=offered,
            cells=cells,
            moment=rendered(pieces["moment"]),
            live=f"/live{path}?{urlencode({'lang': language})}",
            now_ms=now_ms(call),
        )
        return await page(context, language, t)

    return [
        Endpoint(
            "GET",
            "/tables/{table}/odds",
            odds,
            "The odds of a table",
            query=PageQuery,
            access=Access.ANYBODY,
            cost=EXPENSIVE,
        )
    ]
