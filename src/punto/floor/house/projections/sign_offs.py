"""The table ``day_sign_offs``: the gaming days that somebody has gone through."""

from collections.abc import Iterable
from datetime import date

from msgspec import Struct
from msgspec.structs import asdict

from punto.floor.database.base import Transaction
from punto.floor.house.projection import Operation, Projection, Put
from punto.floor.journal.audit_events import DaySignedOff
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode


class SignOff(Struct, frozen=True):
    day: str
    name: str
    position: str
    at_us: int
    exceptions: int
    note: str
    version: int
    """Of the entry in the house's stream, which has the heads."""


class SignOffsTable(Projection):
    table = "day_sign_offs"
    thing = "sign-off"
    fault = FaultCode.SIGN_OFFS_DIFFER
    key = ("day", "name")
    derived = SignOff.__struct_fields__[2:]
    kinds = (DaySignedOff,)

    def apply(self, event: DaySignedOff, entry: Entry) -> Iterable[Operation]:
        if event.until_us > event.at_us:
            raise ValueError(event.day)
        who = (entry.actor, entry.position)
        yield Put(asdict(SignOff(event.day, *who, event.at_us, event.exceptions, event.note, entry.version)))


def find_sign_offs(transaction: Transaction, day: date) -> list[SignOff]:
    """Those of a day, the first one first."""
    sql = f"SELECT {', '.join(SignOff.__struct_fields__)} FROM day_sign_offs WHERE day = ? ORDER BY version"  # noqa: S608
    return [SignOff(*row) for row in transaction.rows(sql, (day.isoformat(),))]
