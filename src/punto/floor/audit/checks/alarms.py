"""Compares the table ``alarms`` with the house's stream."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from punto.floor.alarms.alarm import Alarm
from punto.floor.alarms.alarm_store import after_event, alarm_on_record, alarm_row
from punto.floor.audit.faults import FaultCode, fault_found, require
from punto.floor.audit.hash_chain import Link
from punto.floor.database.base import Row
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.pit_events import AlarmAcknowledged, AlarmEnded, AlarmEscalated, AlarmRaised


class AlarmRecord:
    """The alarms as the house's stream has them. Raises where an entry contradicts an earlier one."""

    def __init__(self) -> None:
        self.alarms: dict[int, Alarm] = {}
        self.handlers: dict[type[HouseEvent], Callable[[Link, Any], None]] = {
            AlarmRaised: self._raised,
            AlarmEscalated: self._changed,
            AlarmAcknowledged: self._changed,
            AlarmEnded: self._changed,
        }

    def _raised(self, link: Link, event: AlarmRaised) -> None:
        words = f"the alarm {event.number} cannot have rung at this point"
        require(link, event.number == len(self.alarms) + 1, FaultCode.ALARMS_DIFFER, words)
        self.alarms[event.number] = alarm_on_record(event)

    def _changed(self, link: Link, event: AlarmEscalated | AlarmAcknowledged | AlarmEnded) -> None:
        alarm = self.alarms.get(event.number)
        if alarm is None or not alarm.open:
            words = f"the alarm {event.number} was not open"
            raise fault_found(link.entry.stream, link.entry.version, FaultCode.ALARMS_DIFFER, words)
        self.alarms[event.number] = after_event(alarm, event, link.entry.actor)


def check_alarms(record: AlarmRecord, rows: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    stored = {row[0]: tuple(row) for row in rows}
    for number in sorted(record.alarms.keys() | stored.keys(), key=str):
        alarm, row = record.alarms.get(number), stored.get(number)
        if alarm is None:
            yield FaultCode.ALARMS_DIFFER, f"the alarm {number} never rang"
        elif row is None:
            yield FaultCode.ALARMS_DIFFER, f"the alarm {number} is missing"
        elif row != alarm_row(alarm):
            yield FaultCode.ALARMS_DIFFER, f"the alarm {number} is not as the house's stream has it"
