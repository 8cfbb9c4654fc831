"""The table ``tables``: how each was set up, and what pages call it. Who runs it changes without an event."""

from collections.abc import Iterable

from punto.floor.house.projection import Operation, Projection, Put, Update
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import TableCreated
from punto.floor.journal.pit_events import TableTitled


class TablesTable(Projection):
    """Verify compares the setup with its hash by itself: earlier releases recorded only a part of it."""

    table = "tables"
    thing = "title of the table"
    fault = FaultCode.TABLE_DIFFERS
    key = ("name",)
    derived = ("title",)
    stored = ("setup",)
    volatile = ("held_by",)
    kinds = (TableCreated, TableTitled)

    def apply(self, event: TableCreated | TableTitled, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        if isinstance(event, TableCreated):
            yield Put({"name": event.table, "title": ""})
        else:
            yield Update({"name": event.table}, {"title": event.title})
