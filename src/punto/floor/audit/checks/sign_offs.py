"""Compares the table ``day_sign_offs`` with the house's stream."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.database.base import Row


def check_sign_offs(recorded: Sequence[Row], stored: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    for day in sorted({str(row[0]) for row in {*recorded} ^ {*stored}}):
        yield FaultCode.SIGN_OFFS_DIFFER, f"the sign-offs of {day} are not as the house's stream has them"
