"""The history of a table in pages: events oldest first, rounds newest first."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated

from msgspec import UNSET, Meta
from msgspec.structs import replace

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of
from punto.floor.journal.incident_index import numbers_in_rounds
from punto.floor.journal.rounds import RoundsBack, read_round
from punto.floor.journal.streams import Head
from punto.floor.people.looks import LookKind
from punto.floor.running.live_table import LiveTable
from punto.rules.refusals import Refused
from punto.table.records.events import TableOpened
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest
from punto.web.http.errors import WebCode
from punto.web.messages import (
    Cursor,
    EventPage,
    RequestBody,
    RevealedOrderPage,
    RevealedOrderView,
    RoundPage,
    RoundSummary,
    SealedShoeList,
)
from punto.web.views.cursors import END, cursor_of, find_cursor, write_cursor
from punto.web.views.sealed_shoes import MAX_ORDERS, last_shoes, revealed_orders
from punto.web.views.table_view import adjusted_view, settled_view, voided_view
from punto.web.views.viewer import Viewer
from punto.web.views.visibility import cut_all

MAX_EVENTS_PER_PAGE = 500
MAX_ROUNDS_PER_PAGE = 100


class EventsQuery(RequestBody, frozen=True):
    after: Cursor | None = None
    """None: from the start of the current opening."""
    most: Annotated[int, Meta(ge=1, le=MAX_EVENTS_PER_PAGE)] = 100


class RoundsQuery(RequestBody, frozen=True):
    before: Cursor | None = None
    """None: from the latest round."""
    most: Annotated[int, Meta(ge=1, le=MAX_ROUNDS_PER_PAGE)] = 20


def read_cursor(text: str) -> tuple[int, int]:
    """The opening and the version in a cursor; refused if it is not one."""
    place = find_cursor(text)
    if place is None:
        raise Refused(WebCode.BAD_REQUEST, variant="cursor", text=text[:40])
    return place


def _read_before(live: LiveTable, before: Cursor | None) -> tuple[int, int]:
    """Where a list that goes back starts; without a cursor at the end. Refused in an opening that has not been."""
    if not before:
        return live.openings, END
    opening, version = read_cursor(before)
    if opening > live.openings:
        raise Refused(WebCode.BAD_REQUEST, variant="cursor_late", cursor=before)
    return opening, version


async def events(call: HttpRequest) -> EventPage:
    """Events after a cursor, continuing into later openings."""
    live = await call.service.floor.find_table(call.path["table"])
    opening, version = read_cursor(call.query.after) if call.query.after else (max(live.openings, 1), 0)
    limit, entries = call.query.most, list[Entry]()
    while len(entries) <= limit and 0 < opening <= live.openings:
        more = await _page(live, opening, version, limit + 1 - len(entries))
        entries += more
        if more:
            version = more[-1].version
        elif opening < live.openings:
            opening, version = opening + 1, 0
        else:
            break
    page = entries[:limit]
    at = cursor_of(page[-1]) if page else write_cursor(opening, version)
    sight = await call.sight()
    if sight.whole:
        await call.service.looks.saw(call.actor, LookKind.EVENTS, live.setup.name)
    return EventPage(events=cut_all(page, sight), next=at, more=len(entries) > limit)


async def _page(live: LiveTable, opening: int, version: int, limit: int) -> list[Entry]:
    stream = live.stream_of(opening)

    def work(transaction: Transaction) -> list[Entry]:
        head = streams.find(transaction, stream)
        return streams.read(transaction, head, version, limit) if head else []

    return await live.database.read(work, long=True)


async def rounds(call: HttpRequest) -> RoundPage:
    """Finished rounds before a cursor."""
    return await rounds_before(call, call.query.before, call.query.most)


async def rounds_before(call: HttpRequest, before: Cursor | None, limit: int) -> RoundPage:
    """Finished rounds of the table in the address, as the sender may see them."""
    live = await call.service.floor.find_table(call.path["table"])
    opening, version = _read_before(live, before)
    viewer = Viewer.of(call.actor, await call.sight())
    if viewer.sight.whole:
        await call.service.looks.saw(call.actor, LookKind.HISTORY, live.setup.name)
    page: list[RoundSummary] = []
    while opening > 0 and len(page) < limit:
        page += await _rounds_back(live, opening, version, limit - len(page), viewer)
        opening, version = opening - 1, END
    return RoundPage(rounds=tuple(page), next=page[-1].cursor if len(page) == limit else None)


async def _rounds_back(live: LiveTable, opening: int, before: int, limit: int, viewer: Viewer) -> list[RoundSummary]:
    """The last rounds of an opening before a version, newest first."""
    stream = live.stream_of(opening)

    def work(transaction: Transaction) -> list[RoundSummary]:
        head = streams.find(transaction, stream)
        if head is None:
            return []
        labels = _box_labels(transaction, head)
        rounds = list(islice(_rounds_in(streams.read_back(transaction, head, before), viewer, labels), limit))
        return _with_incidents(transaction, head, rounds) if viewer.sight.whole else rounds

    return await live.database.read(work, long=True)


def _with_incidents(transaction: Transaction, head: Head, rounds: list[RoundSummary]) -> list[RoundSummary]:
    numbers = numbers_in_rounds(transaction, head.key, rounds[-1].round, rounds[0].round) if rounds else {}
    return [replace(each, incidents=numbers.get(each.round, ())) for each in rounds]


def _box_labels(transaction: Transaction, head: Head) -> tuple[str, ...]:
    """The labels of the boxes, which are the same for a whole opening."""
    (opened,) = map(event_of, streams.read(transaction, head, 0, 1))
    return opened.settings.box_labels if isinstance(opened, TableOpened) else ()


def _rounds_in(entries: Iterable[Entry], viewer: Viewer, labels: tuple[str, ...]) -> Iterator[RoundSummary]:
    """The finished rounds in entries that come newest first. Round 0 only if rulings moved amounts then."""
    rounds = RoundsBack()
    for entry in entries:
        own = rounds.take(entry)
        if own is not None and (summary := _summary(own, viewer, labels)) is not None:
            yield summary


def _summary(entries: list[Entry], viewer: Viewer, labels: tuple[str, ...]) -> RoundSummary | None:
    """None for a round that is not over, and for an empty round 0."""
    record = read_round(entries)
    adjustments = tuple(
        adjusted_view(moved, viewer.sight) for moved in record.adjustments if viewer.may_see(moved.who, moved.at_us)
    )
    if not (record.over if record.number else adjustments):
        return None
    return RoundSummary(
        cursor=cursor_of(entries[0]),
        round=record.number,
        at_us=record.ended_us if record.number else adjustments[-1].at_us,
        winner=record.winner,
        player=record.player,
        banker=record.banker,
        cards=tuple(str(card) for card in record.cards if card is not None),
        results=tuple(
            settled_view(bet, viewer.sight, named=True)
            for bet in record.bets
            if viewer.may_see(bet.who, record.ended_us)
        ),
        voided=voided_view(record.void, viewer.sight),
        adjustments=adjustments,
        happened_at_us=(record.happened_at_us or UNSET) if viewer.sight.whole else UNSET,
        box_labels=labels,
    )


class OrdersQuery(RequestBody, frozen=True):
    before: Cursor | None = None
    """None: from the latest round."""
    most: Annotated[int, Meta(ge=1, le=MAX_ORDERS)] = 10


async def orders(call: HttpRequest) -> RevealedOrderPage:
    """The orders that rounds at a sealed continuous shuffler were dealt from."""
    live, query = await call.service.floor.find_table(call.path["table"]), call.query
    opening, version = _read_before(live, query.before)
    page: list[RevealedOrderView] = []
    while opening > 0 and len(page) < query.most:
        page += await _orders_back(live, opening, version, query.most - len(page))
        opening, version = opening - 1, END
    return RevealedOrderPage(orders=tuple(page), next=page[-1].cursor if len(page) == query.most else None)


async def _orders_back(live: LiveTable, opening: int, before: int, limit: int) -> list[RevealedOrderView]:
    stream = live.stream_of(opening)

    def work(transaction: Transaction) -> list[RevealedOrderView]:
        head = streams.find(transaction, stream)
        return [] if head is None else revealed_orders(transaction, head, before, limit)

    return await live.database.read(work, long=True)


async def shoes(call: HttpRequest) -> SealedShoeList:
    live = await call.service.floor.find_table(call.path["table"])
    return SealedShoeList(shoes=tuple(await last_shoes(live.database, live.setup.name)))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/tables/{table}/events",
        events,
        "List events, oldest first",
        EventPage,
        query=EventsQuery,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}/rounds",
        rounds,
        "List finished rounds, newest first",
        RoundPage,
        query=RoundsQuery,
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}/orders",
        orders,
        "List the revealed orders of a continuous shuffler, newest first",
        RevealedOrderPage,
        query=OrdersQuery,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}/shoes",
        shoes,
        "List sealed shoes with their commitments, newest first",
        SealedShoeList,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
)
