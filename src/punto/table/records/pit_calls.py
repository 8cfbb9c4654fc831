"""The dealer calls the pit to the table, and somebody of the pit answers."""

from typing import ClassVar

from msgspec import Struct

from punto.table.records.commands import Command
from punto.table.records.events import Event
from punto.table.records.positions import DEALER_UP, SUPERVISOR_UP, Position


class CallPit(Command, frozen=True, tag="call_pit.1"):
    """Call the pit to the table."""

    may: ClassVar[frozenset[Position]] = DEALER_UP


class AnswerCall(Command, frozen=True, tag="answer_call.1"):
    """Say that somebody of the pit has come, or is on the way."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP


class PitCalled(Event, frozen=True, tag="pit_called.1"):
    """The pit was called to the table."""

    call: int
    """Counted from 1 since the table opened."""
    called_by: str


class CallAnswered(Event, frozen=True, tag="call_answered.1"):
    """Somebody of the pit answered the call."""

    call: int
    answered_by: str


class PitCall(Struct, frozen=True):
    """The last call for the pit."""

    number: int
    """Counted from 1 since the table opened. Its entry in the journal says since when."""
    called_by: str
    answered_by: str = ""
    """Empty while nobody has answered."""
    answered_in: int = 0
    """The round in which it was answered; 0 before the first."""

    @property
    def open(self) -> bool:
        return not self.answered_by
