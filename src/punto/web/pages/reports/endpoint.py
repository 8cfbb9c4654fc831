"""The page with the report of a gaming day or one of its shifts."""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.values import write_percent, write_signed
from punto.floor.people.players import players_in
from punto.floor.reports.days.opening_facts import LoneAct, PaidRuling
from punto.floor.reports.days.report_lines import BetLine, DealerLine, FiguresLine, FindingLine, PlayerLine, ReportLines
from punto.floor.reports.days.report_tables import Part
from punto.floor.reports.days.tray_sums import CountLine, SlipLine
from punto.floor.settings.gaming_day import GamingDay
from punto.web.api.pit.reports import make_view
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages.reports import ReportView
from punto.web.pages.base.i18n import TRANSLATORS, Translator, person_name
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page
from punto.web.pages.parts.shifts import name_shifts, shift_number
from punto.web.pages.reports.band import draw_band

CAUSES = ("rulings", "mispaid", "unexplained", "settled_again", "unaccounted")

ACTS = ("account_created", "position_assigned", "password_changed", "token_issued", "floor_rules_changed")
"""What one person can do alone beside the tables. Anything else is shown by the name of its event."""


class ReportForm(PageQuery, frozen=True):
    """What the form sends: empty fields do not matter."""

    day: str = ""
    shift: str = ""
    table: str = ""


class ShownReturn(Struct, frozen=True):
    line: BetLine
    name: str
    deviations: str
    actual: str
    theoretical: str
    band: str
    drawing: Markup | None


class ShownGame(Struct, frozen=True):
    name: str
    bets: tuple[ShownReturn, ...]


class ShownReportLine(Struct, frozen=True):
    name: str
    """Of the table, the game, or all tables."""
    game: str
    """Beside the name of a table."""
    line: FiguresLine
    deviations: str
    hold: str
    causes: tuple[tuple[str, int], ...]
    """Why the win by count is not the win by rounds."""


class ShownPlayer(Struct, frozen=True):
    name: str
    line: PlayerLine


class ShownFloor(Struct, frozen=True):
    """All tables of one currency, or of play money."""

    title: str
    currency: str
    total: ShownReportLine
    games: tuple[ShownReportLine, ...]
    tables: tuple[ShownReportLine, ...]
    bets: tuple[ShownGame, ...]
    winners: tuple[ShownPlayer, ...]
    losers: tuple[ShownPlayer, ...]


class ShownRuling(Struct, frozen=True):
    at: datetime
    ruling: PaidRuling
    paid: tuple[tuple[str, int], ...]


class ShownCount(Struct, frozen=True):
    at: datetime
    count: CountLine
    purpose: str


class ShownSlip(Struct, frozen=True):
    at: datetime
    slip: SlipLine
    kind: str
    state: str


class ShownAct(Struct, frozen=True):
    at: datetime
    act: LoneAct
    what: str


class ReportsPage(PageContext, frozen=True, kw_only=True):
    template = "reports.html"
    form: ReportForm
    tables: tuple[tuple[str, str], ...]
    """Names and titles."""
    shifts: tuple[tuple[int, str], ...]
    """Numbers and names."""
    title: str
    of_table: str
    titles: dict[str, str]
    """By name, of the tables in the report."""
    since: datetime
    until: datetime
    made: datetime
    over: bool
    """Whether the period has ended."""
    sign_offs: tuple[tuple[str, datetime], ...]
    """Who signed the day off, and when."""
    floors: tuple[ShownFloor, ...]
    dealers: tuple[DealerLine, ...]
    voids: tuple[FindingLine, ...]
    findings: tuple[FindingLine, ...]
    rulings: tuple[ShownRuling, ...]
    alone: tuple[ShownAct, ...]
    counts: tuple[ShownCount, ...]
    missing: tuple[str, ...]
    slips: tuple[ShownSlip, ...]
    parts: tuple[Part, ...]


async def report(call: HttpRequest) -> Raw:
    query, t = call.query, TRANSLATORS[call.language]
    view, gaming_day = await make_view(call, query.day or None, shift_number(query.shift), query.table)
    lines, floor = view.report, call.service.floor
    titles = {line.table: floor.title_of(line.table) for line in lines.of("table")}
    names = await call.service.player_names.of(players_in(tuple(line.who for line in lines.players)))
    context = ReportsPage(
        layout=layout_of(call, "reports", "/pit/reports", gaming_day.zone),
        form=ReportForm(day=view.day, shift=str(view.shift), table=query.table),
        tables=tuple((name, floor.title_of(name)) for name in sorted(floor.tables)),
        titles=titles,
        shifts=name_shifts(gaming_day, t),
        title=_title(view, t),
        of_table=titles.get(view.table, view.table),
        since=gaming_day.local(lines.from_us or 0),
        until=gaming_day.local(lines.to_us or 0),
        made=gaming_day.local(lines.made_us),
        over=(lines.to_us or 0) <= lines.made_us,
        sign_offs=tuple(
            (t("desk.signed_by", name=each.name, position=each.position), gaming_day.local(each.at_us))
            for each in view.sign_offs
        ),
        floors=tuple(_floor(line, lines, titles, names, t) for line in lines.of("floor")),
        dealers=lines.dealers,
        voids=lines.voids,
        findings=lines.findings,
        rulings=tuple(_ruling(each, gaming_day, names, t) for each in lines.rulings),
        alone=tuple(_act(each, gaming_day, t) for each in lines.alone),
        counts=tuple(
            ShownCount(gaming_day.local(each.at_us), each, t(f"count_purpose.{each.purpose}")) for each in lines.counts
        ),
        missing=tuple(t(f"report_missing.{each.purpose}", table=titles[each.table]) for each in lines.missing),
        slips=tuple(_slip(each, gaming_day, t) for each in lines.slips),
        parts=tuple(Part),
    )
    return await page(context, call.language)


def _title(view: ReportView, t: Translator) -> str:
    return t("reports.shift_of", shift=view.shift, day=view.day) if view.shift else t("reports.day_of", day=view.day)


def _floor(
    total: FiguresLine, lines: ReportLines, titles: Mapping[str, str], names: Mapping[str, str], t: Translator
) -> ShownFloor:
    def own(scope: str) -> list[FiguresLine]:
        key = (total.currency, total.play_money)
        return [line for line in lines.of(scope) if (line.currency, line.play_money) == key]

    games = own("game")
    title = t("reports.play_money") if total.play_money else total.currency
    return ShownFloor(
        title=title,
        currency=total.currency,
        total=_line(total, t("reports.all_tables"), t),
        games=tuple(_line(line, t(f"book.{line.game}"), t) for line in games),
        tables=tuple(_line(line, titles[line.table], t) for line in own("table")),
        bets=tuple(
            ShownGame(t(f"book.{line.game}"), tuple(_bet(bet, t) for bet in line.bets_by_kind)) for line in games
        ),
        winners=() if total.play_money else _players(lines.winners(total.currency), titles, names, t),
        losers=() if total.play_money else _players(lines.losers(total.currency), titles, names, t),
    )


def _line(line: FiguresLine, name: str, t: Translator) -> ShownReportLine:
    game = t(f"book.{line.game}") if line.table else ""
    causes = tuple(
        (t(f"report_cause.{cause}"), minor) for cause in CAUSES if (minor := getattr(line, f"{cause}_minor"))
    )
    return ShownReportLine(name, game, line, _signed(line.deviations), _percent(line.hold), causes)


def _bet(line: BetLine, t: Translator) -> ShownReturn:
    return ShownReturn(
        line=line,
        name=t(f"bet.{line.bet}"),
        deviations=_signed(line.deviations),
        actual=_percent(line.actual_return),
        theoretical=_percent(line.theoretical_return),
        band=""
        if line.band_low is None
        else t("reports.from_to", low=_percent(line.band_low), high=_percent(line.band_high)),
        drawing=None if line.deviations is None else draw_band(line.deviations),
    )


def _players(
    lines: tuple[PlayerLine, ...], titles: Mapping[str, str], names: Mapping[str, str], t: Translator
) -> tuple[ShownPlayer, ...]:
    shown = []
    for line in lines:
        name = person_name(line.who, t, names, with_id=True)
        at_table = t("reports.at_table", name=name, table=titles[line.table]) if line.table else name
        shown.append(ShownPlayer(at_table, line))
    return tuple(shown)


def _ruling(ruling: PaidRuling, gaming_day: GamingDay, names: Mapping[str, str], t: Translator) -> ShownRuling:
    paid = tuple((person_name(who, t, names, with_id=True), minor) for who, minor in ruling.paid_minor.items())
    return ShownRuling(gaming_day.local(ruling.at_us), ruling, paid)


def _act(act: LoneAct, gaming_day: GamingDay, t: Translator) -> ShownAct:
    of_house = t(f"report_act.{act.what}") if act.what in ACTS else act.what
    what = t(f"command.{act.what}") if act.table else of_house
    return ShownAct(gaming_day.local(act.at_us), act, what)


def _slip(slip: SlipLine, gaming_day: GamingDay, t: Translator) -> ShownSlip:
    words = (t(f"slip_kind.{slip.kind}"), t(f"slip_state.{slip.state}"))
    return ShownSlip(gaming_day.local(slip.at_us), slip, *words)


def _percent(part: float | None) -> str:
    return "" if part is None else write_percent(Fraction(part))


def _signed(number: float | None) -> str:
    return "" if number is None else write_signed(number)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/pit/reports",
        report,
        "The report of a gaming day or a shift, to print",
        query=ReportForm,
        cost=EXPENSIVE,
    ),
)
