"""The numbered incidents of the floor, for staff and auditors."""

from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import asdict

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.incident_index import IncidentFilter, IncidentRow
from punto.floor.people.duty import not_on_duty_here
from punto.floor.people.looks import LookKind
from punto.floor.people.players import players_in
from punto.floor.reports.incidents import IncidentReport, IncidentStep
from punto.floor.reports.moments import read_period
from punto.floor.settings.floor_settings import MAX_SHIFTS
from punto.floor.settings.gaming_day import Period
from punto.table.preview import shown
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest
from punto.web.messages import (
    IncidentCommand,
    IncidentLine,
    IncidentList,
    IncidentView,
    MovedChips,
    RequestBody,
)
from punto.web.views.cursors import END
from punto.web.views.visibility import Sight, cut_all
from punto.web.words.event_words import Writer
from punto.web.words.translator import translator

MAX_PER_PAGE = 100
_DIGITS = 18
"""Of a number that every database can compare."""
Number = Annotated[int, Meta(ge=1, le=END)]


class IncidentsQuery(RequestBody, frozen=True):
    table: str = ""
    round: Annotated[int, Meta(ge=0, le=END)] | None = None
    since: str | None = field(default=None, name="from")
    """A gaming day of the floor, or a time in ISO 8601: the floor's time unless it has an offset."""
    until: str | None = field(default=None, name="to")
    """A gaming day is included."""
    day: str | None = None
    """A gaming day, instead of both ends."""
    shift: Annotated[int, Meta(ge=0, le=MAX_SHIFTS)] = 0
    """Of the gaming day, counted from 1; 0 for all of it."""
    before: Number | None = None
    """None: from the newest."""
    most: Annotated[int, Meta(ge=1, le=MAX_PER_PAGE)] = 20


async def list_incidents(call: HttpRequest) -> IncidentList:
    query = call.query
    gaming_day = await call.service.floor_view.gaming_day()
    period = read_period(gaming_day, query.since, query.until, query.day, query.shift)
    wanted = filter_of(query.table, query.round, period, query.before)
    rows = await call.service.incidents.list(call.by, wanted, query.most + 1)
    await call.service.looks.saw(call.by, LookKind.INCIDENT)
    page = rows[: query.most]
    openings = await call.service.incidents.openings(page)
    return IncidentList(
        incidents=tuple(line_of(row, openings[row.stream]) for row in page),
        next=page[-1].number if len(rows) > query.most else None,
    )


def filter_of(table: str, number: int | None, period: Period, before: int | None) -> IncidentFilter:
    return IncidentFilter(
        table=table,
        round=number,
        from_us=period.since_us or 0,
        until_us=END if period.until_us is None else period.until_us,
        before=END if before is None else before,
    )


def line_of(row: IncidentRow, opening: int) -> IncidentLine:
    return IncidentLine(
        number=row.number,
        at_us=row.at_us,
        table=row.at_table,
        opening=opening,
        round=row.round,
        kind=row.kind,
        state="open" if row.open else "closed",
        waits_for=row.incident.waits,
    )


async def one(call: HttpRequest) -> IncidentView:
    report = await find_report(call)
    writer = await writer_of(call, report)
    return IncidentView(
        **asdict(line_of(report.row, report.opening)),
        book=report.book,
        currency=report.currency,
        clauses=report.clauses,
        commands=tuple(_command(step, writer) for step in report.steps),
        moved=tuple(MovedChips(who=who, amount_minor=minor) for who, minor in report.moved_minor.items()),
        before=report.before,
        after=report.after,
        same_round=report.same_round,
    )


async def find_report(call: HttpRequest) -> IncidentReport:
    """The incident in the address."""
    number = call.path["number"]
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        raise FloorRefused(FloorCode.UNKNOWN_INCIDENT, number=number[:20])
    report = await call.service.incidents.find(call.by, int(number))
    on_duty = await call.service.floor_view.on_duty()
    if not on_duty.lets_act(call.by, report.row.at_table):  # dealers read no events of other tables
        raise not_on_duty_here(on_duty, call.by.name, report.row.at_table)
    await call.service.looks.saw(call.by, LookKind.INCIDENT, str(report.row.number), table=report.row.at_table)
    return report


async def writer_of(call: HttpRequest, report: IncidentReport) -> Writer:
    names = await call.service.player_names.of(players_in((report.events, report.before)))
    return Writer(translator(call.language, at_shuffler=report.at_shuffler), names, report.box_labels)


def _command(step: IncidentStep, writer: Writer) -> IncidentCommand:
    first, context = step.first, step.context
    return IncidentCommand(
        command=step.command,
        at_us=first.at_us,
        happened_at_us=context.happened_at_us or None,
        by=first.actor,
        position=first.position,
        terminal=context.terminal,
        proposed_by=context.proposed_by or None,
        proposer_position=step.proposer_position or None,
        events=cut_all(step.entries, Sight.STAFF),
        words=writer.lines(shown(step.events)),
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/incidents",
        list_incidents,
        "List incidents, newest first",
        IncidentList,
        query=IncidentsQuery,
        tag="incidents",
    ),
    Endpoint("GET", "/api/incidents/{number}", one, "One incident", IncidentView, tag="incidents", cost=EXPENSIVE),
)
