"""Serves the dealer's console of a table, to the people who run tables."""

from urllib.parse import urlencode

from msgspec import json

from punto.floor.errors import FloorCode, FloorRefused
from punto.rules.coup.cards import RANKS
from punto.table.records.positions import DEALER_UP, STAFF
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw, Redirect
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.layout import PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page, rendered
from punto.web.pages.dealer.contexts import ConsolePage
from punto.web.pages.dealer.reference import reference_of
from punto.web.pages.dealer.screen import ConsoleScreen
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.authority import require


def endpoints(screens: ByTable[ConsoleScreen]) -> list[Endpoint]:
    async def console(call: HttpRequest) -> Raw | Redirect:
        name, language, by = call.path["table"], call.language, call.actor
        path = table_path(name, "deal")
        if call.locked:
            raise FloorRefused(FloorCode.SESSION_LOCKED, name=call.locked)
        if by is None:
            return Redirect(f"/enter?{urlencode({'to': path})}")
        require(by, DEALER_UP)
        screen, t = await screens.of(name), TRANSLATORS[language]
        pieces, live = await screen.pieces(by, {}, language), screen.cache.live
        context = ConsolePage(
            layout=layout_of(call, "deal", path),
            table=name,
            table_title=live.title,
            live=f"/live{path}?{urlencode({'lang': language})}",
            position=by.position,
            guide=table_path(name, "guide"),
            pieces={piece: rendered(html) for piece, html in pieces.items()},
            positions=json.encode({position: t(f"position.{position}") for position in STAFF}).decode(),
            ranks=RANKS,
            reference=reference_of(live.rules, live.state.settings, t),
        )
        return await page(context, language)

    return [
        Endpoint(
            "GET",
            "/tables/{table}/deal",
            console,
            "The dealer's console of a table",
            query=PageQuery,
            access=Access.ANYBODY,
            on_terminals=True,
        )
    ]
