"""Pages at their doors: the same as the API's, but what goes wrong is said on a page too."""

from collections.abc import Mapping

from msgspec import Struct

from punto.floor.running.floor import Actor
from punto.table.records.positions import Position
from punto.web.http.endpoint import HttpRequest
from punto.web.http.handler import Door
from punto.web.messages import Problem
from punto.web.pages.base.i18n import COOKIE, Language, language_of
from punto.web.pages.base.templates import POLICY, render

_YEAR_S = 31_536_000


class Visitor(Struct, frozen=True):
    """Who looks at a page."""

    name: str
    position: Position | None


def language(call: HttpRequest) -> Language:
    """The language of who looks; chosen with the switch, it is kept."""
    asked = getattr(call.query, "lang", None)
    chosen = language_of(call.headers, asked)
    if asked:
        call.cookies.append(f"{COOKIE}={chosen}; Path=/; Max-Age={_YEAR_S}; SameSite=Strict")
    return chosen


def who(actor: Actor | None) -> Visitor | None:
    """Who looks, where they are signed in."""
    return Visitor(actor.name, actor.position) if actor else None


class PageDoor(Door):
    """A page."""

    policy = POLICY

    async def _refused(
        self, headers: Mapping[str, str], actor: Actor | None, problem: Problem, status: int
    ) -> tuple[str, bytes]:
        html = render(
            "error.html",
            language_of(headers),
            problem=problem,
            status=status,
            who=who(actor),
            here="",
            path="/",
        )
        return "text/html; charset=utf-8", html.encode()
