"""Metrics in the format of Prometheus."""

import asyncio
from collections import Counter as Counted
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from punto.floor.clock import Clock
from punto.table.records.state import Phase
from punto.web.version_cache import SharedReads

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
        self.messages = Counter("punto_socket_messages", "Messages sent over WebSockets", registry=self._registry)
        self.tables = Gauge("punto_tables", "Tables by phase", ("phase",), registry=self._registry)
        self._reports: SharedReads[None, bytes] = SharedReads()

    async def report(self, clock: Clock, tables: Iterable[Phase]) -> bytes:
        """All metrics, at most ``MAX_AGE_S`` old."""
        return await self._reports.get(clock.steady_s() // MAX_AGE_S, None, lambda: self._write(tables))

    async def _write(self, tables: Iterable[Phase]) -> bytes:
        by_phase = Counted(tables)
        for phase in Phase:
            self.tables.labels(phase.value).set(by_phase[phase])
        return await asyncio.to_thread(generate_latest, self._registry)
