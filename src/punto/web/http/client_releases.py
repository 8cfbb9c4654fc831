"""Counts the clients and pages of another release."""

import logging

import punto
from punto.web.http.metrics import Metrics
from punto.web.messages.releases import UNREADABLE, compare_releases

MAX_LOGGED = 100
_LOG = logging.getLogger("punto.web")


class ClientReleases:
    """Counts those of another minor version, and logs each release once."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._logged: set[str] = set()

    def note(self, release: str) -> None:
        """What a client says of itself; empty if it says nothing."""
        if release in ("", punto.__version__) or not (difference := compare_releases(release, punto.__version__)):
            return
        self._metrics.clients.labels(difference).inc()
        if difference != UNREADABLE and release not in self._logged and len(self._logged) < MAX_LOGGED:
            self._logged.add(release)
            _LOG.warning("a client is of another release", extra={"fields": {"client": release}})
