"""The first page of the auditor's desk: a gaming day or a shift at a glance."""

from msgspec import Struct

from punto.floor.people.positions import MAY_AUDIT
from punto.floor.reports.report_lines import FiguresLine
from punto.web.api.reports import make_view
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page
from punto.web.pages.parts.shifts import name_shifts, shift_number


class DayForm(PageQuery, frozen=True):
    """What the form sends: empty fields do not matter."""

    day: str = ""
    shift: str = ""


class ShownMoney(Struct, frozen=True):
    """The sums of all tables of one currency, or of play money."""

    title: str
    line: FiguresLine
    tables: int


class DayPage(PageContext, frozen=True, kw_only=True):
    template = "audit/day.html"
    form: DayForm
    shifts: tuple[tuple[int, str], ...]
    """Numbers and names."""
    money: tuple[ShownMoney, ...]
    over: bool
    """Whether the period has ended."""


async def day(call: HttpRequest) -> Raw:
    query, t = call.query, TRANSLATORS[call.language]
    await call.service.floor.house_log.require(call.by, MAY_AUDIT, "read_audit_desk")
    view, gaming_day = await make_view(call, query.day or None, shift_number(query.shift), "")
    lines = view.report
    context = DayPage(
        layout=layout_of(call, "audit", "/audit", gaming_day.zone),
        form=DayForm(day=view.day, shift=str(view.shift)),
        shifts=name_shifts(gaming_day, t),
        money=tuple(_money(line, lines.of("table"), t) for line in lines.of("floor")),
        over=(lines.to_us or 0) <= lines.made_us,
    )
    return await page(context, call.language)


def _money(line: FiguresLine, tables: tuple[FiguresLine, ...], t: Translator) -> ShownMoney:
    key = (line.currency, line.play_money)
    title = t("reports.play_money") if line.play_money else line.currency
    return ShownMoney(title, line, sum((each.currency, each.play_money) == key for each in tables))


ENDPOINTS = (Endpoint("GET", "/audit", day, "A gaming day at the auditor's desk", query=DayForm, cost=EXPENSIVE),)
