"""What waits for approval: the queue of those who approve, and one proposal with what would follow from it."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from markupsafe import Markup

from punto.catalogue.sentence import Language
from punto.floor.house.projections.proposals import Proposal
from punto.floor.journal.actor import Actor
from punto.floor.people import floor_facts
from punto.floor.people.approvals.proposals import PROPOSAL_READERS
from punto.web.http.context import Service
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.messages import RequestBody
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page, rendered
from punto.web.pages.live.floor_signal import Changed, FloorChanged
from punto.web.pages.parts.approval_queue import calls_for, draw_queue


class ApprovalsPage(PageContext, frozen=True, kw_only=True):
    template = "approvals.html"
    queue: Markup
    live: str
    """Empty for a page of one proposal."""


class ApprovalsQuery(RequestBody, frozen=True):
    lang: str | None = None
    table: str = ""
    """Only proposals of this table; empty for all that the viewer may see."""


class ApprovalsScreen:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._seen: Sequence[Proposal] = ()
        self._changed = FloorChanged(service.floor.tables, self._proposals_changed, lambda: floor_facts.REFRESH_S)

    def changed(self) -> Changed:
        return self._changed.changed()

    async def _proposals_changed(self) -> bool:
        before, self._seen = self._seen, await self._service.proposals.all_open()
        return before != self._seen

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:
        if actor is None or actor.position not in PROPOSAL_READERS:
            return {}
        return {"queue": await self.queue(actor, query.get("table", ""), language)}

    async def queue(self, by: Actor, table: str, language: Language) -> str:
        proposals = await self._service.proposals.list(by, table)
        return await draw_queue(self._service, by, proposals, language, await calls_for(self._service, by, table))


def endpoints(screen: ApprovalsScreen) -> list[Endpoint]:
    async def queue(call: HttpRequest) -> Raw:
        table, language = call.query.table, call.language
        drawn = await screen.queue(call.by, table, language)
        live = f"/live/approvals?{urlencode({'lang': language, 'table': table})}"
        return await _page(call, drawn, "/approvals", live)

    async def one(call: HttpRequest) -> Raw:
        proposal = await call.service.proposals.find(call.by, call.path["proposal"])
        drawn = await draw_queue(call.service, call.by, [proposal], call.language)
        return await _page(call, drawn, f"/approvals/{proposal.id}", "")

    async def _page(call: HttpRequest, drawn: str, path: str, live: str) -> Raw:
        zone = (await call.service.floor_view.gaming_day()).zone
        context = ApprovalsPage(layout=layout_of(call, "approvals", path, zone), queue=rendered(drawn), live=live)
        return await page(context, call.language)

    return [
        Endpoint("GET", "/approvals", queue, "What waits for approval", query=ApprovalsQuery, on_terminals=True),
        Endpoint("GET", "/approvals/{proposal}", one, "One proposal", query=PageQuery),
    ]
