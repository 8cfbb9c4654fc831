"""Who looked at whose figures, at the auditor's desk."""

from datetime import datetime

from msgspec import Struct

from punto.floor.people.looks import LookFilter, LookKind, RecordedLook
from punto.floor.people.players import players_in
from punto.floor.reports.moments import read_period
from punto.floor.settings.gaming_day import GamingDay
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS, person_name
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.views.cursors import END
from punto.web.views.round_names import read_round_name

LOOKS_A_PAGE = 100
_OF_MANY = frozenset(LookKind) - {LookKind.LOOKS, LookKind.CASH, LookKind.EXPORT}
"""What has a subject, unless it was about many at once."""


class LooksForm(PageQuery, frozen=True):
    """What the form sends: empty fields do not matter."""

    by: str = ""
    of: str = ""
    day: str = ""
    before: str = ""


class ShownLook(Struct, frozen=True):
    at: datetime
    by: str
    position: str
    what: str
    """In words."""
    of: str
    """In words."""
    address: str
    """Of what was looked at; empty if it has no page."""
    table: str
    """Its title; empty if it was about no single table."""


class LooksPage(PageContext, frozen=True, kw_only=True):
    template = "audit/looks.html"
    form: LooksForm
    filtered: bool
    looks: tuple[ShownLook, ...]
    older: int
    """0: there are no more."""


async def looks(call: HttpRequest) -> Raw:
    query, gaming_day = call.query, await call.service.floor_view.gaming_day()
    period = read_period(gaming_day, day=query.day or None)
    wanted = LookFilter(
        by=query.by.strip(),
        of=query.of.strip(),
        from_us=period.since_us or 0,
        until_us=period.until_us or END,
        before=_number(query.before) or END,
    )
    found = await call.service.looks.list(call.by, wanted, LOOKS_A_PAGE + 1)
    shown = found[:LOOKS_A_PAGE]
    names = await call.service.player_names.of(players_in(tuple(look.seen.of for look in shown)))
    context = LooksPage(
        layout=layout_of(call, "audit", "/audit/looks", gaming_day.zone),
        form=query,
        filtered=bool(query.by or query.of or query.day),
        looks=tuple(_look(call, look, gaming_day, names) for look in shown),
        older=shown[-1].version if len(found) > LOOKS_A_PAGE else 0,
    )
    return await page(context, call.language)


def _look(call: HttpRequest, look: RecordedLook, gaming_day: GamingDay, names: dict[str, str]) -> ShownLook:
    t, seen = TRANSLATORS[call.language], look.seen
    known = seen.what in list(LookKind)
    return ShownLook(
        at=gaming_day.local(look.at_us),
        by=look.by,
        position=t(f"position.{look.position}"),
        what=t(f"look.{seen.what}") if known else seen.what,
        of=person_name(seen.of, t, names, with_id=True)
        if seen.of
        else t("looks.many")
        if seen.what in _OF_MANY
        else "",
        address=_address(seen.what, seen.of, seen.table),
        table=call.service.floor.title_of(seen.table),
    )


def _address(what: str, of: str, table: str) -> str:
    if what == LookKind.REPORT and of:
        return f"/audit?day={of}"
    if what in (LookKind.ROUND, LookKind.PACK) and table and read_round_name(of):
        return table_path(table, f"rounds/{of}")
    return ""


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


ENDPOINTS = (Endpoint("GET", "/audit/looks", looks, "Who looked at whose figures", query=LooksForm, cost=EXPENSIVE),)
