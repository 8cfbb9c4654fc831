"""Blind counts of a table's tray: two people count, and neither sees the other's count."""

from punto.floor.house.projections.counts import FirstCount
from punto.floor.journal.actor import person_key
from punto.floor.journal.entry import event_of
from punto.table.records.chips import TrayCounted
from punto.web.api.commands import accepted
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import CountAnswer, CountList, CountRequest, WaitingCount


async def give(call: HttpRequest) -> CountAnswer:
    """Count the tray. Nothing of a first count is shown; if the second is the same, both stand."""
    request, service, by = call.body, call.service, call.by
    service.limits.commands.take(person_key(by))
    with service.limits.accepting(by, call.address):
        if request.name is not None or request.pin is not None:
            by = await service.pins.approver(request.name or "", request.pin or "", call.terminal)
        counted = await service.counts.count(by, call.path["table"], request.id, request.purpose, request.piles)
        if counted.waiting is not None:
            return CountAnswer(waiting=_waiting(counted.waiting))
        given = await accepted(call, counted.answer)
    event = event_of(counted.answer.entries[0])
    assert isinstance(event, TrayCounted)  # noqa: S101 - the only event of its command
    return CountAnswer(
        waiting=None,
        counted_minor=event.counted_minor,
        expected_minor=event.expected_minor,
        difference_minor=event.difference_minor,
        piles=event.piles,
        cursor=given.cursor,
        events=given.events,
    )


async def waiting(call: HttpRequest) -> CountList:
    first = await call.service.counts.waiting(call.by, call.path["table"])
    return CountList(waiting=None if first is None else _waiting(first))


def _waiting(first: FirstCount) -> WaitingCount:
    return WaitingCount(by=first.by, purpose=first.purpose, at_us=first.at_us)


_COUNTS = "/api/tables/{table}/counts"

ENDPOINTS = (
    Endpoint("POST", _COUNTS, give, "Count the tray of a table", CountAnswer, CountRequest, tag="chips"),
    Endpoint("GET", _COUNTS, waiting, "See who has counted a tray", CountList, tag="chips"),
)
