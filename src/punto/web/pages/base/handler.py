"""Pages at their paths: as the API's endpoints, but what goes wrong is said on a page too."""

from collections.abc import Iterable

from punto.floor.journal.actor import Actor
from punto.web.http.endpoint import HttpRequest
from punto.web.http.handler import YEAR_S, Door
from punto.web.http.language import COOKIE, Reader
from punto.web.messages import Problem
from punto.web.pages.base.layout import PageContext, PageLayout, visitor
from punto.web.pages.base.templates import POLICY, page


class ErrorPage(PageContext, frozen=True, kw_only=True):
    """What went wrong."""

    template = "error.html"
    problem: Problem
    status: int


class PageDoor(Door):
    """A page."""

    policy = POLICY

    def _cookies(self, request: HttpRequest) -> Iterable[str]:
        """A language that was chosen with the switch is kept."""
        if request.query is None or not request.query.lang:  # an address that leads nowhere has no query
            return ()
        return (f"{COOKIE}={request.language}; Path=/; Max-Age={YEAR_S}; SameSite=Strict",)

    async def _refused(self, reader: Reader, actor: Actor | None, problem: Problem, status: int) -> tuple[str, bytes]:
        layout = PageLayout(who=visitor(actor), here="", path="/", odds=self._service.config.odds)
        shown = await page(ErrorPage(layout=layout, problem=problem, status=status), reader.language)
        return shown.kind, shown.body
