"""Metrics in the format of Prometheus."""

import asyncio
from collections import Counter as Counted
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from punto.floor.clock import Clock
from punto.table.records.state import Phase
from punto.web.version_cache import SharedReads

KEPT_S = 1.0
"""How long they are not written anew."""
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    """The metrics of one server."""

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
            "Commands of tables by what became of them",
            ("command", "outcome"),
            registry=self._registry,
        )
        self.sockets = Gauge("punto_sockets", "Sockets open", registry=self._registry)
        self.dropped = Counter(
            "punto_sockets_dropped", "Sockets dropped by their close code", ("code",), registry=self._registry
        )
        self.told = Counter("punto_socket_messages", "Messages sent over sockets", registry=self._registry)
        self.tables = Gauge("punto_tables", "Tables by phase", ("phase",), registry=self._registry)
        self._written: SharedReads[None, bytes] = SharedReads()

    async def written(self, clock: Clock, tables: Iterable[Phase]) -> bytes:
        """All of them, as they are in this second or were at its beginning."""
        return await self._written.get(clock.steady_s() // KEPT_S, None, lambda: self._write(tables))

    async def _write(self, tables: Iterable[Phase]) -> bytes:
        by_phase = Counted(tables)
        for phase in Phase:
            self.tables.labels(phase.value).set(by_phase[phase])
        return await asyncio.to_thread(generate_latest, self._registry)
