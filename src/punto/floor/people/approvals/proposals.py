"""One person proposes a command, another looks at what would follow and approves it.

The approver gives the command, in the position they hold then. It is decided afresh, and accepted only if exactly
the events follow that the proposal showed: they are compared in the transaction that writes them.
"""

import re
from typing import Any

import msgspec
from msgspec.structs import replace

from punto.floor.database.base import Duplicate, Transaction
from punto.floor.errors import FloorCode, FloorRefused, id_taken
from punto.floor.house.projection import Stored
from punto.floor.house.projections.accounts import Holder, find_account
from punto.floor.house.projections.duty import OnDuty, find_on_duty
from punto.floor.house.projections.proposals import (
    MAX_AGE_US,
    Proposal,
    ProposalState,
    find_proposal,
    open_proposals,
    over,
    require_open,
)
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, command_record, with_context
from punto.floor.journal.command_ids import find_accepted
from punto.floor.journal.entry import EntryContext, event_of, tag
from punto.floor.journal.event_base import OFFICERS
from punto.floor.journal.house_events import HouseEvent, ProposalApproved, ProposalDeclined
from punto.floor.people.acting import Acting
from punto.floor.people.approvals.signers import require_acts, require_signs, signers
from punto.floor.running.appender import ExtraWork
from punto.floor.running.commands import AUTHORITY, Answer
from punto.floor.running.floor import Floor
from punto.rules.refusals import Refusal
from punto.table.decision import MAX_REASON_LENGTH
from punto.table.preview import shown
from punto.table.records.events import Event
from punto.table.records.positions import DEALER_UP, STAFF, Position
from punto.table.records.reports import ReportLaterError
from punto.table.records.state import Phase
from punto.table.refusals import TableCode

MAX_ID_LENGTH = 80
MAX_OPEN_EACH = 20
"""Of one person, at all tables and of the house: nobody hides a proposal among hundreds."""
_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._:-]{{0,{MAX_ID_LENGTH - 1}}}", re.ASCII)
_OWN_ROUND = tag(ReportLaterError)
"""The command that names an earlier round than the one it is given in."""


PROPOSAL_READERS = frozenset({*STAFF, Position.AUDITOR, *OFFICERS})
"""Who sees open proposals: those of tables, those of the house, or both."""


class Proposals:
    """Proposals of tables' commands. Those of acts of the house are listed and declined here too."""

    def __init__(self, floor: Floor, acting: Acting) -> None:
        self._floor, self._acting = floor, acting
        self._log, self._database = floor.house_log, floor.database

    # ---- proposing

    async def propose(
        self, by: Actor, table: str, proposal_id: str, body: dict[str, Any], happened_at_us: int = 0
    ) -> Proposal | Refusal:
        """Keep a command with what it would lead to. The same id and command again give the same proposal."""
        live = await self._floor.find_table(table)
        await self.require_person(by, DEALER_UP, "propose_command", table)
        earlier = await self.find_earlier(by, proposal_id)
        if earlier is not None:
            return _same(earlier, table, body, happened_at_us)
        body = msgspec.json.decode(encode(body))  # as it is kept and given: people in the same order
        previewed = await self._acting.preview(by, live.setup.name, body, happened_at_us)
        if isinstance(previewed, Refusal):
            return previewed
        if body.get("command") != _OWN_ROUND:
            body = {**body, "round": previewed.round}
        proposal = Proposal(
            proposal_id,
            live.setup.name,
            str(previewed.stream),
            encode(body),
            encode(shown(previewed.events)),
            ",".join(previewed.positions),
            by.name,
            by.position,
            self._floor.clock.now_us(),
            happened_at_us,
        )
        return await self.keep(by, proposal)

    async def find_earlier(self, by: Actor, proposal_id: str) -> Proposal | None:
        """The proposal with this id, if this person has made it. Refused if it is another's, or no id for one."""
        require_proposal_id(proposal_id)
        earlier = await self._database.read(lambda transaction: find_proposal(transaction, proposal_id))
        if earlier is not None and not earlier.is_by(by.name):
            raise id_taken(proposal_id)
        return earlier

    async def keep(self, by: Actor, proposal: Proposal) -> Proposal:
        def change(transaction: Transaction) -> tuple[None, list[Stored]]:
            waiting = open_proposals(transaction, proposal.at_us - MAX_AGE_US)
            if sum(each.is_by(by.name) and self.is_current(each) for each in waiting) >= MAX_OPEN_EACH:
                raise FloorRefused(FloorCode.TOO_MANY_PROPOSALS, most=MAX_OPEN_EACH)
            return None, [proposal.made]

        try:
            await self._log.change(by, change)
        except Duplicate as error:  # the same request twice at once, or somebody else was faster
            earlier = await self._database.read(lambda transaction: find_proposal(transaction, proposal.id))
            if earlier is None or not earlier.is_by(by.name) or earlier.body != proposal.body:
                raise id_taken(proposal.id) from error
            return earlier
        return proposal

    # ---- deciding

    async def approve(self, by: Actor, table: str, proposal_id: str) -> tuple[Proposal, Answer]:
        """Give the proposed command. Again, also by somebody else, it gives the same answer."""
        proposal = await self.require(by, table, proposal_id)
        answer = await self._floor.answer_to(proposal.command_id)
        if answer is None:
            await self.require_approver(by, proposal)
            answer = await self._give(by, proposal)
            if answer.refusal is not None:
                return proposal, answer
        return await self.require(by, table, proposal_id), answer

    async def _give(self, by: Actor, proposal: Proposal) -> Answer:
        context = EntryContext(proposed_by=proposal.by, approved_by=by.name, happened_at_us=proposal.happened_at_us)
        approved = self.approval(by, proposal)

        def as_shown(transaction: Transaction) -> None:
            require_signs(transaction, proposal.by, proposal.at_us, proposal.table, DEALER_UP)
            require_acts(transaction, by, proposal.table, self._floor.clock.now_us())
            accepted = find_accepted(transaction, proposal.command_id)
            entries = accepted.entries if accepted else ()
            if not _is_shown(proposal, entries[0].stream if entries else "", [event_of(entry) for entry in entries]):
                raise FloorRefused(FloorCode.PREVIEW_CHANGED)
            approved(transaction)

        live = await self._floor.find_table(proposal.table)
        live.stale |= self._database.shared  # so that it is decided on what other processes have written, too
        try:
            answer = await self._acting.submit(
                by, proposal.table, proposal.command_id, proposal.fields, context, as_shown
            )
        except FloorRefused:
            if (earlier := await self._floor.answer_to(proposal.command_id)) is None:
                raise
            return earlier  # somebody else was faster
        if answer.refusal is not None and answer.refusal.code not in AUTHORITY:
            raise FloorRefused(FloorCode.PREVIEW_CHANGED, variant="refused", reason=answer.refusal.phrase)
        return answer

    def approval(self, by: Actor, proposal: Proposal) -> ExtraWork:
        """Marks a proposal as approved, in the transaction that carries it out; refused if it is no longer open."""
        context = EntryContext(proposed_by=proposal.by, approved_by=by.name)
        record = with_context(command_record(by, self._floor.clock), context)

        def work(transaction: Transaction) -> None:
            streams.lock_house(transaction)  # so that it stays open until the commit
            require_open(transaction, proposal.id)
            append_house(transaction, record, ProposalApproved(proposal.id, proposal.table, proposal.what))

        return work

    async def decline(self, by: Actor, table: str, proposal_id: str, reason: str) -> Proposal:
        """Decide that nobody approves it. Its proposer can do so, and everybody who could approve it."""
        proposal = await self.require(by, table, proposal_id)
        if not proposal.is_by(by.name):
            await self.require_person(by, frozenset(proposal.may_approve), "decline_proposal", table)
        if not (reason.strip() and reason.isprintable() and len(reason) <= MAX_REASON_LENGTH):
            raise FloorRefused(TableCode.REASON_NEEDED, least=1, most=MAX_REASON_LENGTH)
        if (proposal.state, proposal.decided_by, proposal.reason) == (ProposalState.DECLINED, by.name, reason):
            return proposal
        now_us = self._floor.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            require_open(transaction, proposal_id)
            return None, [ProposalDeclined(proposal_id, proposal.table, proposal.what, reason, now_us)]

        await self._log.change(by, change)
        return replace(proposal, state=ProposalState.DECLINED, decided_by=by.name, decided_us=now_us, reason=reason)

    # ---- reading

    async def list(self, by: Actor, table: str = "") -> list[Proposal]:
        """The open proposals that this person may see, of one table or of all and of the house."""
        await self._log.require(by, PROPOSAL_READERS, "list_proposals", table)
        found, on_duty = await self.all_open(), await self._database.read(find_on_duty)
        own = (each for each in found if table in ("", each.table) and _is_for(by, each, on_duty))
        return [each for each in own if self.shows(by, each)]

    def shows(self, by: Actor, proposal: Proposal) -> bool:
        """Whether it is in the list of this person: they may see it, and its round is not over."""
        return _may_see(by, proposal) and self.is_current(proposal)

    async def all_open(self) -> tuple[Proposal, ...]:
        """Those for everybody, for a page that looks whether they have changed. Not of people who no longer sign."""
        since_us = self._floor.clock.now_us() - MAX_AGE_US

        def work(transaction: Transaction) -> tuple[Proposal, ...]:
            signs = signers(transaction)
            found = open_proposals(transaction, since_us)
            return tuple(
                each
                for each in found
                if signs(each.by, each.at_us, each.table, DEALER_UP if each.table else each.may_approve)
            )

        return await self._database.read(work)

    async def find(self, by: Actor, proposal_id: str) -> Proposal:
        """A proposal that this person may see, open or decided."""
        proposal, on_duty = await self._database.read(
            lambda transaction: (find_proposal(transaction, proposal_id), find_on_duty(transaction))
        )
        if proposal is None or not (_may_see(by, proposal) and _is_for(by, proposal, on_duty)):
            raise FloorRefused(FloorCode.UNKNOWN_PROPOSAL)
        return proposal

    async def require(self, by: Actor, table: str, proposal_id: str) -> Proposal:
        """A proposal of this table, or of the house if ``table`` is empty."""
        proposal = await self.find(by, proposal_id)
        if proposal.table != table:
            raise FloorRefused(FloorCode.UNKNOWN_PROPOSAL)
        return proposal

    def is_current(self, proposal: Proposal) -> bool:
        """Whether a table is still in the round that its proposal was made in."""
        live = self._floor.tables.get(proposal.table)
        if live is None:
            return not proposal.table
        state, fields = live.state, proposal.fields
        stream = live.stream_of(live.openings + 1) if state.phase is Phase.CLOSED else live.stream
        now = state.round.number if state.round else 0
        return str(stream) == proposal.stream and (fields["command"] == _OWN_ROUND or fields["round"] == now)

    # ---- who may

    async def require_person(self, by: Actor, may: frozenset[Position], what: str, table: str) -> None:
        """Refuse machines: somebody with their token would be two people."""
        await self._log.require(by, may, what, table)
        account = await self._database.read(lambda transaction: find_account(transaction, by.name))
        if account is None or account.holder is not Holder.PERSON:
            await self._log.refuse(by, what, FloorRefused(TableCode.NOT_AUTHORISED, variant="proposal"), table)

    async def require_approver(self, by: Actor, proposal: Proposal) -> None:
        """Refuse a proposal that is over, and everybody who may not approve it."""
        if proposal.is_by(by.name):
            await self._log.refuse(by, "approve_proposal", FloorRefused(FloorCode.OWN_PROPOSAL), proposal.table)
        await self.require_person(by, frozenset(proposal.may_approve), "approve_proposal", proposal.table)
        if proposal.state != ProposalState.OPEN or proposal.lapsed(self._floor.clock.now_us()):
            raise over(proposal)


def require_proposal_id(proposal_id: str) -> None:
    """Refuse an id that people cannot give to what they propose or count."""
    if not _ID.fullmatch(proposal_id):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="proposal", most=MAX_ID_LENGTH)


def may_approve(by: Actor, proposal: Proposal) -> bool:
    """Whether this person could approve it now, as far as their position goes."""
    return proposal.state == ProposalState.OPEN and by.position in proposal.may_approve and not proposal.is_by(by.name)


def _may_see(by: Actor, proposal: Proposal) -> bool:
    if by.position is Position.AUDITOR:
        return True
    return by.position in STAFF if proposal.table else by.position in OFFICERS | {*proposal.may_approve}


def _is_for(by: Actor, proposal: Proposal, on_duty: OnDuty) -> bool:
    """Whether it is of the table of a dealer's duty, or their own: it shows what would be on record there."""
    return not proposal.table or proposal.is_by(by.name) or on_duty.lets_act(by, proposal.table)


def _same(earlier: Proposal, table: str, body: dict[str, Any], happened_at_us: int) -> Proposal:
    """The earlier proposal; refused if this one differs. A round that is left out is the one then."""
    fields = earlier.fields
    wanted = {**body, "round": fields["round"]} if body.get("round") is None and "round" in fields else body
    if (earlier.table, fields, earlier.happened_at_us) != (table, wanted, happened_at_us):
        raise id_taken(earlier.id)
    return earlier


def _is_shown(proposal: Proposal, stream: str, events: list[Event]) -> bool:
    return (stream, encode(shown(events))) == (proposal.stream, proposal.events)


def encode(value: object) -> str:
    """JSON that is the same for equal values."""
    return msgspec.json.encode(value, order="deterministic").decode()
