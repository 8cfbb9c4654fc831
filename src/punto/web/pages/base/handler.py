"""Handles requests for pages. Works as for the API, but errors are pages too."""

from collections.abc import Iterable
from urllib.parse import parse_qsl

from msgspec.structs import replace

from punto.floor.journal.actor import TERMINAL
from punto.table.records.positions import Position
from punto.web.http.endpoint import Endpoint, HttpRequest, Receive, Scope
from punto.web.http.handler import YEAR_S, Failure, Handler
from punto.web.http.language import COOKIE, known_language
from punto.web.messages import Problem
from punto.web.pages.base.layout import PageContext, PageLayout, visitor
from punto.web.pages.base.templates import POLICY, page


class ErrorPage(PageContext, frozen=True, kw_only=True):
    template = "error.html"
    problem: Problem
    status: int


class PageHandler(Handler):
    policy = POLICY
    for_people = True
    compresses = True

    async def _read(
        self, method: str, headers: dict[str, str], scope: Scope, receive: Receive
    ) -> tuple[Endpoint, HttpRequest]:
        """Pages also say where somebody is on duty."""
        endpoint, request = await super()._read(method, headers, scope, receive)
        if request.actor is None or request.actor.position is Position.PLAYER:
            return endpoint, request
        tables = (await self._service.floor_view.on_duty()).tables_of(request.actor.name)
        return endpoint, replace(request, at_table=tables[0]) if tables else request

    def _chosen_language(self, scope: Scope) -> str | None:
        """Also for a page that does not exist, and where other parameters are refused."""
        return dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("lang")

    def _cookies(self, request: HttpRequest) -> Iterable[str]:
        """Remember a language that was chosen in the address."""
        language = known_language(request.chosen_language)
        return (f"{COOKIE}={language}; Path=/; Max-Age={YEAR_S}; SameSite=Strict",) if language else ()

    async def _refused(self, failure: Failure) -> tuple[str, bytes]:
        layout = PageLayout(
            who=visitor(failure.actor),
            here="",
            path="/",
            odds=self._service.config.odds,
            locked=failure.locked,
            by_pin=bool(TERMINAL.get()),
        )
        error = ErrorPage(layout=layout, problem=failure.problem, status=failure.status)
        answer = await page(error, failure.reader.language)
        return answer.kind, answer.body
