"""What is stopped, and the forms to stop and release it."""

from datetime import datetime

from msgspec import Struct

from punto.floor.people.approvals.four_eyes import find_four_eyes
from punto.floor.people.stops import MAY_STOP
from punto.floor.running.stop_store import Stop
from punto.library import book_ids
from punto.table.decision import MAX_REASON_LENGTH
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page
from punto.web.pages.pit.endpoint import require_pit
from punto.web.words.stop_words import stop_words

STOPS_PATH = "/pit/stops"


class StopLine(Struct, frozen=True):
    number: int
    words: str
    reason: str
    by: str
    at: datetime
    released_by: str
    released: datetime
    released_because: str


class StopsPage(PageContext, frozen=True, kw_only=True):
    template = "pit_stops.html"
    in_force: tuple[StopLine, ...]
    over: tuple[StopLine, ...]
    games: tuple[tuple[str, str], ...]
    """Id and title of each, those of this floor's tables first."""
    acts: bool
    by_two: bool
    """Whether somebody else has to approve a release."""
    most: int


async def stops(call: HttpRequest) -> Raw:
    require_pit(call.by)
    t, day = TRANSLATORS[call.language], await call.service.floor_view.gaming_day()
    in_force = await call.service.stops.list(call.by)
    latest = await call.service.stops.list(call.by, released=True)
    eyes = await call.service.floor.database.read(find_four_eyes)
    here = {live.setup.book for live in call.service.floor.tables.values()}
    games = sorted(book_ids(), key=lambda book: (book not in here, book))

    def line(stop: Stop) -> StopLine:
        what = (stop.number, stop_words(stop, t), stop.reason, stop.by, day.local(stop.at_us))
        return StopLine(*what, stop.released_by, day.local(stop.released_us), stop.released_because)

    context = StopsPage(
        layout=layout_of(call, "stops", STOPS_PATH, day.zone),
        in_force=tuple(map(line, in_force)),
        over=tuple(line(stop) for stop in latest if stop.released_us),
        games=tuple((book, t(f"book.{book}")) for book in games),
        acts=call.by.position in MAY_STOP,
        by_two=eyes.needs_second,
        most=MAX_REASON_LENGTH,
    )
    return await page(context, call.language)


ENDPOINTS = (Endpoint("GET", STOPS_PATH, stops, "What is stopped", query=PageQuery),)
