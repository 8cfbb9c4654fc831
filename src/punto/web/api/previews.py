"""What a command would lead to, in figures and in words, before anybody gives it."""

import asyncio

from punto.catalogue.sentence import Language
from punto.floor.errors import FloorRefused
from punto.floor.house.projections.proposals import Proposal, ProposalState
from punto.floor.journal.actor import Actor, person_key
from punto.floor.people.approvals.proposals import encode
from punto.floor.running.commands import Previewed
from punto.floor.running.late_entry import read_moment
from punto.floor.running.live_table import LiveTable
from punto.rules.refusals import Refusal
from punto.table.consequences import consequences
from punto.table.preview import shown
from punto.table.records.positions import DEALER_UP, Position
from punto.table.records.state import Table
from punto.web.api.commands import legal_now
from punto.web.http.context import Service
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.http.errors import RefusedByTable
from punto.web.messages import ConsequencesView, PreviewRequest, PreviewView
from punto.web.views.visibility import without_tray
from punto.web.words.consequence_words import registered_in, tell
from punto.web.words.translator import translator


async def preview(call: HttpRequest) -> PreviewView:
    """Look at what a command would lead to, in the lowest position that may give it. No card is shown by it."""
    request, by, service, table = call.body, call.by, call.service, call.path["table"]
    service.limits.commands.take(person_key(by))
    live = await service.floor.find_table(table)
    await service.floor.house_log.require(by, DEALER_UP, "preview_command", table)
    happened_at_us = 0 if request.happened_at is None else read_moment(request.happened_at)
    previewed = await service.acting.preview(by, table, request.command, happened_at_us)
    if isinstance(previewed, Refusal):
        raise RefusedByTable(previewed, live.rules.id, await legal_now(call, live))
    return await preview_view(service, live, previewed, call.language)


async def preview_view(service: Service, live: LiveTable, previewed: Previewed, language: Language) -> PreviewView:
    table, command = previewed.table, previewed.command
    foreseen = await asyncio.to_thread(consequences, live.rules, table, command)
    assert not isinstance(foreseen, Refusal)  # noqa: S101 - it has been previewed at this very table
    names = await service.player_names.of(registered_in(foreseen))
    labels = table.settings.box_labels if table.settings else ()
    return PreviewView(
        events=tuple(map(without_tray, shown(foreseen.events))),
        clauses=foreseen.clauses,
        consequences=ConsequencesView(**{name: getattr(foreseen, name) for name in ConsequencesView.__struct_fields__}),
        words=tell(foreseen, command, translator(language, at_shuffler=table.at_shuffler), names, labels),
    )


async def preview_of_proposal(service: Service, proposal: Proposal, language: Language) -> PreviewView:
    """What a proposal showed; while exactly that would still follow, with what it means for everybody."""
    live = service.floor.tables.get(proposal.table)
    if live is not None and proposal.state == ProposalState.OPEN:
        by = Actor(proposal.by, Position(proposal.position))
        try:
            previewed = await service.floor.preview(by, proposal.table, proposal.fields, _no_check)
        except FloorRefused:  # it could not be given any more
            previewed = None
        if isinstance(previewed, Previewed) and encode(shown(previewed.events)) == proposal.events:
            return await preview_view(service, live, previewed, language)
    return PreviewView(events=tuple(map(without_tray, proposal.shown_events)), clauses=proposal.clauses)


async def _no_check(_: Table) -> None:
    """The floor has checked it when it was proposed, and checks it again when it is approved."""


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/tables/{table}/preview",
        preview,
        "Look at what a command would lead to",
        PreviewView,
        PreviewRequest,
    ),
)
