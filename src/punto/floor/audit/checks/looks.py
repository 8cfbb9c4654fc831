"""Compares the record of who looked at whose figures with the house's stream."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.database.base import Row


def check_looks(recorded: Sequence[Row], stored: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    """The rows that only one of the two has, by their version in the house's stream."""
    if differing := sorted({row[0] for row in {*recorded} ^ {*map(tuple, stored)}}):
        more = f" (and {len(differing) - 1} more)" if len(differing) > 1 else ""
        words = f"the table `looks` differs from the house's stream in its entry {differing[0]}{more}"
        yield FaultCode.LOOKS_DIFFER, words
