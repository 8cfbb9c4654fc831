"""Compares the table ``proposals`` with the house's stream."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.database.base import Row
from punto.floor.people.approvals.proposal_store import Proposal, ProposalState


def check_proposals(record: HouseRecord, rows: Sequence[Row]) -> Iterator[tuple[FaultCode, str]]:
    """Find proposals that nobody made, or that were changed, decided or removed without a record of it."""
    stored = {proposal.id: proposal for proposal in (Proposal(*row) for row in rows)}
    for name in sorted(record.proposals.keys() | stored.keys(), key=str):
        made, kept = record.proposals.get(name), stored.get(name)
        if made is None:
            yield FaultCode.PROPOSAL_DIFFERS, f"nobody made the proposal {name!r}"
        elif kept is None:
            yield FaultCode.PROPOSAL_DIFFERS, f"the proposal {name!r} is missing"
        elif kept.content != made.content:
            yield FaultCode.PROPOSAL_DIFFERS, f"the proposal {name!r} is not the one that was made"
        elif (kept.state, kept.decided_by, kept.reason) != (made.state, made.decided_by, made.reason):
            yield (
                FaultCode.PROPOSAL_DIFFERS,
                f"the house's stream does not say that the proposal {name!r} was decided so",
            )
        elif made.decided_us not in (0, kept.decided_us) or (made.state == ProposalState.OPEN and kept.decided_us):
            yield FaultCode.PROPOSAL_DIFFERS, f"the proposal {name!r} was not decided then"
