"""Compares the house's record of takeovers with the streams of the tables: what was open, and what each voided."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.audit.faults import Fault, FaultCode
from punto.floor.journal.command_ids import RECOVERY_ID
from punto.floor.journal.house_events import HOUSE, TableRecovered
from punto.floor.running.ownership import was_voided
from punto.table.records.events import Event
from punto.table.records.state import Phase, Table

TELLING_REVISION = 4
"""Since this revision of the engine a takeover says what it found and what it voided."""


class Takeover(Struct, frozen=True):
    """An entry of the house's stream."""

    version: int
    revision: int
    event: TableRecovered


class TakeoverWatch:
    """Looks at one stream while it is replayed."""

    def __init__(self, stream: str, takeovers: list[Takeover], shoes: str) -> None:
        self._stream, self._shoes = stream, shoes
        self._takeovers: dict[int, list[Takeover]] = {}
        """By version. A takeover that leaves no entry at the table may be followed by another at the same version."""
        for takeover in takeovers:
            if _tells(takeover):
                self._takeovers.setdefault(takeover.event.version, []).append(takeover)
        self._states: dict[int, Table] = {}
        self._events: dict[int, list[Event]] = {}
        """By version, those of the command that the last takeover there gave."""

    def see(self, version: int, state: Table) -> None:
        """The state after an entry."""
        if version in self._takeovers:
            self._states[version] = state

    def see_command(self, command_id: str, before: int, events: list[Event]) -> None:
        """A command, and the version before it."""
        if command_id == f"{RECOVERY_ID}{self._stream}:{before}":
            self._events[before] = events

    def faults(self) -> Iterator[Fault]:
        for version, takeovers in self._takeovers.items():
            for takeover in takeovers:
                events = self._events.get(version, []) if takeover is takeovers[-1] else []
                if self._expected(takeover.event, events) != takeover.event:
                    words = f"what the takeover of {self._stream!r} found and voided differs from the table's stream"
                    yield Fault(HOUSE, takeover.version, FaultCode.RECOVERY_DIFFERS, words)

    def _expected(self, event: TableRecovered, events: list[Event]) -> TableRecovered | None:
        """The takeover as the table's stream gives it; None if it has no such version."""
        state = self._states.get(event.version)
        if state is None:
            return None
        now = state.round if state.phase in (Phase.BETTING, Phase.DEALING) else None
        found = replace(
            event,
            round_open=now is not None,
            round=now.number if now else 0,
            shoes=self._shoes,
            cards=len(now.cards) if now else 0,
            voided=False,
            returned_minor={},
        )
        return was_voided(found, events)


def _tells(takeover: Takeover) -> bool:
    return bool(takeover.event.shoes) or takeover.revision >= TELLING_REVISION
