"""The alarms of the pit, for supervisors and above, who acknowledge them, and for auditors."""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from punto.catalogue.sentence import Language
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.alarm import Alarm
from punto.floor.house.projections.alarms import AlarmFilter
from punto.floor.reports.moments import read_period
from punto.table.records.identity import player_number
from punto.web.http.context import Service
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import AcknowledgeRequest, AlarmList, AlarmView, RequestBody
from punto.web.views.cursors import END
from punto.web.words.alarm_words import alarm_words
from punto.web.words.translator import translator

MAX_ALARMS_A_PAGE = 100
_DIGITS = 18
"""Of a number that every database can compare."""


class AlarmsQuery(RequestBody, frozen=True):
    open: bool | None = None
    """Whether they wait: neither acknowledged nor ended with their cause. Left out: all."""
    table: str = ""
    day: str | None = None
    """A gaming day, such as `2026-11-17`."""
    before: Annotated[int, Meta(ge=1, le=END)] | None = None
    """Null: from the newest."""
    most: Annotated[int, Meta(ge=1, le=MAX_ALARMS_A_PAGE)] = 20


async def list_alarms(call: HttpRequest) -> AlarmList:
    query = call.query
    period = read_period((await call.service.floor_view.settings()).gaming_day, day=query.day)
    wanted = AlarmFilter(
        open=query.open,
        table=query.table,
        from_us=period.since_us or 0,
        until_us=period.until_us or END,
        before=query.before or END,
    )
    alarms = await call.service.alarms.list(call.by, wanted, query.most + 1)
    page = alarms[: query.most]
    more = len(alarms) > query.most
    return AlarmList(alarms=await views_of(call.service, page, call.language), next=page[-1].number if more else None)


async def views_of(service: Service, alarms: Iterable[Alarm], language: Language) -> tuple[AlarmView, ...]:
    """Alarms as one reader sees them."""
    alarms = list(alarms)
    names = await service.player_names.of(
        frozenset(alarm.subject for alarm in alarms if player_number(alarm.subject) is not None)
    )
    titles = {name: live.title for name, live in service.floor.tables.items()}
    return tuple(_view(service, alarm, names, titles, language) for alarm in alarms)


def _view(
    service: Service, alarm: Alarm, names: dict[str, str], titles: dict[str, str], language: Language
) -> AlarmView:
    live = service.floor.tables.get(alarm.table)
    settings = live.state.settings if live is not None else None
    labels = settings.box_labels if settings is not None else ()
    t = translator(language, at_shuffler=live is not None and live.state.at_shuffler)
    return AlarmView(
        number=alarm.number,
        kind=alarm.kind,
        severity=alarm.severity,
        table=alarm.table,
        opening=alarm.opening,
        round=alarm.round,
        subject=alarm.subject,
        values=alarm.values,
        words=alarm_words(alarm, t, names, labels, titles),
        at_us=alarm.at_us,
        acknowledged_by=alarm.acknowledged_by or None,
        acknowledged_us=alarm.acknowledged_us or None if alarm.acknowledged_by else None,
        ended_us=alarm.ended_us or None,
        note=alarm.note,
        escalated_us=alarm.escalated_us or None,
    )


async def acknowledge(call: HttpRequest) -> AlarmView:
    number = call.path["number"]
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        raise FloorRefused(FloorCode.UNKNOWN_ALARM, number=number[:20])
    alarm = await call.service.alarms.acknowledge(call.by, int(number), call.body.note)
    return (await views_of(call.service, [alarm], call.language))[0]


ENDPOINTS = (
    Endpoint(
        "GET", "/api/alarms", list_alarms, "List alarms, newest first", AlarmList, query=AlarmsQuery, tag="alarms"
    ),
    Endpoint(
        "POST",
        "/api/alarms/{number}/acknowledge",
        acknowledge,
        "Acknowledge an alarm",
        AlarmView,
        AcknowledgeRequest,
        tag="alarms",
    ),
)
