"""The list of incidents, and one incident with its people, words, money and the felt before and after."""

from datetime import datetime

from msgspec import Struct

from punto.floor.journal.entry import without_version
from punto.floor.journal.incident_index import IncidentRow
from punto.floor.people.looks import LookKind
from punto.floor.reports.incidents import IncidentReport, IncidentStep
from punto.floor.reports.moments import read_period
from punto.floor.settings.gaming_day import GamingDay
from punto.library import book
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.preview import shown
from punto.table.records.events import cited_by
from punto.table.records.findings import IrregularityReported
from punto.web.api.pit.incidents import filter_of, find_report, writer_of
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS, Translator, person_name
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.drawn_felt import DrawnFelt, DrawnHand, draw_felt, draw_hands
from punto.web.words.event_words import Writer

INCIDENTS_PER_PAGE = 50


class IncidentsForm(PageQuery, frozen=True):
    """What a form sends: empty fields do not matter."""

    table: str = ""
    round: str = ""
    since: str = ""
    until: str = ""
    before: str = ""


class ShownIncident(Struct, frozen=True):
    number: int
    at: datetime
    table: str
    table_title: str
    table_path: str
    opening: int
    round: int
    kind: str
    state: str
    open: bool


class IncidentsPage(PageContext, frozen=True, kw_only=True):
    template = "incidents.html"
    incidents: tuple[ShownIncident, ...]
    tables: tuple[tuple[str, str], ...]
    """Name and title of each."""
    query: IncidentsForm
    filtered: bool
    older: int
    """0: there are no more."""


class ShownStep(Struct, frozen=True):
    """A command that belongs to an incident."""

    at: datetime
    happened: datetime | None
    title: str
    given: str
    terminal: str
    lines: tuple[str, ...]
    reason: str
    """Empty if a line has it."""
    clauses: tuple[Clause, ...]


class AsDealt(Struct, frozen=True):
    """Hands that did not lie as they should."""

    lay: tuple[DrawnHand, ...]
    should_be: tuple[DrawnHand, ...]
    """Empty if they cannot be reconstructed."""


class IncidentPage(PageContext, frozen=True, kw_only=True):
    template = "incident.html"
    incident: ShownIncident
    book: str
    game: str
    currency: str
    steps: tuple[ShownStep, ...]
    before: DrawnFelt | None
    after: DrawnFelt | None
    """None if it is the same as before."""
    as_dealt: AsDealt | None
    moved: tuple[tuple[str, int], ...]
    """By player, what their chips changed by."""
    clauses: tuple[tuple[Clause, str], ...]
    """Each with its summary."""
    same_round: tuple[int, ...]


async def incidents(call: HttpRequest) -> Raw:
    query, floor, t = call.query, call.service.floor, TRANSLATORS[call.language]
    day = await call.service.floor_view.gaming_day()
    period = read_period(day, query.since or None, query.until or None)
    wanted = filter_of(query.table, _number(query.round), period, _number(query.before))
    rows = await call.service.incidents.list(call.by, wanted, INCIDENTS_PER_PAGE + 1)
    await call.service.looks.saw(call.by, LookKind.INCIDENT)
    found = rows[:INCIDENTS_PER_PAGE]
    openings = await call.service.incidents.openings(found)
    context = IncidentsPage(
        layout=layout_of(call, "incidents", "/incidents", day.zone),
        incidents=tuple(
            show_incident(row, openings[row.stream], floor.title_of(row.at_table), day, t) for row in found
        ),
        tables=tuple((name, floor.title_of(name)) for name in sorted(floor.tables)),
        query=query,
        filtered=bool(query.table or query.round or query.since or query.until),
        older=found[-1].number if len(rows) > INCIDENTS_PER_PAGE else 0,
    )
    return await page(context, call.language)


async def one(call: HttpRequest) -> Raw:
    report = await find_report(call)
    writer, rules = await writer_of(call, report), book(report.book)
    t = writer.t
    day = await call.service.floor_view.gaming_day()
    felts = [None if felt is None else draw_felt(rules, felt, writer) for felt in (report.before, report.after)]
    context = IncidentPage(
        layout=layout_of(call, "incidents", f"/incidents/{report.row.number}", day.zone),
        incident=show_incident(report.row, report.opening, call.service.floor.title_of(report.row.at_table), day, t),
        book=report.book,
        game=t(f"book.{report.book}"),
        currency=report.currency,
        steps=tuple(_step(step, day, writer) for step in report.steps),
        before=felts[0],
        after=felts[1] if felts[1] != felts[0] else None,
        as_dealt=_as_dealt(rules, report, t),
        moved=tuple((_with_id(who, writer), minor) for who, minor in report.moved_minor.items()),
        clauses=tuple((clause, rules.summary(clause, call.language)) for clause in report.clauses),
        same_round=report.same_round,
    )
    return await page(context, call.language, t)


def show_incident(row: IncidentRow, opening: int, title: str, day: GamingDay, t: Translator) -> ShownIncident:
    waits = row.incident.waits
    return ShownIncident(
        number=row.number,
        at=day.local(row.at_us),
        table=row.at_table,
        table_title=title,
        table_path=table_path(row.at_table),
        opening=opening,
        round=row.round,
        kind=t(f"incident.{row.kind}"),
        state=t("incidents.waits", waits=tuple(t(f"incident_wait.{wait}") for wait in waits))
        if waits
        else t("incidents.closed"),
        open=row.open,
    )


def _step(step: IncidentStep, day: GamingDay, writer: Writer) -> ShownStep:
    t, first, context = writer.t, step.first, step.context
    by = {"by": first.actor, "position": first.position}
    given = t("incidents.given", **by)
    if context.proposed_by:
        given = t(
            "incidents.approved", **by, proposer=context.proposed_by, proposer_position=step.proposer_position or "off"
        )
    lines = writer.lines(shown(step.events))
    reason = next((text for event in step.events if (text := getattr(event, "reason", ""))), "")
    return ShownStep(
        at=day.local(first.at_us),
        happened=day.local(context.happened_at_us) if context.happened_at_us else None,
        title=t(f"command.{without_version(step.command)}"),
        given=given,
        terminal=context.terminal,
        lines=lines,
        reason="" if any(reason in line for line in lines) else reason,
        clauses=cited_by(step.events),
    )


def _as_dealt(rules: Rulebook, report: IncidentReport, t: Translator) -> AsDealt | None:
    """How the hands lay, if a report says that they did not lie as they should."""
    for event in report.events:
        if isinstance(event, IrregularityReported) and event.as_dealt is not None and event.as_dealt != event.should_be:
            should_be = () if event.should_be is None else draw_hands(rules, event.should_be, t)
            return AsDealt(draw_hands(rules, event.as_dealt, t), should_be)
    return None


def _with_id(who: str, writer: Writer) -> str:
    return person_name(who, writer.t, writer.names, writer.labels, with_id=True)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


ENDPOINTS = (
    Endpoint("GET", "/incidents", incidents, "The incidents of the floor", query=IncidentsForm),
    Endpoint("GET", "/incidents/{number}", one, "One incident, to print", query=PageQuery, cost=EXPENSIVE),
)
