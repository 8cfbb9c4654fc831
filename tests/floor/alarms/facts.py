"""Facts for the rules of alarms, from tables that were reached by commands."""

from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from punto.floor.alarms.alarm_facts import AlarmFacts, TableTimes
from punto.floor.alarms.rules import table_alarms
from punto.floor.clock import SECOND_US
from punto.floor.edges.table_edges import TableEdges
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.floor.settings.floor_settings import FloorSettings
from punto.floor.settings.thresholds import Thresholds
from tests.table.tables import Evening

NOW_US = 1_700_000_000_000_000
OFF = Thresholds(**dict.fromkeys(Thresholds.__struct_fields__, 0))
"""No threshold, so that only what a test switches on can ring."""


def only(**thresholds: int) -> FloorSettings:
    """Settings with these thresholds and no others."""
    return FloorSettings(alarms=replace(OFF, **thresholds))


def facts_of(evening: Evening, settings: FloorSettings | None = None, **changes: Any) -> AlarmFacts:
    changes = {"settings": settings or only(), **changes}
    return AlarmFacts("t1", 1, evening.rules, evening.table, changes.pop("now_us", NOW_US), **changes)


def after(seconds: int, **names: Any) -> TableTimes:
    """Times since ``seconds`` before now, by name."""
    return TableTimes(**dict.fromkeys(names, NOW_US - seconds * SECOND_US))


def kinds(due: list[DueAlarm]) -> list[AlarmKind]:
    return [each.kind for each in due]


def rung(evening: Evening, **thresholds: int) -> list[DueAlarm]:
    """What rings at a table with these thresholds and no others."""
    return table_alarms(facts_of(evening, only(**thresholds)))


def edges_of(evening: Evening, **edges: Fraction) -> TableEdges:
    """Edges of the open round, by bet."""
    now = evening.table.round
    assert now is not None
    return TableEdges("t1", now.number, "s1", 0, edges, first_card_known=False)
