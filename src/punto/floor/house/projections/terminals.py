"""The table ``terminals``: browsers of the house at a table or in the pit."""

from collections.abc import Iterable
from typing import Any

from punto.floor.database.schema import FIRST_RECORDED
from punto.floor.house.projection import NOT_SAID, Delete, Operation, Projection, Put, Uncompared, Update, Values
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import (
    FloorMigrated,
    FloorRestored,
    HouseEvent,
    TerminalEnrolled,
    TerminalRevoked,
)

REVOKED_BY_RESTORE_US = 1


class TerminalsTable(Projection):
    table = "terminals"
    thing = "terminal"
    fault = FaultCode.TERMINAL_DIFFERS
    key = ("id",)
    derived = ("key_hash", "at_table", "title", "enrolled_by", "enrolled_us", "revoked_us")
    committed = ("revoked",)
    kinds = (TerminalEnrolled, TerminalRevoked, FloorMigrated, FloorRestored)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:
        match event:
            case TerminalEnrolled():
                place = {"at_table": event.table, "title": event.title, "enrolled_by": entry.actor}
                times = {"enrolled_us": event.at_us or NOT_SAID, "revoked_us": 0, "revoked": 0}
                yield Put({"id": event.terminal, "key_hash": event.key, **place, **times})
            case TerminalRevoked():
                yield Update({"id": event.terminal}, {"revoked_us": event.at_us or NOT_SAID, "revoked": 1})
            case FloorMigrated() if event.schema == FIRST_RECORDED:  # earlier schemas have none
                yield Delete({})
            case FloorRestored():  # one that was revoked after the backup must not come back, so none does
                over = {"revoked_us": Uncompared(REVOKED_BY_RESTORE_US), "revoked": 1}
                yield Update({"revoked_us": 0}, over, needed=False)

    def compared(self, row: dict[str, Any]) -> Values:
        return {**row, "revoked": int(row["revoked_us"] != 0)}
