"""Serves the page of a table."""

from urllib.parse import urlencode

from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageQuery, layout_of, now_ms, table_path
from punto.web.pages.base.templates import page, rendered
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.table import felt
from punto.web.pages.table.contexts import TablePage
from punto.web.pages.table.screen import TableScreen


class TableQuery(PageQuery, frozen=True):
    box: str | None = None
    """Which of the player's boxes to show."""


def endpoints(screens: ByTable[TableScreen]) -> list[Endpoint]:
    async def table(call: HttpRequest) -> Raw:
        name, language = call.path["table"], call.language
        screen = await screens.of(name)
        query = {"box": call.query.box or ""}
        pieces = await screen.pieces(call.actor, query, language)
        context = TablePage(
            layout=layout_of(call, "table", table_path(name)),
            book=screen.cache.live.rules.id,
            table=name,
            table_title=screen.cache.live.title,
            live=f"/live{table_path(name)}?{urlencode({'lang': language, **query})}",
            now_ms=now_ms(call),
            looks=" ".join(look for _, look, _ in reversed(felt.CHIPS)),
            pieces={piece: rendered(html) for piece, html in pieces.items()},
        )
        return await page(context, language)

    return [Endpoint("GET", "/tables/{table}", table, "The page of a table", query=TableQuery, access=Access.ANYBODY)]
