"""Compares terminals with those that were enrolled: at a planted one, anybody could try PINs."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.people_record import TerminalOnRecord
from punto.floor.database.base import Row

SELECT_TERMINALS = (
    "SELECT id, key_hash, at_table, title, enrolled_by, enrolled_us, revoked_us FROM terminals ORDER BY id"
)


def check_terminals(enrolled: dict[str, TerminalOnRecord], stored: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    terminals = {
        terminal: TerminalOnRecord(key, table, title, enrolled_by, enrolled_us, bool(revoked_us), revoked_us)
        for terminal, key, table, title, enrolled_by, enrolled_us, revoked_us in stored
    }
    for terminal in sorted(enrolled.keys() | terminals.keys(), key=str):
        if terminal not in enrolled:
            yield FaultCode.TERMINAL_DIFFERS, f"nobody enrolled the terminal {terminal!r}"
        elif terminal not in terminals:
            yield FaultCode.TERMINAL_DIFFERS, f"the terminal {terminal!r} is missing"
        elif enrolled[terminal] != _as_recorded(terminals[terminal], enrolled[terminal]):
            yield FaultCode.TERMINAL_DIFFERS, f"the terminal {terminal!r} is not as it was enrolled or revoked"


def _as_recorded(terminal: TerminalOnRecord, record: TerminalOnRecord) -> TerminalOnRecord:
    """Without the times that the record does not have."""
    enrolled_us = terminal.enrolled_us if record.enrolled_us else 0
    return replace(terminal, enrolled_us=enrolled_us, revoked_us=terminal.revoked_us if record.revoked_us else 0)
