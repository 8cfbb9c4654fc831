"""Cards of a physical shoe, posted by a scanner or the bridge of an electronic shoe, and stopped bridges."""

from typing import Annotated

from msgspec import Meta

from punto.floor.errors import FloorRefused
from punto.floor.house.projections.sessions import key_of
from punto.floor.journal.actor import person_key
from punto.floor.journal.token_bounds import TokenWork
from punto.floor.running.bridges import StoppedBridge, list_stopped, release
from punto.floor.running.scanner import COMMAND_NAME, take
from punto.floor.shoes.scan_store import Scan, ScanResult
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.table.refusals import TableCode
from punto.web.api.commands import legal_now
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.http.errors import RefusedByTable
from punto.web.messages import Cursor, EventView, Message, RequestBody
from punto.web.views.cursors import cursor_of
from punto.web.views.visibility import cut_all

MAX_DRAW = 1_000_000
"""More cards than a shoe holds, or a continuous shuffler deals between two loadings."""


class CardRequest(RequestBody, frozen=True):
    """A card that was drawn from the shoe. `draw` is its position in the shoe, counted from 1."""

    shoe: str
    draw: Annotated[int, Meta(ge=1, le=MAX_DRAW)]
    card: Card


class CardResult(Message, frozen=True):
    """What was done with the card. It is stored on disk. `next` is the draw that is expected now."""

    shoe: str
    draw: int
    outcome: ScanResult
    next: int | None
    """None if another shoe is on the table."""
    cursor: Cursor
    events: tuple[EventView, ...]
    """Empty for a card that stays face down."""


class StoppedBridges(Message, frozen=True):
    """The bridges that are stopped at a table: each sent two different cards for the same draw."""

    bridges: tuple[StoppedBridge, ...]


async def post(call: HttpRequest) -> CardResult:
    """Posting the same card again changes nothing."""
    request, by, service = call.body, call.by, call.service
    service.limits.commands.take(person_key(by))
    call.log_fields["draw"] = request.draw  # never the card: it may be face down
    await _require_machine(call)
    scan = Scan(request.shoe, request.draw, request.card)
    with service.limits.accepting(by, call.address):
        answer = await take(service.floor, by, call.path["table"], scan, key_of(call.token))
        if isinstance(answer, Refusal):
            live = service.floor.table(call.path["table"])
            raise RefusedByTable(answer, live.rules.id, await legal_now(call, live))
    call.log_fields["outcome"] = answer.outcome
    sight = await call.sight()
    return CardResult(
        shoe=scan.shoe,
        draw=scan.draw,
        outcome=answer.outcome,
        next=answer.next,
        cursor=cursor_of(answer.entries[-1] if answer.entries else answer.head),
        events=cut_all(answer.entries, sight),
    )


async def _require_machine(call: HttpRequest) -> None:
    """Machines only: a person could find out a face-down card by trying all cards."""
    floor, by = call.service.floor, call.by
    if by.bounds is not None:
        return
    live = await floor.find_table(call.path["table"])
    refused = FloorRefused(TableCode.NOT_AUTHORISED, variant="machine")
    await floor.house_log.refuse(by, COMMAND_NAME, refused, live.setup.name)


async def stopped(call: HttpRequest) -> StoppedBridges:
    live = await call.service.floor.find_table(call.path["table"])
    return StoppedBridges(bridges=tuple(await list_stopped(call.service.floor.house_log, call.by, live.setup.name)))


async def let_go_on(call: HttpRequest) -> None:
    live = await call.service.floor.find_table(call.path["table"])
    await release(call.service.floor.house_log, call.by, live.setup.name, call.path["bridge"])


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/tables/{table}/cards",
        post,
        "Post a card of a physical shoe",
        CardResult,
        CardRequest,
        work=TokenWork.CARDS,
    ),
    Endpoint("GET", "/api/tables/{table}/bridges", stopped, "List the bridges that are stopped", StoppedBridges),
    Endpoint(
        "POST",
        "/api/tables/{table}/bridges/{bridge}/release",
        let_go_on,
        "Let a stopped bridge go on",
        status=204,
    ),
)
