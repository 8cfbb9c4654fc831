"""The page of the pit, and the page of one table there."""

from urllib.parse import urlencode

from markupsafe import Markup

from punto.floor.journal.actor import Actor
from punto.floor.people.duty import Assignable
from punto.table.records.positions import DEALER_UP, MANAGER_UP, SUPERVISOR_UP
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import MAY_SEE_PIT, PageContext, PageQuery, layout_of, now_ms, table_path
from punto.web.pages.base.templates import page, rendered
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.authority import require
from punto.web.pages.pit.screen import PitScreen
from punto.web.pages.pit.table_screen import PitTableScreen


class PitPage(PageContext, frozen=True, kw_only=True):
    template = "pit.html"
    tiles: Markup
    order: str
    sum: Markup
    alarms: Markup
    queue: Markup
    acts: bool
    """Whether the person may do anything here but look."""
    live: str
    now_ms: int


class PitTablePage(PageContext, frozen=True, kw_only=True):
    template = "pit_table.html"
    table: str
    table_title: str
    address: str
    """Of the table's own pages."""
    pieces: dict[str, Markup]
    acts: bool
    assigns: bool
    assignable: tuple[Assignable, ...]
    """Empty unless the person may assign."""
    live: str
    now_ms: int


def require_pit(by: Actor) -> None:
    require(by, MAY_SEE_PIT)


def endpoints(screen: PitScreen, tables: ByTable[PitTableScreen]) -> list[Endpoint]:
    async def pit(call: HttpRequest) -> Raw:
        by, language = call.by, call.language
        require_pit(by)
        drawn = await screen.draw(language, counts=by.position in DEALER_UP)
        pieces = drawn.whole(language)
        context = PitPage(
            layout=layout_of(call, "pit", "/pit", (await call.service.floor_view.gaming_day()).zone),
            tiles=rendered(pieces["tiles"]),
            order=pieces["order"],
            sum=rendered(pieces["sum"]),
            alarms=rendered(await screen.alarms.draw(by, language)),
            queue=rendered(await screen.queue(by, language)),
            acts=by.position in SUPERVISOR_UP,
            live=f"/live/pit?{urlencode({'lang': language, 'list': drawn.list_id})}",
            now_ms=now_ms(call),
        )
        return await page(context, language)

    async def one(call: HttpRequest) -> Raw:
        by, language, name = call.by, call.language, call.path["table"]
        require_pit(by)
        table = await tables.of(name)
        pieces, path = await table.pieces(by, {}, language), f"/pit{table_path(name)}"
        assigns = by.position in MANAGER_UP
        context = PitTablePage(
            layout=layout_of(call, "pit_table", path, (await call.service.floor_view.gaming_day()).zone),
            table=name,
            table_title=table.cache.live.title,
            address=table_path(name),
            pieces={piece: rendered(html) for piece, html in pieces.items()},
            acts=by.position in SUPERVISOR_UP,
            assigns=assigns,
            assignable=tuple(await call.service.duty.assignable(by)) if assigns else (),
            live=f"/live{path}?{urlencode({'lang': language})}",
            now_ms=now_ms(call),
        )
        return await page(context, language)

    return [
        Endpoint(
            "GET", "/pit", pit, "The pit: every table, and what waits for somebody", query=PageQuery, on_terminals=True
        ),
        Endpoint("GET", "/pit/tables/{table}", one, "Everything about one table", query=PageQuery, on_terminals=True),
    ]
