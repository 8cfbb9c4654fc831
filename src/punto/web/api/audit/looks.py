"""Who looked at whose figures, for pit managers and above, and auditors."""

from typing import Annotated

from msgspec import Meta

from punto.floor.people.looks import LookFilter, RecordedLook
from punto.floor.reports.moments import read_period
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody
from punto.web.views.cursors import END

MAX_LOOKS_A_PAGE = 100


class LooksQuery(RequestBody, frozen=True):
    by: str = ""
    """Who looked. Empty: anybody."""
    of: str = ""
    """At whom: the id or place of a player, the name of a dealer, a gaming day or a round. Empty: at anything."""
    day: str | None = None
    """A gaming day, such as `2026-11-17`. Left out: all days."""
    before: Annotated[int, Meta(ge=1, le=END)] | None = None
    """`next` of the page before; without it, the newest."""
    most: Annotated[int, Meta(ge=1, le=MAX_LOOKS_A_PAGE)] = 20


class LookView(Message, frozen=True):
    """Somebody looked at figures. `of` is empty for many people at once, `table` if it was about no single table."""

    version: int
    """In the house's stream."""
    at_us: int
    by: str
    position: str
    what: str
    of: str
    table: str


class LookPage(Message, frozen=True):
    looks: tuple[LookView, ...]
    next: int | None
    """The value of `before` for the next page; null at the end."""


async def list_looks(call: HttpRequest) -> LookPage:
    query = call.query
    period = read_period(await call.service.floor_view.gaming_day(), day=query.day)
    wanted = LookFilter(
        by=query.by,
        of=query.of,
        from_us=period.since_us or 0,
        until_us=period.until_us or END,
        before=query.before or END,
    )
    looks = await call.service.looks.list(call.by, wanted, query.most + 1)
    page = looks[: query.most]
    return LookPage(looks=tuple(map(_view, page)), next=page[-1].version if len(looks) > query.most else None)


def _view(look: RecordedLook) -> LookView:
    return LookView(
        version=look.version,
        at_us=look.at_us,
        by=look.by,
        position=look.position,
        what=look.seen.what,
        of=look.seen.of,
        table=look.seen.table,
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/looks",
        list_looks,
        "Who looked at whose figures, newest first",
        LookPage,
        query=LooksQuery,
        tag="audit",
        cost=EXPENSIVE,
    ),
)
