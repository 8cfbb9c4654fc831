"""Who is on duty at which table. Pit managers and above assign; a relief is also the dealer's own."""

from typing import Annotated

from msgspec import Meta

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.duty import DutyLine
from punto.floor.reports.moments import read_period
from punto.floor.settings.floor_settings import MAX_SHIFTS
from punto.table.records.positions import Position
from punto.web.http.auth import session_cookie
from punto.web.http.endpoint import Endpoint, HttpRequest, WithCookies
from punto.web.messages import Message, RequestBody


class DutyQuery(RequestBody, frozen=True):
    """A moment or a period, in Unix time in microseconds, or a gaming day. Without any, now."""

    at_us: int | None = None
    from_us: int | None = None
    """The start of the period that ends with ``at_us``."""
    day: str | None = None
    """A gaming day, instead of these."""
    shift: Annotated[int, Meta(ge=0, le=MAX_SHIFTS)] = 0
    """Of the gaming day, counted from 1; 0 for all of it."""


class DutyRequest(RequestBody, frozen=True):
    table: str


class ReliefRequest(RequestBody, frozen=True):
    """The dealer who takes over. With their PIN, at a terminal, the session of the dealer there becomes theirs."""

    name: str
    pin: str = ""


class DutyList(Message, frozen=True):
    """In the order in which people came on duty. `to_us` is 0 for those who still are."""

    duty: tuple[DutyLine, ...]


async def list_duty(call: HttpRequest) -> DutyList:
    lines = await call.service.duty.lines(call.by, *await _ends_us(call))
    return DutyList(duty=tuple(lines))


async def _ends_us(call: HttpRequest) -> tuple[int, int]:
    """The first and the last microsecond that the query names."""
    query = call.query
    if query.day is None and not query.shift:
        at_us = call.service.floor.clock.now_us() if query.at_us is None else query.at_us
        return (at_us if query.from_us is None else query.from_us), at_us
    if query.at_us is not None or query.from_us is not None:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="both")
    gaming_day = await call.service.floor_view.gaming_day()
    period = read_period(gaming_day, day=query.day, shift=query.shift)
    return period.since_us or 0, (period.until_us or 0) - 1


async def assign(call: HttpRequest) -> None:
    await call.service.duty.assign(call.by, call.path["name"], call.body.table)
    call.service.floor_view.refresh()


async def end(call: HttpRequest) -> None:
    await call.service.duty.end(call.by, call.path["name"])
    call.service.floor_view.refresh()


async def relieve(call: HttpRequest) -> WithCookies:
    """Without a PIN the house records the relief, and the dealer signs in as always.

    A dealer hands over the console too. Whoever else gives the relief stays signed in where they are.
    """
    service, table, request = call.service, call.path["table"], call.body
    to = await service.pins.approver(request.name, request.pin, call.terminal) if request.pin else None
    if to is None or call.by.position is not Position.DEALER:
        await service.duty.relieve(call.by, table, request.name)
        service.floor_view.refresh()
        return WithCookies(None, ())
    opened, hand_over = service.sessions.hand_over(call.token, to)
    await service.duty.relieve(call.by, table, to.name, hand_over)
    service.floor_view.refresh()
    seconds = (opened.expires_us - service.floor.clock.now_us()) // 1_000_000
    return WithCookies(None, (session_cookie(service.config, opened.token, seconds),))


ENDPOINTS = (
    Endpoint("GET", "/api/duty", list_duty, "List who is or was on duty", DutyList, query=DutyQuery, tag="duty"),
    Endpoint("PUT", "/api/duty/{name}", assign, "Assign to a table", body=DutyRequest, status=204, tag="duty"),
    Endpoint("DELETE", "/api/duty/{name}", end, "End somebody's duty", status=204, tag="duty"),
    Endpoint(
        "POST", "/api/tables/{table}/relief", relieve, "Record a relief", body=ReliefRequest, status=204, tag="duty"
    ),
)
