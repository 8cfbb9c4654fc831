"""The table ``looks``: where each look at figures is in the house's stream, and what lists are searched by."""

from collections.abc import Iterable

from punto.floor.house.projection import Operation, Projection, Put
from punto.floor.journal.audit_events import FiguresSeen
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode


class LooksTable(Projection):
    table = "looks"
    thing = "look of entry"
    fault = FaultCode.LOOKS_DIFFER
    key = ("version",)
    derived = ("at_us", "actor", "subject")
    kinds = (FiguresSeen,)

    def apply(self, event: FiguresSeen, entry: Entry) -> Iterable[Operation]:
        row = {"version": entry.version, "at_us": entry.at_us, "actor": entry.actor, "subject": event.of}
        yield Put(row)
