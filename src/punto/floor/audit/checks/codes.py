"""Compares the codes of players with those that the house issued: a planted one would be somebody else's chips."""

from collections.abc import Iterator, Mapping, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.people_record import CodeOnRecord
from punto.floor.database.base import Row
from punto.floor.people.accounts.passwords import fingerprint


def check_codes(issued: Mapping[str, CodeOnRecord], rows: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    """A code that is missing can no longer be used, and is no fault."""
    for player, code_hash, table, expires_us in rows:
        if issued.get(player) != CodeOnRecord(fingerprint(str(code_hash)), table, expires_us):
            yield FaultCode.PLAYER_DIFFERS, f"the house issued no such code for the player {player!r}"
