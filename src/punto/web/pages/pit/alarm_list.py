"""The open alarms of the floor, the most severe first."""

from datetime import datetime

from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.alarms.alarm import Alarm
from punto.floor.journal.actor import Actor
from punto.table.records.positions import SUPERVISOR_UP
from punto.web.api.pit.alarms import views_of
from punto.web.http.context import Service
from punto.web.pages.base.layout import table_path
from punto.web.pages.base.templates import Context, compile_templates, render
from punto.web.version_cache import Refreshes, SharedReads
from punto.web.views import floor_view

MAX_SHOWN = 40


class ShownAlarm(Struct, frozen=True):
    number: int
    severity: int
    words: str
    table_title: str
    """Empty if it concerns the floor."""
    path: str
    table: str
    opening: int
    round: int
    at: datetime
    escalated: bool


class AlarmListPiece(Context, frozen=True, kw_only=True):
    template = "pit/alarms.html"
    alarms: tuple[ShownAlarm, ...]
    open: int
    """How many there are, also those that are not shown."""
    acts: bool
    """Whether the reader may acknowledge them."""


class OpenAlarms:
    """Drawn once for all who read the same language and may do the same."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._refreshes = Refreshes(service.floor.clock, lambda: floor_view.REFRESH_S)
        self._open: SharedReads[None, list[Alarm]] = SharedReads()
        self._drawn: SharedReads[tuple[Language, bool], str] = SharedReads()

    async def now(self) -> list[Alarm]:
        """At most ``REFRESH_S`` old, and never older than a change by this process."""
        alarms = self._service.alarms
        return await self._open.get((self._refreshes.version(), alarms.changes), None, alarms.all_open)

    async def draw(self, by: Actor, language: Language) -> str:
        alarms, acts = await self.now(), by.position in SUPERVISOR_UP
        version = tuple((alarm.number, alarm.severity, alarm.escalated_us) for alarm in alarms)
        return await self._drawn.get(version, (language, acts), lambda: self._draw(alarms, language, acts=acts))

    async def _draw(self, alarms: list[Alarm], language: Language, *, acts: bool) -> str:
        await compile_templates(AlarmListPiece)
        day, tables = await self._service.floor_view.gaming_day(), self._service.floor.tables
        shown = tuple(
            ShownAlarm(
                number=view.number,
                severity=view.severity,
                words=view.words,
                table_title=tables[view.table].title if view.table in tables else view.table,
                path=f"/pit{table_path(view.table)}",
                table=view.table,
                opening=view.opening,
                round=view.round,
                at=day.local(view.at_us),
                escalated=view.escalated_us is not None,
            )
            for view in await views_of(self._service, alarms[:MAX_SHOWN], language)
        )
        return render(AlarmListPiece(alarms=shown, open=len(alarms), acts=acts), language)
