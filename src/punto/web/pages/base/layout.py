"""The frame around every page, and the query that every page takes."""

from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.structs import asdict

from punto.catalogue.sentence import Language, knows
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.journal.actor import Actor
from punto.floor.people.stops import OF_PEOPLE, as_seen
from punto.floor.running.floor import Floor
from punto.table.records.positions import STAFF, SUPERVISOR_UP, Position
from punto.web.http.endpoint import HttpRequest
from punto.web.messages import RequestBody
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.templates import Context
from punto.web.words.stop_words import stop_words

MAY_SEE_PIT = SUPERVISOR_UP | {Position.AUDITOR}


class PageQuery(RequestBody, frozen=True):
    """The query of a page that has no parameters except the language."""

    lang: str | None = None
    """The language to use from now on."""


class Visitor(Struct, frozen=True):
    """The person who looks at a page."""

    name: str
    position: Position | None
    table: str = ""
    """The title of the table where they are on duty; empty: nowhere."""
    terminal: str = ""
    """The terminal that they use; empty: none."""

    @property
    def is_staff(self) -> bool:
        return self.position is not Position.PLAYER

    @property
    def works_at_tables(self) -> bool:
        return works_at_tables(self.position)

    @property
    def sees_pit(self) -> bool:
        return self.position in MAY_SEE_PIT

    @property
    def audits(self) -> bool:
        return self.position in MAY_AUDIT

    @property
    def runs_tables(self) -> bool:
        return self.position in STAFF


MAX_SHOWN_PEOPLE = 2
"""Of more who are stopped, the banner says only how many they are."""


class ShownStop(Struct, frozen=True):
    """A stop of gaming that is in force, in the reader's language."""

    words: str
    reason: str
    """Empty if the reader may not know it."""
    by: str


class StopBanner(Context, frozen=True, kw_only=True):
    """What is stopped, above every page of the staff."""

    template = "stops/banner.html"
    stopped: tuple[ShownStop, ...]
    who: Visitor


class PageLayout(Struct, frozen=True, kw_only=True):
    who: Visitor | None
    """None: not signed in."""
    here: str
    """The id of the page in the navigation."""
    path: str
    odds: bool
    """Whether odds pages are enabled."""
    locked: str = ""
    """The name of the person whose session is locked; empty: nobody's. The page then shows what anybody sees."""
    on_terminal: bool = False
    """Whether it is what the terminal shows at which the session was opened: its lock asks and hides nothing."""
    shown_locked: bool = False
    """Whether the session is locked, and the page is shown all the same, on the screen of its terminal."""
    by_pin: bool = False
    """Whether the browser is a terminal, where a PIN may unlock it."""
    also: str = ""
    """The query without ``lang``, for the links that switch the language."""
    zone: str = ""
    """The zone of the times on the page, which its foot names; empty if it has none."""
    stopped: tuple[ShownStop, ...] = ()
    """What is stopped, for staff; empty for everybody else."""


class PageContext(Context, frozen=True, kw_only=True):
    """The context of a whole page. Its template can also use the fields of the layout."""

    layout: PageLayout

    def names(self) -> dict[str, Any]:
        own = asdict(self)
        del own["layout"]
        return asdict(self.layout) | own


def layout_of(call: HttpRequest, here: str, path: str, zone: str = "") -> PageLayout:
    return PageLayout(
        who=visitor(call.actor, call.service.floor.title_of(call.at_table), call.terminal),
        here=here,
        path=path,
        odds=call.service.config.odds,
        locked=call.locked,
        on_terminal=call.on_terminal,
        shown_locked=call.shown_locked,
        by_pin=bool(call.terminal),
        also=rest_of_query(call),
        zone=zone,
        stopped=shown_stops(call.service.floor, call.actor, call.language),
    )


def shown_stops(floor: Floor, actor: Actor | None, language: Language) -> tuple[ShownStop, ...]:
    if actor is None or actor.position is Position.PLAYER:
        return ()
    t = TRANSLATORS[language]
    people = [stop for stop in floor.stops.all if stop.scope in OF_PEOPLE]
    many = len(people) > MAX_SHOWN_PEOPLE  # they may be stopped for years, and a console has no room for them
    seen = (as_seen(stop, actor.position) for stop in floor.stops.all if not (many and stop.scope in OF_PEOPLE))
    shown = [ShownStop(stop_words(stop, t), stop.reason, stop.by) for stop in seen]
    if floor.database.write_fault is not None:
        shown.insert(0, ShownStop(t("cannot_write"), "", ""))
    return (*shown, ShownStop(t("stop.people", people=len(people)), "", "")) if many else tuple(shown)


def works_at_tables(position: Position | None) -> bool:
    """Whether somebody lands at their table or at the list of tables."""
    return position in (*STAFF, Position.AUDITOR)


def visitor(actor: Actor | None, table: str = "", terminal: str = "") -> Visitor | None:
    return Visitor(actor.name, actor.position, table, terminal) if actor else None


def rest_of_query(call: HttpRequest) -> str:
    """The query without ``lang``, to append to the links that switch the language."""
    query = call.query if isinstance(call.query, dict) else asdict(call.query)
    parameters = {name: value for name, value in query.items() if name != "lang" and value}
    return f"&{urlencode(parameters)}" if parameters else ""


def now_ms(call: HttpRequest) -> int:
    """The server's time, for countdowns in the browser."""
    return call.service.floor.clock.now_us() // 1_000


def table_path(table: str, page: str = "") -> str:
    """The address of a table, or of one of its pages. Escapes the name."""
    return f"/tables/{quote(table, safe='')}{f'/{page}' if page else ''}"


def kind_of_game(book: str, t: Translator) -> str:
    """The kind of baccarat, if the name of the game does not say it; else empty."""
    return t(f"book_kind.{book}") if knows(f"book_kind.{book}") else ""
