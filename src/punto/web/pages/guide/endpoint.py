"""Serves the guide of a table, and the question at which table something is wrong."""

from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.turns import in_thread
from punto.table.procedure.trouble.card_acts import REPLACE_SHOE
from punto.table.records.positions import DEALER_UP
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw, Redirect
from punto.web.pages.base.i18n import TRANSLATORS, translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.contexts import guide_page
from punto.web.pages.guide.moment import Guided
from punto.web.pages.guide.screen import GuideScreen
from punto.web.pages.guide.story import read_story
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.announcement import call_of
from punto.web.pages.parts.authority import require
from punto.web.pages.parts.offered_shoes import fit_shoes, offered_shoes
from punto.web.views.cursors import find_cursor, write_cursor
from punto.web.views.visibility import sight_at


class TroubledTable(Struct, frozen=True):
    name: str
    title: str
    path: str
    game: str
    state: str
    """What is happening there, in words."""


class WhichTable(PageContext, frozen=True, kw_only=True):
    template = "which_table.html"
    tables: tuple[TroubledTable, ...]


def endpoints(screens: ByTable[GuideScreen]) -> list[Endpoint]:
    async def guide(call: HttpRequest) -> Raw | Redirect:
        path = table_path(call.path["table"], "guide")
        by = _staff(call, path)
        if isinstance(by, Redirect):
            return by
        screen = await screens.of(call.path["table"])
        cache, address = screen.cache, Address(path, call.query)
        since = find_cursor(address.get("since"))
        if since is None or since[0] != cache.end[0]:  # where this story begins is part of the address
            return Redirect(address.to(since=write_cursor(*cache.end), lang=address.get("lang")))
        sight = sight_at(by, call.path["table"], await call.service.floor_view.rules())
        while True:
            entries, end = await cache.live.after(*since), cache.end
            view = await cache.view(sight)
            if cache.end == end:
                break
        live = cache.live
        sealed = live.setup.shoes is not ShoeKind.MANUAL
        t = translator(call.language, at_shuffler=live.state.at_shuffler)
        at = Guided(live.rules, live.state, view, sealed, by, t)
        if REPLACE_SHOE.why_not(at.felt) is None:
            at = replace(at, shoes=offered_shoes(live.rules, live.state, await fit_shoes(call, live.setup.name)))
        day = await call.service.floor_view.gaming_day()
        # slow if the order of many cards is in doubt
        context = await in_thread(guide_page, layout_of(call, "guide", path), at, day, read_story(entries), address)
        return await page(context, call.language, t)

    async def which(call: HttpRequest) -> Raw | Redirect:
        by, t = _staff(call, "/guide"), TRANSLATORS[call.language]
        if isinstance(by, Redirect):
            return by
        names = sorted(call.service.floor.tables)
        if call.at_table or len(names) == 1:
            return Redirect(table_path(call.at_table or names[0], "guide"))
        rules, tables = await call.service.floor_view.rules(), []
        for name in names:
            cache = await call.service.table_caches.of(name)
            view = await cache.view(sight_at(by, name, rules))
            words = call_of(cache.live, view, t)
            game, state = t(f"book.{view.book}"), words.with_score or words.words
            tables.append(TroubledTable(name, cache.live.title, table_path(name, "guide"), game, state))
        context = WhichTable(layout=layout_of(call, "guide", "/guide"), tables=tuple(tables))
        return await page(context, call.language)

    return [
        Endpoint("GET", "/guide", which, "At which table something is wrong", query=PageQuery, access=Access.ANYBODY),
        Endpoint(
            "GET",
            "/tables/{table}/guide",
            guide,
            "The guide when something goes wrong at a table",
            query=dict[str, str],
            access=Access.ANYBODY,
            on_terminals=True,
        ),
    ]


def _staff(call: HttpRequest, path: str) -> Actor | Redirect:
    """Who is there; those who are not signed in are sent to the door. Refused for all who do not run tables."""
    if call.locked:
        raise FloorRefused(FloorCode.SESSION_LOCKED, name=call.locked)
    if call.actor is None:
        return Redirect(f"/enter?{urlencode({'to': path})}")
    require(call.actor, DEALER_UP)
    return call.actor
