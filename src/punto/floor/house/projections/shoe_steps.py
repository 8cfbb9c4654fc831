"""The table ``shoe_steps``: the life of real shoes."""

from collections.abc import Iterable

from punto.floor.house.projection import Operation, Projection, Put
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.pit_events import ShoeStepTaken


class ShoeStepsTable(Projection):
    table = "shoe_steps"
    thing = "step of the shoes"
    fault = FaultCode.SHOE_STEPS_DIFFER
    key = ("place",)
    derived = ("shoe", "step", "at_us", "actor", "at_table", "problem", "note", "decks", "maker", "batch")
    ordered = "id"
    kinds = (ShoeStepTaken,)

    def apply(self, event: ShoeStepTaken, entry: Entry) -> Iterable[Operation]:
        row = (
            *(event.shoe, event.step, entry.at_us, entry.actor, event.table),
            *(event.problem, event.note, event.decks, event.maker, event.batch),
        )
        yield Put(dict(zip(self.derived, row, strict=True)))
