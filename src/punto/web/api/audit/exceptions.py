"""For auditors: what is out of the ordinary, and the heads of all streams."""

from typing import Annotated, Any

from msgspec import Meta, to_builtins

from punto.floor.audit.head_copies import HeadCopies, heads_at
from punto.floor.audit.kept_heads import KeptHeads
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.journal.exceptions import last_exceptions
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody
from punto.web.views.cursors import END

MAX_EXCEPTIONS = 100


class ExceptionsQuery(RequestBody, frozen=True):
    before: Annotated[int, Meta(ge=1, le=END)] | None = None
    """`next` of the page before; without it, the newest."""
    most: Annotated[int, Meta(ge=1, le=MAX_EXCEPTIONS)] = 20


class ExceptionView(Message, frozen=True):
    """An entry of the house's stream that is out of the ordinary."""

    version: int
    at_us: int
    by: str
    position: str
    event: dict[str, Any]
    """As it is recorded, with its tag in `event`."""
    alone: bool
    """Whether one person did what needs two."""


class ExceptionPage(Message, frozen=True):
    """Starts, what they voided, altered shoes, locked accounts, stopped and released bridges, acts by one person."""

    exceptions: tuple[ExceptionView, ...]
    next: int | None
    """The value of `before` for the next page; null at the end."""


class HeadCopiesView(Message, frozen=True):
    """How the server copies the heads to another place."""

    place: str
    """The directory, or the address without its path."""
    every_s: int
    copied_us: int | None
    """When the last copy was made; null if none was."""
    fault: str
    """Why the last try failed; empty if it did not."""
    contradicted: tuple[str, ...]
    """Streams that do not contain what an earlier copy says: their entries were changed or removed."""


class HeadsView(Message, frozen=True):
    """The heads of all streams now, and their copies."""

    heads: KeptHeads
    """As `punto verify --head` reads them."""
    copies: HeadCopiesView | None
    """Null if the server makes none."""


async def exceptions(call: HttpRequest) -> ExceptionPage:
    floor, query = call.service.floor, call.query
    await floor.house_log.require(call.by, MAY_AUDIT, "list_exceptions")
    found = await floor.database.read(lambda tx: last_exceptions(tx, query.before or END, query.most), long=True)
    page = tuple(
        ExceptionView(
            version=one.version,
            at_us=one.at_us,
            by=one.by,
            position=one.position,
            event=to_builtins(one.event),
            alone=one.alone,
        )
        for one in found
    )
    return ExceptionPage(exceptions=page, next=page[-1].version if len(page) == query.most else None)


async def heads(call: HttpRequest) -> HeadsView:
    floor, copies = call.service.floor, call.service.head_copies
    await floor.house_log.require(call.by, MAY_AUDIT, "read_heads")
    now_us, signer = floor.clock.now_us(), floor.database.signer
    public_key = signer.public_key if signer else ""
    kept = await floor.database.read(lambda tx: heads_at(tx, now_us, public_key), long=True)
    return HeadsView(heads=kept, copies=None if copies is None else _copies_view(copies))


def _copies_view(copies: HeadCopies) -> HeadCopiesView:
    return HeadCopiesView(
        place=copies.place,
        every_s=copies.every_s,
        copied_us=copies.copied_us or None,
        fault=copies.fault,
        contradicted=copies.contradicted,
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/exceptions",
        exceptions,
        "List what is out of the ordinary, newest first",
        ExceptionPage,
        query=ExceptionsQuery,
        cost=EXPENSIVE,
        tag="audit",
    ),
    Endpoint(
        "GET",
        "/api/heads",
        heads,
        "Get the heads of all streams, and their copies",
        HeadsView,
        cost=EXPENSIVE,
        tag="audit",
    ),
)
