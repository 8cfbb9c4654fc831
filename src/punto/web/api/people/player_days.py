"""What a player did on a gaming day, and the cash of everybody, for supervisors and above, and auditors."""

from datetime import date

from punto.floor.people.looks import LookKind
from punto.floor.reports.days.shift_report import ShiftReport
from punto.floor.reports.moments import read_period
from punto.floor.reports.player_day import CashLine, RatingLine, cash_lines, rating_lines
from punto.floor.turns import in_thread
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class DayQuery(RequestBody, frozen=True):
    day: str | None = None
    """A gaming day, such as 2026-11-17. Without one, the current day."""


class PlayerDay(Message, frozen=True):
    """The ratings of one player on a gaming day, one for each currency."""

    player: str
    day: str
    zone: str
    ratings: tuple[RatingLine, ...]


class CashOfDay(Message, frozen=True):
    """The cash of everybody on a gaming day, over all tables, the largest first."""

    day: str
    zone: str
    large_cash_minor: int
    """From where on the house has to report it; 0 for none."""
    people: tuple[CashLine, ...]


async def rating(call: HttpRequest) -> PlayerDay:
    player = await call.service.players.find(call.by, call.path["player"])
    day, report = await report_of_day(call, call.query.day)
    zone = (await call.service.floor_view.gaming_day()).zone
    await call.service.looks.saw(call.by, LookKind.RATING, player.id)
    ratings = await in_thread(rating_lines, report, player.id)
    return PlayerDay(player=player.id, day=day.isoformat(), zone=zone, ratings=ratings)


async def cash(call: HttpRequest) -> CashOfDay:
    day, report = await report_of_day(call, call.query.day)
    await call.service.looks.saw(call.by, LookKind.CASH, day.isoformat())
    settings = await call.service.floor_view.settings()
    large_minor = settings.large_cash_minor
    return CashOfDay(
        day=day.isoformat(),
        zone=settings.gaming_day.zone,
        large_cash_minor=large_minor,
        people=cash_lines(report, large_minor),
    )


async def report_of_day(call: HttpRequest, text: str | None) -> tuple[date, ShiftReport]:
    """The report of a gaming day, the current one if none is named, for those who may read it."""
    gaming_day = await call.service.floor_view.gaming_day()
    today = gaming_day.day_of(call.service.floor.clock.now_us())
    period = read_period(gaming_day, day=text or today.isoformat())
    return gaming_day.day_of(period.since_us or 0), await call.service.reports.of(call.by, period)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/players/{player}/rating",
        rating,
        "What a player did on a gaming day",
        PlayerDay,
        query=DayQuery,
        tag="players",
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET",
        "/api/cash",
        cash,
        "The cash of everybody on a gaming day",
        CashOfDay,
        query=DayQuery,
        tag="players",
        cost=EXPENSIVE,
    ),
)
