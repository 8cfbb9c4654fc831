"""What is stopped: all gaming, a game, a player or a member of staff. Pit managers and above stop and release."""

from typing import Annotated

from msgspec import Meta

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.stops import MAX_STOP_NUMBER, Stop, StopScope
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class StopsQuery(RequestBody, frozen=True):
    released: bool = False
    """The last 500, also those that are over, the last first."""


class StopRequest(RequestBody, frozen=True):
    scope: StopScope
    reason: str
    of: Annotated[str, Meta(max_length=80)] = ""
    """The id of a book or of a player, the name of a visitor or of an account; empty for all gaming."""


class ReleaseRequest(RequestBody, frozen=True):
    reason: str


class StopList(Message, frozen=True):
    """Those in force, the oldest first. `released_us` is 0 while a stop is in force.

    Reasons of a player's or an employee's stop are empty for those who are not pit manager or above or auditor.
    """

    stops: tuple[Stop, ...]


async def list_stops(call: HttpRequest) -> StopList:
    return StopList(stops=tuple(await call.service.stops.list(call.by, released=call.query.released)))


async def stop(call: HttpRequest) -> Stop:
    return await call.service.stops.stop(call.by, call.body.scope, call.body.of, call.body.reason)


async def release(call: HttpRequest) -> Stop:
    """Alone. Where two people are needed, one proposes it and the other approves it."""
    number = call.path["number"]
    if not (number.isascii() and number.isdecimal() and len(number) <= len(str(MAX_STOP_NUMBER))):
        raise FloorRefused(FloorCode.UNKNOWN_STOP, number=number[:40])
    return await call.service.stops.release(call.by, int(number), call.body.reason)


ENDPOINTS = (
    Endpoint("GET", "/api/stops", list_stops, "List what is stopped", StopList, query=StopsQuery, tag="stops"),
    Endpoint("POST", "/api/stops", stop, "Stop gaming", Stop, StopRequest, status=201, tag="stops"),
    Endpoint("POST", "/api/stops/{number}/release", release, "Release gaming", Stop, ReleaseRequest, tag="stops"),
)
