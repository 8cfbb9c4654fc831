"""Reports of shifts and gaming days, for supervisors and above, and auditors."""

from collections.abc import Sequence
from functools import partial
from io import StringIO
from typing import Annotated

from msgspec import Meta

from punto.floor.house.projections.sign_offs import SignOff, find_sign_offs
from punto.floor.journal.actor import Actor
from punto.floor.people.looks import LookKind
from punto.floor.reports.days.report_lines import ReportLines, write_report
from punto.floor.reports.days.report_tables import Part, report_table
from punto.floor.reports.days.shift_report import ShiftReport
from punto.floor.reports.file_formats import write_csv
from punto.floor.reports.moments import read_period
from punto.floor.settings.floor_settings import MAX_SHIFTS
from punto.floor.settings.gaming_day import DayPart, GamingDay, Period
from punto.floor.turns import in_thread
from punto.table.records.positions import DEALER_UP
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages import RequestBody
from punto.web.messages.audit_days import SignOffView
from punto.web.messages.reports import ReportView


class ReportQuery(RequestBody, frozen=True):
    day: str | None = None
    """A gaming day, such as 2026-11-17. Without one, the current day."""
    shift: Annotated[int, Meta(ge=0, le=MAX_SHIFTS)] = 0
    """0: the whole day."""
    table: str = ""
    """Empty: all tables."""


class CsvQuery(ReportQuery, frozen=True):
    part: Annotated[str, Meta(pattern=f"^({'|'.join(Part)})$")] = Part.FIGURES.value


async def day_report(call: HttpRequest) -> ReportView:
    query = call.query
    view, _ = await make_view(call, query.day, query.shift, query.table)
    return view


async def day_csv(call: HttpRequest) -> Raw:
    query, file = call.query, StringIO(newline="")
    view, _ = await make_view(call, query.day, query.shift, query.table)
    write_csv(file, *report_table(view.report, Part(query.part)))
    return Raw(file.getvalue().encode(), "text/csv; charset=utf-8")


async def make_view(call: HttpRequest, day: str | None, shift: int, table: str) -> tuple[ReportView, GamingDay]:
    """The report of a day or shift, and how the floor counts days."""
    part, gaming_day, report = await report_of(call, day, shift, table)
    lines: ReportLines = await in_thread(
        partial(write_report, report, blind=is_blind(call.by, part, gaming_day, report))
    )
    signed = await call.service.floor.database.read(partial(find_sign_offs, day=part.day))
    view = ReportView(
        day=part.day.isoformat(),
        shift=part.shift,
        zone=gaming_day.zone,
        table=table,
        sign_offs=sign_off_views(signed),
        report=lines,
    )
    return view, gaming_day


async def report_of(
    call: HttpRequest, day: str | None, shift: int, table: str = ""
) -> tuple[DayPart, GamingDay, ShiftReport]:
    """The report itself, the part of the day it is of, and how the floor counts days."""
    gaming_day = await call.service.floor_view.gaming_day()
    part, period = _part(gaming_day, day, shift, call.service.floor.clock.now_us())
    report = await call.service.reports.of(call.by, period, table)
    await call.service.looks.saw(call.by, LookKind.REPORT, part.day.isoformat(), table=table)
    return part, gaming_day, report


def is_blind(by: Actor, part: DayPart, gaming_day: GamingDay, report: ShiftReport) -> bool:
    """Whether somebody may still have to count the trays of this day, and so must not know what should lie there."""
    return by.position in DEALER_UP and part.day >= gaming_day.day_of(report.made_us)


def sign_off_views(sign_offs: Sequence[SignOff]) -> tuple[SignOffView, ...]:
    return tuple(
        SignOffView(
            name=each.name, position=each.position, at_us=each.at_us, exceptions=each.exceptions, note=each.note
        )
        for each in sign_offs
    )


def _part(gaming_day: GamingDay, day: str | None, shift: int, now_us: int) -> tuple[DayPart, Period]:
    today = gaming_day.day_of(now_us)
    period = read_period(gaming_day, day=today.isoformat() if day is None else day, shift=shift)
    return DayPart(gaming_day.day_of(period.since_us or 0), shift), period


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/reports/day",
        day_report,
        "The report of a gaming day or a shift",
        ReportView,
        query=ReportQuery,
        tag="reports",
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET",
        "/api/reports/day.csv",
        day_csv,
        "A part of the report of a gaming day or a shift, as CSV",
        query=CsvQuery,
        kind="text/csv",
        tag="reports",
        cost=EXPENSIVE,
    ),
)
