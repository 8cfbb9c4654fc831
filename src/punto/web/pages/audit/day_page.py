"""The first page of the auditor's desk: a gaming day at a glance, what is out of the ordinary, and its sign-off."""

from datetime import date, datetime, timedelta
from functools import partial

from msgspec import Struct

from punto.floor.house.projections.alarms import AlarmFilter
from punto.floor.house.projections.sign_offs import SignOff
from punto.floor.journal.event_base import ExceptionKind
from punto.floor.journal.incident_index import IncidentFilter, count_open
from punto.floor.reports.days.day_exceptions import count_by_kind
from punto.floor.reports.days.report_lines import FiguresLine, write_report
from punto.floor.reports.days.sign_offs import MAX_SIGN_OFF_NOTE, MAY_SIGN_OFF
from punto.floor.settings.gaming_day import FIRST_DAY, LAST_DAY, GamingDay, Period
from punto.floor.turns import in_thread
from punto.web.api.audit.audit_days import FoundDay, find_day, of_kind, views_of
from punto.web.api.pit.reports import is_blind
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages.audit_days import DayExceptionView
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.shifts import name_shifts, shift_number
from punto.web.views.round_names import read_round_name

MAX_EXCEPTIONS_SHOWN = 300
"""Exceptions on the page. The CSV has all."""
MAX_INCIDENTS = 100
MAX_ALARMS = 1_000
_DAY = timedelta(days=1)


class DayForm(PageQuery, frozen=True):
    """What the form sends: empty fields do not matter."""

    day: str = ""
    shift: str = ""
    kind: str = ""


class ShownMoney(Struct, frozen=True):
    """The sums of all tables of one currency, or of play money."""

    title: str
    line: FiguresLine
    tables: int


class ShownKind(Struct, frozen=True):
    kind: str
    name: str
    count: int


class ShownException(Struct, frozen=True):
    at: datetime
    happened: datetime | None
    view: DayExceptionView
    table: str
    """Its title; empty for the floor."""
    round: int
    """0: before the first call for bets, or none."""
    round_path: str
    """Empty if it is about no round."""
    command: str
    """In words; empty for an entry of the house."""
    kinds: tuple[str, ...]
    """In words."""


class ShownSignOff(Struct, frozen=True):
    at: datetime
    sign_off: SignOff


class DeskIncident(Struct, frozen=True):
    number: int
    at: datetime
    table: str
    table_title: str
    opening: int
    round: int
    kind: str
    open: bool


class DayPage(PageContext, frozen=True, kw_only=True):
    template = "audit/day.html"
    form: DayForm
    heading: str
    shifts: tuple[tuple[int, str], ...]
    """Numbers and names."""
    before: str
    after: str
    """The days before and after; empty if that is in the future."""
    over: bool
    """Whether the period has ended."""
    money: tuple[ShownMoney, ...]
    alarms: int
    """Those of the day that nobody has acknowledged."""
    sign_offs: tuple[ShownSignOff, ...]
    changed_since: bool
    may_sign: bool
    note_length: int
    total: int
    kinds: tuple[ShownKind, ...]
    exceptions: tuple[ShownException, ...]
    more: int
    """Exceptions that are not shown."""
    incidents: tuple[DeskIncident, ...]
    more_incidents: bool
    open_incidents: int
    """Of the day; signing it off with one open is asked about first."""


async def day(call: HttpRequest) -> Raw:
    query, t = call.query, TRANSLATORS[call.language]
    found = await find_day(call, query.day or None, shift_number(query.shift))
    part, gaming_day, period, audited = found.part, found.gaming_day, found.report.period, found.audited
    blind = is_blind(call.by, part, gaming_day, found.report)
    lines = await in_thread(partial(write_report, found.report, blind=blind))
    kind = ExceptionKind(query.kind) if query.kind in list(ExceptionKind) else None
    wanted = of_kind(audited.exceptions, kind)
    incidents = await _incidents(call, period, gaming_day, t)
    context = DayPage(
        layout=layout_of(call, "audit", "/audit", gaming_day.zone),
        form=DayForm(day=part.day.isoformat(), shift=str(part.shift or ""), kind=kind or ""),
        heading=t("desk.shift_of", shift=part.shift, day=part.day.isoformat())
        if part.shift
        else t("desk.day_of", day=part.day.isoformat()),
        shifts=name_shifts(gaming_day, t),
        before=_neighbour(part.day, -_DAY, gaming_day.day_of(lines.made_us)),
        after=_neighbour(part.day, _DAY, gaming_day.day_of(lines.made_us)),
        over=found.over,
        money=tuple(_money(line, lines.of("table"), t) for line in lines.of("floor")),
        alarms=await _open_alarms(call, period),
        sign_offs=tuple(ShownSignOff(gaming_day.local(each.at_us), each) for each in audited.sign_offs),
        changed_since=found.changed_since,
        may_sign=_may_sign(call, found),
        note_length=MAX_SIGN_OFF_NOTE,
        total=len(audited.exceptions),
        kinds=tuple(
            ShownKind(name, t(f"exception_kind.{name}"), count)
            for name, count in count_by_kind(audited.exceptions).items()
        ),
        exceptions=tuple(
            _exception(call, view, gaming_day, t) for view in await views_of(call, wanted[:MAX_EXCEPTIONS_SHOWN])
        ),
        more=max(len(wanted) - MAX_EXCEPTIONS_SHOWN, 0),
        incidents=incidents[:MAX_INCIDENTS],
        more_incidents=len(incidents) > MAX_INCIDENTS,
        open_incidents=await call.service.floor.database.read(
            lambda transaction: count_open(transaction, period.since_us or 0, period.until_us or 0)
        ),
    )
    return await page(context, call.language)


def _neighbour(day: date, step: timedelta, today: date) -> str:
    """Another day as forms write it; empty if it is in the future or cannot be counted."""
    if not FIRST_DAY < day < LAST_DAY or day + step > today:
        return ""
    return (day + step).isoformat()


def _money(line: FiguresLine, tables: tuple[FiguresLine, ...], t: Translator) -> ShownMoney:
    key = (line.currency, line.play_money)
    title = t("reports.play_money") if line.play_money else line.currency
    return ShownMoney(title, line, sum((each.currency, each.play_money) == key for each in tables))


def _may_sign(call: HttpRequest, found: FoundDay) -> bool:
    """Only whole days are signed off."""
    signed = any(each.name == call.by.name for each in found.audited.sign_offs)
    return call.by.position in MAY_SIGN_OFF and found.over and not found.part.shift and not signed


async def _open_alarms(call: HttpRequest, period: Period) -> int:
    wanted = AlarmFilter(open=True, from_us=period.since_us or 0, until_us=period.until_us or 0)
    return len(await call.service.alarms.list(call.by, wanted, MAX_ALARMS))


async def _incidents(
    call: HttpRequest, period: Period, gaming_day: GamingDay, t: Translator
) -> tuple[DeskIncident, ...]:
    wanted = IncidentFilter(from_us=period.since_us or 0, until_us=period.until_us or 0)
    rows = await call.service.incidents.list(call.by, wanted, MAX_INCIDENTS + 1)
    openings = await call.service.incidents.openings(rows)
    return tuple(
        DeskIncident(
            number=row.number,
            at=gaming_day.local(row.at_us),
            table=row.at_table,
            table_title=call.service.floor.title_of(row.at_table),
            opening=openings[row.stream],
            round=row.round,
            kind=t(f"incident.{row.kind}"),
            open=row.open,
        )
        for row in rows
    )


def _exception(call: HttpRequest, view: DayExceptionView, gaming_day: GamingDay, t: Translator) -> ShownException:
    named = read_round_name(view.round or "")
    return ShownException(
        at=gaming_day.local(view.at_us),
        happened=gaming_day.local(view.happened_at_us) if view.happened_at_us else None,
        view=view,
        table=call.service.floor.title_of(view.table),
        round=named[1] if named else 0,
        round_path=table_path(view.table, f"rounds/{view.round}") if view.round else "",
        command=t(f"command.{view.command}") if view.command else "",
        kinds=tuple(t(f"exception_kind.{kind}") for kind in view.kinds),
    )


ENDPOINTS = (Endpoint("GET", "/audit", day, "A gaming day at the auditor's desk", query=DayForm, cost=EXPENSIVE),)
