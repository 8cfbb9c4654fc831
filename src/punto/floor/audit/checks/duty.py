"""Compares the table ``duty`` with the house's stream."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.database.base import Row
from punto.floor.journal.house_events import DutyStarted
from punto.floor.people.names.names import fold

SELECT_DUTY = "SELECT folded, name, at_table, position, relieves, from_us, to_us FROM duty"


def check_duty(record: HouseRecord, rows: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    recorded = [(started, 0) for started in record.on_duty.values()] + record.past_duty
    expected = sorted((_row(*each) for each in recorded), key=repr)
    if sorted(map(tuple, rows), key=repr) != expected:
        words = "the table `duty` differs from the assignments and reliefs in the house's stream"
        yield FaultCode.DUTY_DIFFERS, words


def _row(event: DutyStarted, to_us: int) -> tuple[object, ...]:
    return fold(event.name), event.name, event.table, event.position, event.relieves, event.at_us, to_us
