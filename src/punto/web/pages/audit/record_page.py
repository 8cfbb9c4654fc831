"""The house's record at the auditor's desk."""

from datetime import datetime
from urllib.parse import urlencode

from msgspec import Struct

from punto.floor.journal.event_base import RecordGroup
from punto.web.api.audit.record import lines_of, views_of
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages.record import RecordLine, RecordQuery
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page

LINES_A_PAGE = 100


class RecordForm(PageQuery, frozen=True):
    """What the form sends: empty fields do not matter."""

    group: str = ""
    person: str = ""
    table: str = ""
    since: str = ""
    until: str = ""
    before: str = ""


class ShownRecordLine(Struct, frozen=True):
    at: datetime
    line: RecordLine


class RecordDeskPage(PageContext, frozen=True, kw_only=True):
    template = "audit/record.html"
    form: RecordForm
    filtered: bool
    groups: tuple[RecordGroup, ...]
    tables: tuple[tuple[str, str], ...]
    """Name and title of each."""
    lines: tuple[ShownRecordLine, ...]
    narrowed: str
    """The query of this search without its page."""
    older: int
    """0: there are no more."""


async def record(call: HttpRequest) -> Raw:
    form: RecordForm = call.query
    floor, gaming_day = call.service.floor, await call.service.floor_view.gaming_day()
    query = RecordQuery(
        group=RecordGroup(form.group) if form.group in list(RecordGroup) else None,
        person=form.person,
        table=form.table,
        since=form.since or None,
        until=form.until or None,
        before=_number(form.before),
    )
    found = await lines_of(call, query, LINES_A_PAGE + 1)
    lines = found[:LINES_A_PAGE]
    views = await views_of(call, lines)
    kept = {name: getattr(form, name) for name in ("group", "person", "table", "since", "until")}
    narrowed = {name: value for name, value in kept.items() if value}
    context = RecordDeskPage(
        layout=layout_of(call, "audit", "/audit/record", gaming_day.zone),
        form=form,
        filtered=bool(narrowed),
        groups=tuple(RecordGroup),
        tables=tuple((name, floor.title_of(name)) for name in sorted(floor.tables)),
        lines=tuple(ShownRecordLine(gaming_day.local(view.at_us), view) for view in views),
        narrowed=urlencode(narrowed),
        older=lines[-1].key if len(found) > LINES_A_PAGE else 0,
    )
    return await page(context, call.language)


def _number(text: str) -> int | None:
    return (int(text) or None) if text.isascii() and text.isdecimal() and len(text) < 16 else None


ENDPOINTS = (Endpoint("GET", "/audit/record", record, "The house's record", query=RecordForm, cost=EXPENSIVE),)
