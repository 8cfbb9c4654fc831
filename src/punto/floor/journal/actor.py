"""Who acts on a floor, and how the journal names them."""

from contextvars import ContextVar
from secrets import token_hex
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import Clock
from punto.floor.journal.command_ids import HOUSE_ID
from punto.floor.journal.entry import CommandRecord, EntryContext
from punto.floor.journal.token_bounds import TokenBounds
from punto.table.records.positions import Position
from punto.table.revision import REVISION

TERMINAL: ContextVar[str] = ContextVar("TERMINAL", default="")
"""The id of the terminal that the request being handled comes from; empty: from none."""


class Actor(Struct, frozen=True):
    """A name and a position. Both come from the session, never from the request."""

    name: str
    position: Position
    since_us: int = 0
    """When a visit started: earlier events under the name may be another visitor's. 0 for everybody else."""
    bounds: TokenBounds | None = None
    """Of a machine's token; None for people."""
    table: str = ""
    """The one table where a registered player acts for themselves; empty for everybody else."""


THE_HOUSE = Actor("house", Position.HOUSE)


class AnyActor(Protocol):
    """An :class:`Actor`, or a person who is off duty."""

    @property
    def name(self) -> str: ...

    @property
    def position(self) -> str:
        """A position, or "off"."""


def person_key(by: AnyActor) -> str:
    """Identifies a person. A visitor and an account may have the same name."""
    return f"{'visitor' if by.position == Position.PLAYER else 'account'} {by.name}"


def terminal_of(position: str) -> str:
    """The terminal of whoever acts in this position now. The house is at none, also while it handles a request."""
    return "" if position == Position.HOUSE else TERMINAL.get()


def command_record(by: AnyActor, clock: Clock) -> CommandRecord:
    """For events of the house, which come from no table command."""
    now_us, context = clock.now_us(), EntryContext(REVISION, terminal_of(by.position))
    return CommandRecord(now_us, by.name, by.position, f"{HOUSE_ID}{now_us}:{token_hex(8)}", "", "", context)


def with_context(record: CommandRecord, context: EntryContext) -> CommandRecord:
    """The record with what a context says besides the revision and the terminal, which stay."""
    given = replace(context, revision=record.context.revision, terminal=record.context.terminal)
    return replace(record, context=given)
