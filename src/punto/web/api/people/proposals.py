"""Proposals: one person proposes a command, another sees what would follow and approves it."""

from punto.floor.house.projections.proposals import Proposal
from punto.floor.journal.actor import Actor, person_key
from punto.floor.people.approvals.proposals import may_approve
from punto.floor.running.late_entry import read_moment
from punto.rules.refusals import Refusal
from punto.web.api.commands import accepted, legal_now
from punto.web.api.previews import preview_of_proposal
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.http.errors import RefusedByTable
from punto.web.messages import (
    ActDone,
    ActRequest,
    Approved,
    ApproveRequest,
    DeclineRequest,
    ProposalList,
    ProposalRequest,
    ProposalView,
)


async def propose(call: HttpRequest) -> ProposalView:
    """Propose a command. It is judged in the lowest position that may give it, and shown with what would follow."""
    request, by, service, table = call.body, call.by, call.service, call.path["table"]
    service.limits.commands.take(person_key(by))
    happened_at_us = 0 if request.happened_at is None else read_moment(request.happened_at)
    with service.limits.accepting(by, call.address):
        proposal = await service.proposals.propose(by, table, request.id, request.command, happened_at_us)
        if isinstance(proposal, Refusal):
            live = service.floor.table(table)
            raise RefusedByTable(proposal, live.rules.id, await legal_now(call, live))
    return await view_of(call, proposal)


async def approve(call: HttpRequest) -> Approved:
    table, service = call.path["table"], call.service
    service.limits.commands.take(person_key(call.by))
    with service.limits.accepting(call.by, call.address):
        proposal, answer = await service.proposals.approve(await decider(call), table, call.path["proposal"])
        given = await accepted(call, answer)
    return Approved(
        proposal=await view_of(call, proposal), cursor=given.cursor, events=given.events, incident=given.incident
    )


async def propose_act(call: HttpRequest) -> ProposalView:
    call.service.limits.commands.take(person_key(call.by))
    return await view_of(call, await call.service.acts.propose(call.by, call.body.id, call.body.act))


async def approve_act(call: HttpRequest) -> ActDone:
    call.service.limits.commands.take(person_key(call.by))
    proposal, secrets = await call.service.acts.approve(await decider(call), call.path["proposal"])
    call.service.floor_view.refresh()
    return ActDone(proposal=await view_of(call, proposal), password=secrets.password, token=secrets.token)


async def decline(call: HttpRequest) -> ProposalView:
    """Also for proposals of the house, which have no table."""
    call.service.limits.commands.take(person_key(call.by))
    by, table = await decider(call), call.path.get("table", "")
    return await view_of(call, await call.service.proposals.decline(by, table, call.path["proposal"], call.body.reason))


async def list_proposals(call: HttpRequest) -> ProposalList:
    """Of one table, or all that the sender may see."""
    table = call.path.get("table", "")
    if table:
        await call.service.floor.find_table(table)
    found = await call.service.proposals.list(call.by, table)
    return ProposalList(proposals=tuple([await view_of(call, proposal) for proposal in found]))


async def decider(call: HttpRequest) -> Actor:
    """Who approves or declines: the sender, or somebody who gives their PIN at the sender's terminal.

    The answer goes to the sender, so they must be somebody who may see it.
    """
    name, pin = call.body.name, call.body.pin
    await call.service.proposals.find(call.by, call.path["proposal"])
    if name is None and pin is None:
        return call.by
    return await call.service.pins.approver(name or "", pin or "", call.terminal)


async def view_of(call: HttpRequest, proposal: Proposal) -> ProposalView:
    fields, lapsed = proposal.fields, proposal.lapsed(call.service.floor.clock.now_us())
    of_table = bool(proposal.table)
    return ProposalView(
        id=proposal.id,
        state="lapsed" if lapsed else proposal.state,
        table=proposal.table or None,
        needs=proposal.may_approve,
        may_approve=not lapsed and may_approve(call.by, proposal),
        proposed_by=proposal.by,
        position=proposal.position,
        at_us=proposal.at_us,
        command=fields if of_table else None,
        round=fields.get("round") if of_table else None,
        happened_at_us=proposal.happened_at_us or None,
        preview=await preview_of_proposal(call.service, proposal, call.language) if of_table else None,
        act=None if of_table else fields,
        decided_by=proposal.decided_by or None,
        decided_us=proposal.decided_us or None,
        reason=proposal.reason or None,
    )


_OF_TABLE, _ALL = "/api/tables/{table}/proposals", "/api/proposals"

ENDPOINTS = (
    Endpoint(
        "POST",
        _OF_TABLE,
        propose,
        "Propose a command",
        ProposalView,
        ProposalRequest,
        status=201,
        tag="proposals",
    ),
    Endpoint("GET", _OF_TABLE, list_proposals, "List the open proposals of a table", ProposalList, tag="proposals"),
    Endpoint("GET", _ALL, list_proposals, "List all open proposals", ProposalList, tag="proposals"),
    Endpoint(
        "POST",
        f"{_OF_TABLE}/{{proposal}}/approve",
        approve,
        "Approve a proposed command",
        Approved,
        ApproveRequest,
        tag="proposals",
    ),
    Endpoint(
        "POST",
        f"{_OF_TABLE}/{{proposal}}/decline",
        decline,
        "Decline a proposed command",
        ProposalView,
        DeclineRequest,
        tag="proposals",
    ),
    Endpoint(
        "POST",
        _ALL,
        propose_act,
        "Propose an act of the house",
        ProposalView,
        ActRequest,
        status=201,
        tag="proposals",
    ),
    Endpoint(
        "POST",
        f"{_ALL}/{{proposal}}/approve",
        approve_act,
        "Approve an act of the house",
        ActDone,
        ApproveRequest,
        tag="proposals",
    ),
    Endpoint(
        "POST",
        f"{_ALL}/{{proposal}}/decline",
        decline,
        "Decline an act of the house",
        ProposalView,
        DeclineRequest,
        tag="proposals",
    ),
)
