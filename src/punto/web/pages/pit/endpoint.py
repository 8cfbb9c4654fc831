"""The page of the pit."""

from urllib.parse import urlencode

from markupsafe import Markup

from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import Actor
from punto.table.records.positions import SUPERVISOR_UP, in_order
from punto.table.refusals import TableCode
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import MAY_SEE_PIT, PageContext, PageQuery, layout_of, now_ms
from punto.web.pages.base.templates import page, rendered
from punto.web.pages.pit.screen import PitScreen


class PitPage(PageContext, frozen=True, kw_only=True):
    template = "pit.html"
    tiles: Markup
    order: str
    sum: Markup
    queue: Markup
    acts: bool
    """Whether the person may do anything here but look."""
    live: str
    now_ms: int


def require_pit(by: Actor) -> None:
    if by.position not in MAY_SEE_PIT:
        raise FloorRefused(TableCode.NOT_AUTHORISED, positions=in_order(MAY_SEE_PIT), position=by.position)


def endpoints(screen: PitScreen) -> list[Endpoint]:
    async def pit(call: HttpRequest) -> Raw:
        by, language = call.by, call.language
        require_pit(by)
        drawn = await screen.draw(language)
        context = PitPage(
            layout=layout_of(call, "pit", "/pit"),
            tiles=rendered(drawn.whole["tiles"]),
            order=drawn.whole["order"],
            sum=rendered(drawn.whole["sum"]),
            queue=rendered(await screen.queue(by, language)),
            acts=by.position in SUPERVISOR_UP,
            live=f"/live/pit?{urlencode({'lang': language, 'list': drawn.list_id})}",
            now_ms=now_ms(call),
        )
        return await page(context, language)

    return [Endpoint("GET", "/pit", pit, "The pit: every table, and what waits for somebody", query=PageQuery)]
