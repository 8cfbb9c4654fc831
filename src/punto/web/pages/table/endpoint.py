"""The page of a table."""

from urllib.parse import urlencode

from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PlainAsked, layout_of, now_ms, table_path
from punto.web.pages.base.templates import page, rendered
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.table.contexts import TablePage
from punto.web.pages.table.screen import TableScreen


class TablePageAsked(PlainAsked, frozen=True):
    """What the address of a table's page may ask for."""

    box: str | None = None
    """Which of one's boxes."""


def endpoints(screens: ByTable[TableScreen]) -> list[Endpoint]:
    """The page of a table."""

    async def table(call: HttpRequest) -> Raw:
        name, spoken = call.path["table"], call.language
        screen = await screens.of(name)
        asked = {"box": call.query.box or ""}
        pieces = await screen.pieces(call.actor, asked, spoken)
        context = TablePage(
            layout=layout_of(call, "table", table_path(name)),
            book=screen.showing.live.rules.id,
            table=name,
            live=f"/live{table_path(name)}?{urlencode({'lang': spoken, **asked})}",
            now_ms=now_ms(call),
            pieces={piece: rendered(html) for piece, html in pieces.items()},
        )
        return await page(context, spoken)

    return [Endpoint("GET", "/tables/{table}", table, "A table", query=TablePageAsked, access=Access.ANYBODY)]
