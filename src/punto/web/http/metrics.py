"""Metrics in the format of Prometheus."""

import asyncio
from collections import Counter as Counted
from collections.abc import Iterable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

import punto
from punto.floor.alarms.alarms import Alarms
from punto.floor.alarms.clock_watch import ClockWatch
from punto.floor.audit.head_copies import HeadCopies
from punto.floor.clock import SECOND_US, Clock
from punto.floor.house.alarm import Severity
from punto.floor.house.projections.stops import StopScope
from punto.floor.running.build import build_hash, law_hashes
from punto.floor.running.floor import Floor
from punto.floor.running.gaming_stops import StopsInForce
from punto.floor.version_cache import SharedReads
from punto.table.records.state import Phase

MAX_AGE_S = 1.0
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "punto_http_requests", "Requests answered", ("method", "route", "status"), registry=self._registry
        )
        self.seconds = Histogram(
            "punto_http_request_seconds", "Time to answer", ("route",), buckets=_BUCKETS, registry=self._registry
        )
        self.commands = Counter(
            "punto_commands",
            "Commands given to tables, by outcome",
            ("command", "outcome"),
            registry=self._registry,
        )
        self.sockets = Gauge("punto_sockets", "Open WebSockets", registry=self._registry)
        self.dropped = Counter(
            "punto_sockets_dropped", "WebSockets closed by us, by close code", ("code",), registry=self._registry
        )
        self.clients = Counter(
            "punto_client_mismatches",
            "Requests of clients and pages whose minor version is not the server's",
            ("client",),
            registry=self._registry,
        )
        self.messages = Counter("punto_socket_messages", "Messages sent over WebSockets", registry=self._registry)
        self.tables = Gauge("punto_tables", "Tables by phase", ("phase",), registry=self._registry)
        self.alarms = Gauge("punto_alarms_open", "Alarms to acknowledge", ("severity",), registry=self._registry)
        build = Gauge("punto_build_info", "The running program", ("release", "build"), registry=self._registry)
        build.labels(punto.__version__, build_hash()).set(1)
        laws = Gauge("punto_book_info", "The law of each book", ("book", "law"), registry=self._registry)
        for game, law in law_hashes().items():
            laws.labels(game, law).set(1)
        self._reports: SharedReads[None, bytes] = SharedReads()

    def watch_heads(self, copies: HeadCopies) -> None:
        """Report how the heads are copied to another place."""
        for name, help_text, value in (
            ("punto_heads_copied_timestamp_seconds", "Unix time of the last copy of the heads", _copied_s),
            ("punto_heads_failures", "Copies of the heads that failed", lambda each: each.failures),
            ("punto_heads_contradicted", "Streams that contradict a copy", lambda each: len(each.contradicted)),
        ):
            Gauge(name, help_text, registry=self._registry).set_function(partial(value, copies))

    def watch_floor(self, floor: Floor) -> None:
        """Report how many stops of gaming are in force, and whether anything can be written."""
        gauge = Gauge("punto_gaming_stops", "Stops of gaming in force", ("scope",), registry=self._registry)
        for scope in StopScope:
            gauge.labels(scope.value).set_function(partial(_stops_of, floor.stops, scope))
        fault = Gauge("punto_cannot_write", "1 if the last transaction could not be written", registry=self._registry)
        fault.set_function(lambda: floor.database.write_fault is not None)

    def watch_clocks(self, clocks: ClockWatch) -> None:
        """Report how far the clock of this process is off. It is compared every few seconds."""
        offset = Gauge(
            "punto_clock_offset_seconds",
            "How far the clock of this process is ahead of the database's, of the process furthest off, of the record",
            ("against",),
            registry=self._registry,
        )
        for against, value in (("database", _off_database), ("process", _off_processes), ("record", _off_record)):
            offset.labels(against).set_function(partial(value, clocks))

    async def report(self, clock: Clock, tables: Iterable[Phase], alarms: Alarms) -> bytes:
        """All metrics, at most ``MAX_AGE_S`` old."""
        return await self._reports.get(clock.steady_s() // MAX_AGE_S, None, lambda: self._write(tables, alarms))

    async def _write(self, tables: Iterable[Phase], alarms: Alarms) -> bytes:
        by_severity = Counted(alarm.severity for alarm in await alarms.all_open())
        for severity in Severity:
            self.alarms.labels(str(severity.value)).set(by_severity[severity])
        by_phase = Counted(tables)
        for phase in Phase:
            self.tables.labels(phase.value).set(by_phase[phase])
        return await asyncio.to_thread(generate_latest, self._registry)


def _off_database(clocks: ClockWatch) -> float:
    return clocks.last.own.ahead_us / SECOND_US


def _off_processes(clocks: ClockWatch) -> float:
    offsets = (clocks.last.own.ahead_us - other.ahead_us for other in clocks.last.others)
    return max(offsets, key=abs, default=0) / SECOND_US


def _off_record(clocks: ClockWatch) -> float:
    return -clocks.last.behind_record_us / SECOND_US


def _copied_s(copies: HeadCopies) -> float:
    return copies.copied_us / SECOND_US


def _stops_of(stops: StopsInForce, scope: StopScope) -> int:
    return sum(stop.scope is scope for stop in stops.all)
