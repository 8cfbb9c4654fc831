"""Who is on duty at which table. Pit managers and above assign; a relief is also the dealer's own."""

from punto.floor.people.duty_record import DutyLine
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class DutyQuery(RequestBody, frozen=True):
    """A moment or a period, in Unix time in microseconds. Without either, now."""

    at_us: int | None = None
    from_us: int | None = None
    """The start of the period that ends with ``at_us``."""


class DutyRequest(RequestBody, frozen=True):
    table: str


class ReliefRequest(RequestBody, frozen=True):
    """The dealer who takes over."""

    name: str


class DutyList(Message, frozen=True):
    """In the order in which people came on duty. `to_us` is 0 for those who still are."""

    duty: tuple[DutyLine, ...]


async def list_duty(call: HttpRequest) -> DutyList:
    query = call.query
    at_us = call.service.floor.clock.now_us() if query.at_us is None else query.at_us
    lines = await call.service.duty.lines(call.by, at_us if query.from_us is None else query.from_us, at_us)
    return DutyList(duty=tuple(lines))


async def assign(call: HttpRequest) -> None:
    await call.service.duty.assign(call.by, call.path["name"], call.body.table)
    call.service.floor_view.refresh()


async def end(call: HttpRequest) -> None:
    await call.service.duty.end(call.by, call.path["name"])
    call.service.floor_view.refresh()


async def relieve(call: HttpRequest) -> None:
    await call.service.duty.relieve(call.by, call.path["table"], call.body.name)
    call.service.floor_view.refresh()


ENDPOINTS = (
    Endpoint("GET", "/api/duty", list_duty, "List who is or was on duty", DutyList, query=DutyQuery, tag="duty"),
    Endpoint("PUT", "/api/duty/{name}", assign, "Assign to a table", body=DutyRequest, status=204, tag="duty"),
    Endpoint("DELETE", "/api/duty/{name}", end, "End somebody's duty", status=204, tag="duty"),
    Endpoint(
        "POST", "/api/tables/{table}/relief", relieve, "Record a relief", body=ReliefRequest, status=204, tag="duty"
    ),
)
