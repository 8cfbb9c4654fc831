"""Where people land after signing in: dealers at their table, all other staff at a list of tables.

Pit managers and above assign there who deals and supervises where.
"""

from msgspec import Struct

from punto.floor.people.duty import Assignable
from punto.floor.people.proposals import may_approve
from punto.floor.running.live_table import LiveTable
from punto.floor.settings.gaming_day import GamingDay
from punto.table.records.positions import DEALER_UP, MANAGER_UP, SUPERVISOR_UP, Position
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw, Redirect
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path, works_at_tables
from punto.web.pages.base.templates import page
from punto.web.pages.parts.announcement import call_of
from punto.web.pages.parts.pit_calls import ShownCall, open_call
from punto.web.views.visibility import Sight


class TableRow(Struct, frozen=True):
    name: str
    title: str
    path: str
    game: str
    state: str
    """What is happening there, in words."""
    round: int
    """0: none yet."""
    dealers: tuple[str, ...]
    supervisors: tuple[str, ...]
    call: ShownCall | None
    """For the pit, while nobody has answered."""


class StartPage(PageContext, frozen=True, kw_only=True):
    template = "start.html"
    tables: tuple[TableRow, ...]
    deals: bool
    """Whether the person may use consoles."""
    answers: bool
    """Whether the person may answer calls for the pit."""
    waiting: int | None
    """How many proposals wait for their approval; None: they approve none."""
    assigns: bool
    assignable: tuple[Assignable, ...]
    """Empty unless they may assign."""


async def start(call: HttpRequest) -> Raw | Redirect:
    by, t = call.by, TRANSLATORS[call.language]
    if not works_at_tables(by.position):
        return Redirect("/")
    if by.position is Position.DEALER and call.at_table:
        return Redirect(table_path(call.at_table, "deal"))
    tables = call.service.floor.tables
    day = await call.service.floor_view.gaming_day()
    rows = [await _row(call, live, day, t) for _, live in sorted(tables.items())]
    context = StartPage(
        layout=layout_of(call, "start", "/start", day.zone),
        tables=tuple(sorted(rows, key=lambda row: row.call is None)),
        deals=by.position in DEALER_UP,
        answers=by.position in SUPERVISOR_UP,
        waiting=await _waiting(call) if by.position in SUPERVISOR_UP else None,
        assigns=by.position in MANAGER_UP,
        assignable=tuple(await call.service.duty.assignable(by)) if by.position in MANAGER_UP else (),
    )
    return await page(context, call.language)


async def _waiting(call: HttpRequest) -> int:
    return sum(may_approve(call.by, each) for each in await call.service.proposals.list(call.by))


async def _row(call: HttpRequest, live: LiveTable, day: GamingDay, t: Translator) -> TableRow:
    name = live.setup.name
    cache = await call.service.table_caches.of(name)
    view, on_duty = await cache.view(Sight.STAFF), await call.service.floor_view.on_duty()
    call_words = call_of(live, view, t)
    return TableRow(
        name=name,
        title=live.title,
        path=table_path(name),
        game=t(f"book.{view.book}"),
        state=call_words.with_score or call_words.words,
        round=view.round.number if view.round else 0,
        dealers=on_duty.at_table(name, {Position.DEALER}),
        supervisors=on_duty.at_table(name, SUPERVISOR_UP),
        call=open_call(view, day),
    )


ENDPOINTS = (Endpoint("GET", "/start", start, "Where you work: your table, or the list of tables", query=PageQuery),)
