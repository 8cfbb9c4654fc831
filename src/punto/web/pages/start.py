"""Where people land after signing in: dealers at their table, those who run the floor in the pit, auditors at the desk.

A dealer who is on duty nowhere gets a list of the tables.
"""

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw, Redirect
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import MAY_SEE_PIT, PageContext, PageQuery, layout_of, table_path, works_at_tables
from punto.web.pages.base.templates import page
from punto.web.pages.parts.announcement import call_of
from punto.web.views.visibility import Sight


class TableRow(Struct, frozen=True):
    title: str
    path: str
    game: str
    state: str
    """What is happening there, in words."""
    round: int
    """0: none yet."""
    dealers: tuple[str, ...]
    supervisors: tuple[str, ...]


class StartPage(PageContext, frozen=True, kw_only=True):
    template = "start.html"
    tables: tuple[TableRow, ...]


async def start(call: HttpRequest) -> Raw | Redirect:
    by, t = call.by, TRANSLATORS[call.language]
    if by.position is Position.AUDITOR:
        return Redirect("/audit")
    if by.position in MAY_SEE_PIT:
        return Redirect("/pit")
    if not works_at_tables(by.position):
        return Redirect("/")
    if call.at_table:
        return Redirect(table_path(call.at_table, "deal"))
    rows = [await _row(call, live, t) for _, live in sorted(call.service.floor.tables.items())]
    return await page(StartPage(layout=layout_of(call, "start", "/start"), tables=tuple(rows)), call.language)


async def _row(call: HttpRequest, live: LiveTable, t: Translator) -> TableRow:
    name = live.setup.name
    cache = await call.service.table_caches.of(name)
    view, on_duty = await cache.view(Sight.STAFF), await call.service.floor_view.on_duty()
    call_words = call_of(live, view, t)
    return TableRow(
        title=live.title,
        path=table_path(name),
        game=t(f"book.{view.book}"),
        state=call_words.with_score or call_words.words,
        round=view.round.number if view.round else 0,
        dealers=on_duty.at_table(name, {Position.DEALER}),
        supervisors=on_duty.at_table(name, SUPERVISOR_UP),
    )


ENDPOINTS = (
    Endpoint("GET", "/start", start, "Where you work: your table, the pit, the desk, or a list", query=PageQuery),
)
