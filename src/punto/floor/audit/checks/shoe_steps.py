"""Compares the lives of real shoes with the house's stream."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from punto.floor.audit.faults import FaultCode
from punto.floor.database.base import Row


def check_shoe_steps(recorded: Sequence[Row], stored: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    """The first step that differs: those after it are out of step as well."""
    for number, (on_record, row) in enumerate(zip_longest(recorded, stored), 1):
        if on_record is None or row is None or tuple(on_record) != tuple(row):
            yield FaultCode.SHOE_STEPS_DIFFER, f"step {number} of the shoes is not as the house's stream has it"
            return
