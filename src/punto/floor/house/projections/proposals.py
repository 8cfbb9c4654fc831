"""Proposals as they are stored: what one person wants done, and what another decided about it."""

from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.clock import DAY_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projection import NOT_SAID, Operation, Projection, Put, Stored, Uncompared, Update, Values
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.command_ids import PROPOSAL_ID
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import FloorRestored, HouseEvent, ProposalApproved, ProposalDeclined, ProposalMade
from punto.floor.names.names import fold
from punto.rules.refusals import Clause
from punto.table.records.positions import Position

MAX_AGE_US = DAY_US
"""After this nobody can approve it."""


class ProposalState(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    DECLINED = "declined"


class Proposal(Struct, frozen=True):
    id: str
    table: str
    """Empty for an act of the house."""
    stream: str
    """Where the entries of a table's command have to be."""
    body: str
    """The command or act as JSON."""
    events: str
    """The events of the preview as JSON; an empty list for an act of the house."""
    positions: str
    """Those that may approve it, from the lowest to the highest, with commas between them."""
    by: str
    position: str
    at_us: int
    happened_at_us: int
    """Unix time in microseconds, if it happened earlier; else 0."""
    state: str = ProposalState.OPEN
    decided_by: str = ""
    decided_us: int = 0
    reason: str = ""
    """Why it was declined."""

    @property
    def command_id(self) -> str:
        return f"{PROPOSAL_ID}{self.id}"

    @property
    def fields(self) -> dict[str, Any]:
        """The command or act as it was proposed."""
        return msgspec.json.decode(self.body, type=dict[str, Any])

    @property
    def shown_events(self) -> tuple[dict[str, Any], ...]:
        """The events that its preview showed, as their readers got them."""
        return msgspec.json.decode(self.events, type=tuple[dict[str, Any], ...])

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Those that its events cite, each once."""
        return tuple(dict.fromkeys(clause for event in self.shown_events for clause in event.get("clauses", ())))

    @property
    def what(self) -> str:
        """The tag of the command or act."""
        return str(self.fields["command" if self.table else "act"])

    @property
    def may_approve(self) -> tuple[Position, ...]:
        return tuple(map(Position, self.positions.split(",")))

    def is_by(self, name: str) -> bool:
        return fold(name) == fold(self.by)

    def lapsed(self, now_us: int) -> bool:
        return self.state == ProposalState.OPEN and now_us - self.at_us > MAX_AGE_US

    @property
    def content(self) -> str:
        """SHA-256 over what was proposed and shown, one field per line."""
        return sha256("\n".join(map(str, astuple(self)[:_DECIDED])).encode()).hexdigest()

    @property
    def made(self) -> Stored:
        """The event that proposes it, with what is stored of it."""
        columns = dict(zip(_STORED, astuple(self)[2:_DECIDED], strict=True))
        return Stored(ProposalMade(self.id, self.table, self.what, self.content), columns)


_DECIDED = Proposal.__struct_fields__.index("state")
_COLUMNS = (
    "id, at_table, stream, body, events, positions, actor, position, at_us, happened_at_us, state, decided_by,"
    " decided_us, reason"
)


_STORED = ("stream", "body", "events", "positions", "actor", "position", "at_us", "happened_at_us")


class ProposalsTable(Projection):
    table = "proposals"
    thing = "proposal"
    fault = FaultCode.PROPOSAL_DIFFERS
    key = ("id",)
    derived = ("at_table", "state", "decided_by", "decided_us", "reason")
    committed = ("content",)
    stored = _STORED
    kinds = (ProposalMade, ProposalApproved, ProposalDeclined, FloorRestored)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:
        declined = {"state": ProposalState.DECLINED, "decided_by": entry.actor}
        match event:
            case ProposalMade():
                undecided = {"state": ProposalState.OPEN, "decided_by": "", "decided_us": 0, "reason": ""}
                yield Put({"id": event.proposal, "at_table": event.table, "content": event.content, **undecided})
            case ProposalApproved():
                decided = {"state": ProposalState.APPROVED, "decided_by": entry.actor, "decided_us": entry.at_us}
                yield Update({"id": event.proposal, "state": ProposalState.OPEN}, decided)
            case ProposalDeclined():
                decided = {**declined, "decided_us": event.at_us or NOT_SAID, "reason": event.reason}
                yield Update({"id": event.proposal, "state": ProposalState.OPEN}, decided)
            case FloorRestored():  # what was declined after the backup must not be approved, so nothing open is
                by_house = {**declined, "decided_by": THE_HOUSE.name, "decided_us": Uncompared(entry.at_us)}
                yield Update({"state": ProposalState.OPEN}, by_house, needed=False)

    def compared(self, row: dict[str, Any]) -> Values:
        kept = [row[column] for column in _COLUMNS.split(", ")]
        return {**row, "content": Proposal(*kept).content}


def find_proposal(transaction: Transaction, proposal_id: str) -> Proposal | None:
    rows = transaction.rows(f"SELECT {_COLUMNS} FROM proposals WHERE id = ?", (proposal_id,))  # noqa: S608 - our own
    return Proposal(*rows[0]) if rows else None


def find_given(transaction: Transaction, command_id: str) -> Proposal | None:
    """The proposal that an accepted command was given by."""
    return find_proposal(transaction, command_id.removeprefix(PROPOSAL_ID))


def open_proposals(transaction: Transaction, since_us: int) -> list[Proposal]:
    """Those made since then that nobody has decided, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM proposals WHERE state = ? AND at_us >= ? ORDER BY at_us, id"  # noqa: S608 - our own
    return [Proposal(*row) for row in transaction.rows(sql, (ProposalState.OPEN, since_us))]


def require_open(transaction: Transaction, proposal_id: str) -> None:
    """Refuse one that is no longer open."""
    proposal = find_proposal(transaction, proposal_id)
    if proposal is None or proposal.state != ProposalState.OPEN:
        raise over(proposal)


def over(proposal: Proposal | None) -> FloorRefused:
    """Nobody can approve or decline it any more."""
    if proposal is None:
        return FloorRefused(FloorCode.UNKNOWN_PROPOSAL)
    if proposal.state == ProposalState.OPEN:
        return FloorRefused(FloorCode.PROPOSAL_OVER, variant="lapsed", hours=MAX_AGE_US // (DAY_US // 24))
    approved = proposal.state == ProposalState.APPROVED
    return FloorRefused(FloorCode.PROPOSAL_OVER, variant="approved" if approved else "declined", by=proposal.decided_by)
