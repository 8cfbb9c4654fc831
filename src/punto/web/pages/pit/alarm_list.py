"""The open alarms of the floor by event, the most severe first and of these the newest."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.house.alarm import Alarm
from punto.floor.journal.actor import Actor
from punto.floor.people import floor_facts
from punto.floor.version_cache import Refreshes, SharedReads
from punto.table.records.positions import SUPERVISOR_UP
from punto.web.api.pit.alarms import views_of
from punto.web.http.context import Service
from punto.web.messages import AlarmView
from punto.web.pages.base.layout import table_path
from punto.web.pages.base.templates import Context, compile_templates, render

MAX_SHOWN = 40


class ShownAlarm(Struct, frozen=True):
    number: int
    severity: int
    words: str
    at: datetime
    escalated: bool


class AlarmGroup(Struct, frozen=True):
    """What rang for one event: all of a round, or everything of one kind at a table or on the floor."""

    table: str
    table_title: str
    """Empty if it concerns the floor."""
    path: str
    opening: int
    round: int
    alarms: tuple[ShownAlarm, ...]
    """The most severe first, and of these the newest."""

    @property
    def severity(self) -> int:
        return self.alarms[0].severity

    @property
    def numbers(self) -> str:
        return " ".join(str(alarm.number) for alarm in self.alarms)


class AlarmListPiece(Context, frozen=True, kw_only=True):
    template = "pit/alarms.html"
    groups: tuple[AlarmGroup, ...]
    open: int
    """How many alarms there are, also those that are not shown."""
    more: int
    acts: bool
    """Whether the reader may acknowledge them."""


def event_of_alarm(alarm: AlarmView) -> tuple[str, int, int, str]:
    """The same for all alarms that one person can answer with one look."""
    in_round = bool(alarm.table and alarm.round)
    return alarm.table, alarm.opening if in_round else 0, alarm.round, "" if in_round else alarm.kind


def by_event(alarms: Sequence[AlarmView]) -> list[list[AlarmView]]:
    """In the order of the first of each event."""
    groups: dict[tuple[str, int, int, str], list[AlarmView]] = {}
    for alarm in alarms:
        groups.setdefault(event_of_alarm(alarm), []).append(alarm)
    return [*groups.values()]


class OpenAlarms:
    """Drawn once for all who read the same language and may do the same."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._refreshes = Refreshes(service.floor.clock, lambda: floor_facts.REFRESH_S)
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
        views = await views_of(self._service, alarms[:MAX_SHOWN], language)
        groups = tuple(
            AlarmGroup(
                table=first.table,
                table_title=tables[first.table].title if first.table in tables else first.table,
                path=f"/pit{table_path(first.table)}",
                opening=first.opening,
                round=first.round,
                alarms=tuple(
                    ShownAlarm(each.number, each.severity, each.words, day.local(each.at_us), bool(each.escalated_us))
                    for each in group
                ),
            )
            for group in by_event(views)
            for first in group[:1]
        )
        piece = AlarmListPiece(groups=groups, open=len(alarms), more=len(alarms) - len(views), acts=acts)
        return render(piece, language)
