"""Checks the numbers of incidents in the journal, and compares the table `incidents`, which is a cache, with it."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import astuple

from punto.floor.audit.checks.rounds import ADVICE
from punto.floor.audit.faults import Fault, FaultCode, require
from punto.floor.audit.hash_chain import Link
from punto.floor.database.base import Row
from punto.floor.journal.incident_index import IncidentRow
from punto.floor.journal.incidents import GivenCommand, Incident, IncidentFold
from punto.floor.journal.streams import Head
from punto.table.records.events import Event
from punto.table.records.state import Table


class IncidentWatch:
    """Looks at one stream while it is replayed."""

    def __init__(self) -> None:
        self._fold = IncidentFold()
        self.started: dict[int, Link] = {}
        """By number, its first entry."""
        self.unnumbered: list[Link] = []
        """First entries of commands that start an incident without a number, as releases before 0.9.0 wrote them."""

    @property
    def incidents(self) -> Sequence[Incident]:
        return tuple(self._fold.incidents.values())

    def see(self, group: Sequence[Link], before: Table, after: Table, events: Sequence[Event]) -> None:
        """A command, and the table before and after it."""
        first = group[0]
        number = first.context.incident
        expected = self._fold.take(GivenCommand(before, after, events, first.entry.version, first.entry.at_us), number)
        if expected is not None and not expected.number:
            words = f"the incident {number} starts here, but it has started before"
            require(first, number not in self.started, FaultCode.INCIDENTS_DIFFER, words)
            if number:
                self.started[number] = first
            else:
                self.unnumbered.append(first)
            return
        belongs = 0 if expected is None else expected.number
        words = f"the entry belongs to {_name(belongs)}, but it names {_name(number)}"
        require(first, number == belongs, FaultCode.INCIDENTS_DIFFER, words)


def check_numbers(watches: Sequence[IncidentWatch]) -> Iterator[Fault]:
    """Numbers count from 1 over all tables, in the order of writing. The rest cannot be told after the first gap."""
    started = sorted((link.key, number, link) for watch in watches for number, link in watch.started.items())
    for expected, (_, number, link) in enumerate(started, 1):
        if number != expected:
            words = f"the incident here should have the number {expected}, not {number}"
            yield Fault(link.entry.stream, link.entry.version, FaultCode.INCIDENTS_DIFFER, words)
            return
    for link in (link for watch in watches for link in watch.unnumbered):
        if started and link.key > started[0][0]:
            words = "an incident starts here and has no number, but an earlier one has"
            yield Fault(link.entry.stream, link.entry.version, FaultCode.INCIDENTS_DIFFER, words)


def check_incidents(
    heads: Mapping[str, Head], watches: Mapping[str, IncidentWatch], rows: Sequence[Row]
) -> Iterator[Fault]:
    """Compare the rows, which were read at the same moment as the heads.

    ``watches`` are those of the streams without a fault. Rows of the others are not compared.
    """
    faulty = {head.key for stream, head in heads.items() if stream not in watches}
    expected = {
        astuple(IncidentRow.of(each, heads[stream])) for stream, watch in watches.items() for each in watch.incidents
    }
    stored = {row for row in rows if row[1] not in faulty}
    if differing := sorted({str(row[0]) for row in expected ^ stored}, key=lambda text: (len(text), text)):
        more = f" (and {len(differing) - 1} more)" if len(differing) > 1 else ""
        words = f"the table `incidents` differs from the journal in the incident {differing[0]}{more}; {ADVICE}"
        yield Fault("database", None, FaultCode.INCIDENTS_DIFFER, words)


def _name(number: int) -> str:
    return f"the incident {number}" if number else "no incident"
