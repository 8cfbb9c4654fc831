"""The page of a table."""

from urllib.parse import urlencode

from markupsafe import Markup

from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.handler import language
from punto.web.pages.base.layout import PlainAsked, frame, now_ms, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.registry import Screens


class TablePageAsked(PlainAsked, frozen=True):
    """What the address of a table's page may ask for."""

    box: str | None = None
    """Which of one's boxes."""


def endpoints(screens: Screens) -> list[Endpoint]:
    """The page of a table."""

    async def table(call: HttpRequest) -> Raw:
        name, spoken = call.path["table"], language(call)
        screen = await screens.table(name)
        asked = {"box": call.query.box or ""}
        pieces = await screen.pieces(call.actor, asked, spoken)
        return page(
            "table.html",
            spoken,
            title=screen.showing.live.rules.title,
            table=name,
            live=f"/live{table_path(name)}?{urlencode({'lang': spoken, **asked})}",
            now_ms=now_ms(call),
            pieces={piece: Markup(html) for piece, html in pieces.items()},  # noqa: S704 - rendered by our templates
            **frame(call, "table", table_path(name)),
        )

    return [Endpoint("GET", "/tables/{table}", table, "A table", query=TablePageAsked, access=Access.ANYBODY)]
