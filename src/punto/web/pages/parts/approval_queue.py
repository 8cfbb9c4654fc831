"""What waits for somebody who may decide: the tables that call the pit, and the open proposals."""

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.house.projections.proposals import Proposal
from punto.floor.journal.actor import Actor
from punto.table.records.positions import SUPERVISOR_UP
from punto.web.http.context import Service
from punto.web.pages.base.layout import table_path
from punto.web.pages.base.templates import Context, compile_templates, render, rendered
from punto.web.pages.parts.pit_calls import ShownCall, open_call
from punto.web.pages.parts.proposals import ProposalPiece, show_proposal
from punto.web.views.visibility import Sight


class CallingTable(Struct, frozen=True):
    title: str
    path: str
    call: ShownCall


class QueuePiece(Context, frozen=True, kw_only=True):
    template = "approvals/queue.html"
    calls: tuple[CallingTable, ...]
    """The tables that call the pit."""
    proposals: list[Markup]


async def draw_queue(
    service: Service,
    by: Actor,
    proposals: Sequence[Proposal],
    language: Language,
    calls: tuple[CallingTable, ...] = (),
) -> str:
    await compile_templates(QueuePiece, ProposalPiece)
    shown = [await show_proposal(service, by, each, language) for each in proposals]
    pieces = [rendered(render(ProposalPiece(proposal=each), language)) for each in shown]
    return render(QueuePiece(calls=calls, proposals=pieces), language)


async def calls_for(service: Service, by: Actor, only: str = "") -> tuple[CallingTable, ...]:
    """The tables that call the pit, for those who may answer; of one table, if it is named."""
    if by.position not in SUPERVISOR_UP:
        return ()
    names = [name for name, live in service.floor.tables.items() if live.state.pit_call is not None]
    found, day = list[CallingTable](), await service.floor_view.gaming_day()
    for name in sorted(name for name in names if only in ("", name)):
        view = await (await service.table_caches.of(name)).view(Sight.STAFF)
        if (call := open_call(view, day)) is not None:
            found.append(CallingTable(view.table_title, table_path(name), call))
    return tuple(sorted(found, key=lambda table: table.call.since))
