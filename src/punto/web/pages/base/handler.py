"""Handles requests for pages. Works as for the API, but errors are pages too."""

from collections.abc import Iterable

from punto.floor.journal.actor import Actor
from punto.web.http.endpoint import HttpRequest
from punto.web.http.handler import YEAR_S, Handler
from punto.web.http.language import COOKIE, Reader
from punto.web.messages import Problem
from punto.web.pages.base.layout import PageContext, PageLayout, visitor
from punto.web.pages.base.templates import POLICY, page


class ErrorPage(PageContext, frozen=True, kw_only=True):
    template = "error.html"
    problem: Problem
    status: int


class PageHandler(Handler):
    policy = POLICY

    def _cookies(self, request: HttpRequest) -> Iterable[str]:
        """Remember a language that was chosen in the address."""
        if request.query is None or not request.query.lang:  # pages that do not exist have no query
            return ()
        return (f"{COOKIE}={request.language}; Path=/; Max-Age={YEAR_S}; SameSite=Strict",)

    async def _refused(self, reader: Reader, actor: Actor | None, problem: Problem, status: int) -> tuple[str, bytes]:
        layout = PageLayout(who=visitor(actor), here="", path="/", odds=self._service.config.odds)
        answer = await page(ErrorPage(layout=layout, problem=problem, status=status), reader.language)
        return answer.kind, answer.body
