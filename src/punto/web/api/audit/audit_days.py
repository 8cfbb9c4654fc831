"""Gaming days for auditors and managers: what is out of the ordinary in them, and signing them off."""

from collections.abc import Mapping, Sequence
from functools import partial
from io import StringIO
from typing import Annotated

from msgspec import Meta, Struct, to_builtins

from punto.floor.house.projections.sign_offs import find_sign_offs
from punto.floor.journal.event_base import ExceptionKind
from punto.floor.people.players import players_in
from punto.floor.reports.days.day_exceptions import DayException, count_by_kind
from punto.floor.reports.days.shift_report import ShiftReport
from punto.floor.reports.days.sign_offs import AuditedDay
from punto.floor.reports.file_formats import Column, ColumnKind, write_csv
from punto.floor.reports.moments import read_date
from punto.floor.settings.floor_settings import MAX_SHIFTS
from punto.floor.settings.gaming_day import DayPart, GamingDay
from punto.floor.turns import in_thread
from punto.web.api.pit.reports import report_of, sign_off_views
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages.audit_days import (
    DayExceptionList,
    DayExceptionView,
    DaySignOffs,
    SignOffRequest,
)
from punto.web.messages.base import RequestBody
from punto.web.views.round_names import write_round
from punto.web.views.visibility import counts_trays, without_tray
from punto.web.words.event_words import Writer
from punto.web.words.exception_words import exception_reason, exception_words
from punto.web.words.translator import TRANSLATORS

_CSV_COLUMNS: tuple[Column, ...] = (
    ("recorded", ColumnKind.MOMENT),
    ("happened", ColumnKind.MOMENT),
    *((name, ColumnKind.TEXT) for name in ("kinds", "table", "round", "by", "position", "terminal", "proposed_by")),
    *((name, ColumnKind.TEXT) for name in ("command", "words", "reason", "clauses")),
    ("incident", ColumnKind.NUMBER),
)


class DayExceptionsQuery(RequestBody, frozen=True):
    day: str | None = None
    """A gaming day, such as 2026-11-17. Without one, the current day."""
    shift: Annotated[int, Meta(ge=0, le=MAX_SHIFTS)] = 0
    """0: the whole day."""
    kind: ExceptionKind | None = None
    """Left out: all kinds."""


class FoundDay(Struct, frozen=True):
    """A gaming day or a shift: its report, and what is out of the ordinary."""

    part: DayPart
    gaming_day: GamingDay
    report: ShiftReport
    audited: AuditedDay

    @property
    def over(self) -> bool:
        return (self.report.period.until_us or 0) <= self.report.made_us

    @property
    def changed_since(self) -> bool:
        return any(ExceptionKind.SIGNED_DAY in each.kinds for each in self.audited.exceptions)


async def find_day(call: HttpRequest, day: str | None, shift: int) -> FoundDay:
    part, gaming_day, report = await report_of(call, day, shift)
    return FoundDay(part, gaming_day, report, await call.service.audited_days.find(call.by, part, report))


async def views_of(
    call: HttpRequest, found: Sequence[DayException], *, named: bool = True
) -> tuple[DayExceptionView, ...]:
    """Exceptions in the reader's language. Not ``named``: registered players by their ids, as in every file."""
    t, floor = TRANSLATORS[call.language], call.service.floor
    ids = players_in(tuple(each.events for each in found)) if named else frozenset[str]()
    names = await call.service.player_names.of(ids)
    titles = {each.table: floor.title_of(each.table) for each in found}
    blind = counts_trays(call.by)
    return await in_thread(
        lambda: tuple(_view(each, Writer(t, names, each.box_labels), titles, blind=blind) for each in found)
    )


def _view(found: DayException, writer: Writer, titles: Mapping[str, str], *, blind: bool) -> DayExceptionView:
    words, context = exception_words(found, writer, titles), found.context
    events = tuple(to_builtins(event) for event in found.events)
    return DayExceptionView(
        kinds=found.kinds,
        at_us=found.at_us,
        happened_at_us=context.happened_at_us or None,
        table=found.table,
        round=None if found.round is None else write_round(found.opening, found.round),
        incident=context.incident or None,
        by=found.by,
        position=found.position,
        terminal=context.terminal,
        proposed_by=context.proposed_by or None,
        command=found.command or None,
        events=tuple(map(without_tray, events)) if blind else events,
        words=words,
        reason=exception_reason(found, words),
        game=found.book,
        clauses=found.clauses,
    )


async def day_exceptions(call: HttpRequest) -> DayExceptionList:
    query = call.query
    found = await find_day(call, query.day, query.shift)
    exceptions = found.audited.exceptions
    return DayExceptionList(
        day=found.part.day.isoformat(),
        shift=found.part.shift,
        zone=found.gaming_day.zone,
        over=found.over,
        sign_offs=sign_off_views(found.audited.sign_offs),
        changed_since=found.changed_since,
        total=len(exceptions),
        counts={str(kind): count for kind, count in count_by_kind(exceptions).items()},
        exceptions=await views_of(call, of_kind(exceptions, query.kind)),
    )


def of_kind(found: Sequence[DayException], kind: ExceptionKind | None) -> list[DayException]:
    """Those of one kind, or of all."""
    return [each for each in found if kind is None or kind in each.kinds]


async def day_exceptions_csv(call: HttpRequest) -> Raw:
    query, file = call.query, StringIO(newline="")
    found = await find_day(call, query.day, query.shift)
    views = await views_of(call, of_kind(found.audited.exceptions, query.kind), named=False)
    await in_thread(write_csv, file, _CSV_COLUMNS, map(_csv_row, views))
    return Raw(file.getvalue().encode(), "text/csv; charset=utf-8")


def _csv_row(view: DayExceptionView) -> tuple[object, ...]:
    return (
        *(view.at_us, view.happened_at_us, " ".join(view.kinds), view.table, view.round, view.by, view.position),
        *(view.terminal, view.proposed_by, view.command, " ".join(view.words), view.reason, " ".join(view.clauses)),
        view.incident,
    )


async def sign_off(call: HttpRequest) -> DaySignOffs:
    day, gaming_day = read_date(call.path["day"]), await call.service.floor_view.gaming_day()
    body = call.body
    await call.service.audited_days.sign(call.by, gaming_day, day, body.note, despite_open=body.despite_open)
    signed = await call.service.floor.database.read(partial(find_sign_offs, day=day))
    return DaySignOffs(day=day.isoformat(), sign_offs=sign_off_views(signed))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/exceptions/day",
        day_exceptions,
        "What is out of the ordinary in a gaming day or a shift",
        DayExceptionList,
        query=DayExceptionsQuery,
        tag="audit",
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET",
        "/api/exceptions/day.csv",
        day_exceptions_csv,
        "What is out of the ordinary in a gaming day or a shift, as CSV",
        query=DayExceptionsQuery,
        kind="text/csv",
        tag="audit",
        cost=EXPENSIVE,
    ),
    Endpoint(
        "POST",
        "/api/days/{day}/sign-off",
        sign_off,
        "Sign a gaming day off, once it is over",
        DaySignOffs,
        SignOffRequest,
        tag="audit",
        cost=EXPENSIVE,
    ),
)
