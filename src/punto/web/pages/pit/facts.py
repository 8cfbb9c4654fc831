"""What the pit knows of its tables beside their journals: who is on duty, what waits, and where the day began."""

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.edges.table_edges import TableEdges
from punto.floor.house.alarm import Alarm
from punto.floor.house.projections.duty import DutyLine
from punto.floor.house.projections.proposals import Proposal
from punto.floor.people import floor_facts
from punto.floor.settings.thresholds import Thresholds
from punto.floor.version_cache import Refreshes, SharedReads
from punto.table.records.positions import Position
from punto.web.http.context import Service


class TableFacts(Struct, frozen=True):
    """Those of one table."""

    on_duty: tuple[DutyLine, ...] = ()
    assigned: bool = False
    """Whether the floor assigns people to tables."""
    proposals: int = 0
    """How many wait for approval."""
    incidents: int = 0
    """How many are open."""
    alarms: tuple[Alarm, ...] = ()
    """Those that nobody has acknowledged, the most severe first."""
    edges: TableEdges | None = None
    """Of the open round or the next; None also while they are worked out."""
    for_play_money: bool = False
    day_since_us: int = 0
    """When the gaming day began."""

    thresholds: Thresholds = Thresholds()

    def in_positions(self, positions: Collection[Position]) -> tuple[DutyLine, ...]:
        return tuple(line for line in self.on_duty if line.position in positions)


class PitFacts(Struct, frozen=True):
    """Those of the floor, at most ``REFRESH_S`` old."""

    tables: Mapping[str, TableFacts]
    proposals: tuple[Proposal, ...]

    def of(self, table: str) -> TableFacts:
        return self.tables.get(table, _NONE)


_NONE = TableFacts()


class FactReader:
    """Read once for all who look."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._refreshes = Refreshes(service.floor.clock, lambda: floor_facts.REFRESH_S)
        self._reads: SharedReads[None, PitFacts] = SharedReads()
        self._last = PitFacts({}, ())

    async def now(self) -> PitFacts:
        return await self._reads.get(self._refreshes.version(), None, self._read)

    async def _read(self) -> PitFacts:
        service = self._service
        rules, on_duty = await service.floor_view.rules(), await service.floor_view.on_duty()
        proposals = await service.proposals.all_open()
        incidents = await service.floor.database.read(_open_incidents)
        waiting = Counter(each.table for each in proposals if service.proposals.is_current(each))
        settings, now_us = await service.floor_view.settings(), service.floor.clock.now_us()
        day = settings.gaming_day.period(settings.gaming_day.day_of(now_us))
        alarms: dict[str, list[Alarm]] = {}
        for alarm in await service.alarms.all_open():
            alarms.setdefault(alarm.table, []).append(alarm)
        lines: dict[str, list[DutyLine]] = {}
        for line in on_duty.lines:
            lines.setdefault(line.table, []).append(line)
        tables = {
            name: TableFacts(
                on_duty=tuple(lines.get(name, ())),
                assigned=on_duty.counts,
                proposals=waiting[name],
                incidents=incidents.get(name, 0),
                alarms=tuple(alarms.get(name, ())),
                edges=service.edges.known(name),
                for_play_money=rules.for_play_money(name),
                day_since_us=day.since_us or 0,
                thresholds=settings.alarms,
            )
            for name in service.floor.tables
        }
        # what is the same object need not be compared field by field, tile by tile
        known = self._last.tables
        tables = {name: known[name] if known.get(name) == each else each for name, each in tables.items()}
        facts = PitFacts(tables, proposals)
        self._last = self._last if facts == self._last else facts
        return self._last


def _open_incidents(transaction: Transaction) -> dict[str, int]:
    sql = "SELECT at_table, count(*) FROM incidents WHERE waits <> '' GROUP BY at_table"
    rows: list[tuple[str, int]] = transaction.rows(sql)
    return dict(rows)
