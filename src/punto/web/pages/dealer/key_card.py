"""Serves the card of the console's keys, to print and to lay beside the console of a table."""

from punto.table.records.positions import DEALER_UP
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.dealer.boxes import codes_of
from punto.web.pages.dealer.keys import ShownKeys, show_keys
from punto.web.pages.dealer.screen import ConsoleScreen
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.authority import require


class KeyCard(PageContext, frozen=True, kw_only=True):
    template = "key_card.html"
    table_title: str
    game: str
    console: str
    """The address of the console."""
    groups: tuple[ShownKeys, ...]
    codes: tuple[tuple[str, str], ...]
    """What is typed for each bet of the layout, and its name."""


def endpoints(screens: ByTable[ConsoleScreen]) -> list[Endpoint]:
    async def key_card(call: HttpRequest) -> Raw:
        by, name = call.by, call.path["table"]
        require(by, DEALER_UP)
        live = (await screens.of(name)).cache.live
        t = translator(call.language, at_shuffler=live.state.at_shuffler)
        settings, book = live.state.settings, live.rules
        codes = codes_of(book, settings.layout if settings else next(iter(book.layouts)))
        context = KeyCard(
            layout=layout_of(call, "keys", table_path(name, "keys")),
            table_title=live.title,
            game=t(f"book.{book.id}"),
            console=table_path(name, "deal"),
            groups=show_keys(t),
            codes=tuple((code, t(f"bet.{bet}")) for bet, code in codes.items()),
        )
        return await page(context, call.language)

    return [Endpoint("GET", "/tables/{table}/keys", key_card, "The keys of a table's console", query=PageQuery)]
