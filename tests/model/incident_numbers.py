"""The incidents of a table, followed command by command."""

from punto.floor.journal.incidents import GivenCommand, IncidentFold, IncidentWait, find_incident
from punto.table.records import corrections
from punto.table.records.commands import Command
from punto.table.records.events import Event
from punto.table.records.findings import IrregularityRaised, IrregularityReported, LateBetRefused, Ruled, ShoeTakenOff
from punto.table.records.state import Phase, Table

CORRECTIONS = tuple(
    kind
    for kind in vars(corrections).values()
    if isinstance(kind, type) and issubclass(kind, Command) and kind is not Command
)
ALWAYS = (IrregularityRaised, IrregularityReported, Ruled, LateBetRefused)
"""Events that always belong to an incident."""


class NumberedIncidents:
    def __init__(self) -> None:
        self.fold = IncidentFold()
        self._version = 1

    def take(self, before: Table, after: Table, command: Command, events: tuple[Event, ...]) -> None:
        """Number what the command starts, and compare what waits with the table."""
        if before.phase is Phase.CLOSED:  # another opening
            self.fold = IncidentFold()
        step = GivenCommand(before, after, events, self._version, 0)
        self._version += len(events)
        known = list(self.fold.incidents.values())
        started = len(known) + 1
        expected = find_incident(known, step) if step.concerns_incidents else None
        number = 0 if expected is None else expected.number or started
        self.fold.take(step, number)
        if any(isinstance(event, ALWAYS) for event in events):
            assert number, events
        if isinstance(command, CORRECTIONS) and number == started:
            assert any(isinstance(event, IrregularityRaised) for event in events), "a correction is no incident"
        if number:
            assert self.fold.incidents[number].last == self._version - 1
        self._compare(after, events)

    def _compare(self, table: Table, events: tuple[Event, ...]) -> None:
        """Whatever stops the table is an open incident, and nothing else is open."""
        waits = [wait for incident in self.fold.incidents.values() for wait in incident.waits]
        assert len(waits) == len(set(waits)), "two incidents wait for the same"
        now, stopped = table.round, set[IncidentWait]()
        if now is not None:
            wrong = now.irregularities
            stopped |= {IncidentWait.REPORT} if wrong.raised is not None else set()
            stopped |= {IncidentWait.CHOICES} if wrong.options is not None else set()
            stopped |= {IncidentWait.ORDER} if wrong.order_lost else set()
        stopped |= {IncidentWait.RESUME} if table.restart is not None else set()
        assert set(waits) - {IncidentWait.SHOE} == stopped, events
        if any(isinstance(event, ShoeTakenOff) for event in events) and table.shoe is None:
            assert IncidentWait.SHOE in waits
        assert IncidentWait.SHOE not in waits or table.shoe is None
