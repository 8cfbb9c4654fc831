"""Proposals as they are stored: what one person wants done, and what another decided about it."""

from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.clock import DAY_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.command_ids import PROPOSAL_ID
from punto.floor.people.names.names import fold
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


_DECIDED = Proposal.__struct_fields__.index("state")
_COLUMNS = (
    "id, at_table, stream, body, events, positions, actor, position, at_us, happened_at_us, state, decided_by,"
    " decided_us, reason"
)


SELECT_PROPOSALS = f"SELECT {_COLUMNS} FROM proposals ORDER BY id"  # noqa: S608 - our own names


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


def keep_proposal(transaction: Transaction, proposal: Proposal) -> None:
    """Store a new one. Raises ``Duplicate`` if there is one with its id."""
    marks = ", ".join("?" for _ in Proposal.__struct_fields__)
    transaction.many(f"INSERT INTO proposals ({_COLUMNS}) VALUES ({marks})", [astuple(proposal)])  # noqa: S608 - as above


def decide_proposal(
    transaction: Transaction, proposal_id: str, state: ProposalState, by: str, now_us: int, reason: str = ""
) -> None:
    """Approve or decline an open one; refused if it is no longer open."""
    changed = transaction.change(
        "UPDATE proposals SET state = ?, decided_by = ?, decided_us = ?, reason = ? WHERE id = ? AND state = ?",
        (state, by, now_us, reason, proposal_id, ProposalState.OPEN),
    )
    if not changed:
        raise over(find_proposal(transaction, proposal_id))


def end_restored(transaction: Transaction, now_us: int) -> None:
    """In a restored database: what was declined after the backup must not be approved, so nothing open is."""
    transaction.change(
        "UPDATE proposals SET state = ?, decided_by = ?, decided_us = ? WHERE state = ?",
        (ProposalState.DECLINED, THE_HOUSE.name, now_us, ProposalState.OPEN),
    )


def over(proposal: Proposal | None) -> FloorRefused:
    """Nobody can approve or decline it any more."""
    if proposal is None:
        return FloorRefused(FloorCode.UNKNOWN_PROPOSAL)
    if proposal.state == ProposalState.OPEN:
        return FloorRefused(FloorCode.PROPOSAL_OVER, variant="lapsed", hours=MAX_AGE_US // (DAY_US // 24))
    approved = proposal.state == ProposalState.APPROVED
    return FloorRefused(FloorCode.PROPOSAL_OVER, variant="approved" if approved else "declined", by=proposal.decided_by)
