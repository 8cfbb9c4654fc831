"""Compares the readings in force with those that the house's stream adopted."""

from collections.abc import Iterator, Mapping

import msgspec

from punto.floor.audit.faults import FaultCode


def check_readings(adopted: Mapping[str, int], stored: str) -> Iterator[tuple[FaultCode, str]]:
    """By reading, the version of the entry that last adopted it. Whether there is such a row is known already."""
    if not (stored and adopted):
        return
    try:
        in_force = msgspec.json.decode(stored, type=dict[str, int])
    except msgspec.MsgspecError:
        in_force = None
    if in_force != adopted:
        yield FaultCode.READINGS_DIFFER, "the readings in force differ from those adopted in the house's stream"
