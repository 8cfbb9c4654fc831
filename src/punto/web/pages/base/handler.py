"""Pages at their doors: the same as the API's, but what goes wrong is said on a page too."""

from msgspec import Struct

from punto.table.records.positions import Position
from punto.web.http.endpoint import Door, HttpRequest
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


def who(call: HttpRequest) -> Visitor | None:
    """Who looks, where he is signed in."""
    return Visitor(call.actor.name, call.actor.position) if call.actor else None


class PageDoor(Door):
    """A page."""

    policy = POLICY

    def _refused(self, call: HttpRequest, problem: Problem, status: int) -> tuple[str, bytes]:
        html = render(
            "error.html",
            language_of(call.headers),
            problem=problem,
            status=status,
            who=who(call),
            here="",
            path="/",
        )
        return "text/html; charset=utf-8", html.encode()
