"""What every page has around it, and what every address may ask for."""

from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.structs import asdict

from punto.catalogue.sentence import knows
from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position
from punto.web.http.endpoint import HttpRequest
from punto.web.messages import RequestBody
from punto.web.pages.base.i18n import Translator
from punto.web.pages.base.templates import Context


class PlainAsked(RequestBody, frozen=True):
    """A page that can be asked for in another language and nothing else."""

    lang: str | None = None
    """The language, from now on."""


class Visitor(Struct, frozen=True):
    """Who looks at a page."""

    name: str
    position: Position | None


class PageLayout(Struct, frozen=True, kw_only=True):
    """What stands around a page."""

    who: Visitor | None
    """None: not signed in."""
    here: str
    """Which of the pages it is."""
    path: str
    odds: bool
    """Whether there are pages of odds."""
    also: str = ""
    """The rest of the query, for the links that switch the language."""


class PageContext(Context, frozen=True, kw_only=True):
    """The context of a whole page: its template may use the names of the layout too."""

    layout: PageLayout

    def names(self) -> dict[str, Any]:
        """The layout's and its own."""
        own = asdict(self)
        del own["layout"]
        return asdict(self.layout) | own


def layout_of(call: HttpRequest, here: str, path: str) -> PageLayout:
    """The layout of a page that is asked for."""
    return PageLayout(
        who=visitor(call.actor), here=here, path=path, odds=call.service.config.odds, also=rest_of_query(call)
    )


def visitor(actor: Actor | None) -> Visitor | None:
    """Who looks, where they are signed in."""
    return Visitor(actor.name, actor.position) if actor else None


def rest_of_query(call: HttpRequest) -> str:
    """What the address asks for besides its language, as the switch between the languages hands it on."""
    asked = {name: value for name, value in asdict(call.query).items() if name != "lang" and value}
    return f"&{urlencode(asked)}" if asked else ""


def now_ms(call: HttpRequest) -> int:
    """The server's time, from which a page counts down."""
    return call.service.floor.clock.now_us() // 1_000


def table_path(table: str, page: str = "") -> str:
    """The address of a table, or of one of its pages, whatever the table is called."""
    return f"/tables/{quote(table, safe='')}{f'/{page}' if page else ''}"


def kind_of_game(book: str, t: Translator) -> str:
    """Which kind of baccarat a game is, where its name does not say so; empty otherwise."""
    return t(f"book_kind.{book}") if knows(f"book_kind.{book}") else ""
