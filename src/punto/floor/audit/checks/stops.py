"""Compares the table ``stops`` with the house's stream."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from punto.floor.audit.faults import FaultCode, require
from punto.floor.audit.hash_chain import Link
from punto.floor.database.base import Row
from punto.floor.journal.audit_events import GamingReleased, GamingStopped
from punto.floor.journal.event_base import HouseEvent
from punto.floor.running.stop_store import Stop, StopScope, stop_row


class StopRecord:
    """The stops, as the house's stream has them."""

    def __init__(self) -> None:
        self.stops: dict[int, Stop] = {}
        self.handlers: Mapping[type[HouseEvent], Callable[[Link, Any], None]] = {
            GamingStopped: self._stopped,
            GamingReleased: self._released,
        }

    def _stopped(self, link: Link, event: GamingStopped) -> None:
        possible = event.number == len(self.stops) + 1 and event.scope in {*StopScope}
        words = f"stop {event.number} cannot have been made at this point"
        require(link, possible, FaultCode.STOPS_DIFFER, words)
        what = (StopScope(event.scope), event.of, event.reason)
        self.stops[event.number] = Stop(event.number, *what, link.entry.actor, event.at_us)

    def _released(self, link: Link, event: GamingReleased) -> None:
        stop = self.stops.get(event.number)
        in_force = stop is not None and not stop.released_us
        require(link, in_force, FaultCode.STOPS_DIFFER, f"stop {event.number} was not in force at this point")
        released = self.stops[event.number].released(link.entry.actor, event.at_us, event.reason)
        self.stops[event.number] = released


def check_stops(record: StopRecord, stored: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    recorded = {number: stop_row(stop) for number, stop in record.stops.items()}
    rows = {row[0]: tuple(row) for row in stored}
    for number in sorted(recorded.keys() | rows.keys(), key=repr):  # a forged number may be no number
        if recorded.get(number) != rows.get(number):
            yield FaultCode.STOPS_DIFFER, f"stop {number} is not as the house's stream has it"
