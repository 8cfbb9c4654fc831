"""What one person proposes and another approves."""

from typing import Any

from punto.floor.people.approvals.proposed_acts import AnyAct
from punto.table.records.positions import Position
from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.commands import EventView
from punto.web.messages.previews import PreviewView


class ProposalRequest(RequestBody, frozen=True, omit_defaults=True):
    """A command to propose, with an id that the caller chooses: the same id and command give the same proposal."""

    id: str
    command: dict[str, Any]
    """As in a command."""
    happened_at: str | None = None
    """As in a command."""


class ActRequest(RequestBody, frozen=True):
    """An act of the house to propose. The same id and act again give the same proposal."""

    id: str
    act: AnyAct


class ApproveRequest(RequestBody, frozen=True):
    """Without `name` and `pin` you approve it yourself; with them, that person does so at this terminal."""

    name: str | None = None
    pin: str | None = None


class DeclineRequest(RequestBody, frozen=True):
    """Why nobody approves it; `name` and `pin` as to approve it."""

    reason: str
    name: str | None = None
    pin: str | None = None


class ProposalView(Message, frozen=True):
    """A proposal. It is bound to its command, to the round and to the events of its preview."""

    id: str
    state: str
    """`open`, `approved`, `declined` or `lapsed`."""
    table: str | None
    """Null for an act of the house, which has `act` instead of the fields from `command` to `preview`."""
    needs: tuple[Position, ...]
    """The positions that may approve it."""
    may_approve: bool
    """Whether you may."""
    proposed_by: str
    position: str
    at_us: int
    command: dict[str, Any] | None = None
    round: int | None = None
    happened_at_us: int | None = None
    preview: PreviewView | None = None
    act: dict[str, Any] | None = None
    decided_by: str | None = None
    decided_us: int | None = None
    reason: str | None = None
    """Why it was declined."""


class ProposalList(Message, frozen=True):
    """The open proposals, oldest first."""

    proposals: tuple[ProposalView, ...]


class ActDone(Message, frozen=True):
    """The act was done. A one-time password or a token is given out once: null if the request is repeated."""

    proposal: ProposalView
    password: str | None
    token: str | None


class Approved(Message, frozen=True):
    """The command was given, and its events are stored on disk."""

    proposal: ProposalView
    cursor: Cursor
    events: tuple[EventView, ...]
    incident: int = 0
    """As for a command."""
