"""What has happened at a table, page by page: events the oldest first, rounds the newest first."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, tag, tag_of
from punto.floor.journal.rounds import ROUND_TAGS, read_round
from punto.floor.running.live_table import LiveTable
from punto.rules.refusals import Refused
from punto.table.records.events import BettingOpened, TableOpened
from punto.table.records.positions import Position
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest
from punto.web.http.errors import WebCode
from punto.web.messages import Cursor, EventPage, RequestBody, RoundPage, RoundSummary, ShoesTold
from punto.web.views.sealed_shoes import last_shoes
from punto.web.views.table_view import adjusted_view, settled_view, voided_view
from punto.web.views.visibility import Sight, cursor_of, cut, write_cursor

MOST_EVENTS = 500
MAX_ROUNDS_A_PAGE = 100
MOST_CURSOR = 40
END = 2**62
"""Later than any version."""

_BEGINS = (tag(BettingOpened), tag(TableOpened))
"""The events that a round begins with; round 0 with the opening of the table."""


class EventsAsked(RequestBody, frozen=True):
    """Which events."""

    after: Cursor | None = None
    """None: from the beginning of the present opening."""
    most: Annotated[int, Meta(ge=1, le=MOST_EVENTS)] = 100


class RoundsAsked(RequestBody, frozen=True):
    """Which rounds."""

    before: Cursor | None = None
    """None: from the last one."""
    most: Annotated[int, Meta(ge=1, le=MAX_ROUNDS_A_PAGE)] = 20


def read_cursor(text: str) -> tuple[int, int]:
    """The opening and the version of a cursor."""
    opening, _, version = text.partition("/")
    if not (opening.isdecimal() and version.isdecimal() and len(text) <= MOST_CURSOR and text.isascii()):
        raise _no_cursor(text)
    place = int(opening), int(version)
    if not 0 < place[0] < END or place[1] >= END:
        raise _no_cursor(text)
    return place


def _no_cursor(text: str) -> Refused:
    return Refused(WebCode.BAD_REQUEST, variant="cursor", text=text[:40])


async def events(call: HttpRequest) -> EventPage:
    """Events after a cursor, over one opening and on into the next."""
    live = await call.service.floor.find_table(call.path["table"])
    opening, version = read_cursor(call.query.after) if call.query.after else (max(live.openings, 1), 0)
    most, found = call.query.most, list[Entry]()
    while len(found) <= most and 0 < opening <= live.openings:
        entries = await _page(live, opening, version, most + 1 - len(found))
        found += entries
        if entries:
            version = entries[-1].version
        elif opening < live.openings:
            opening, version = opening + 1, 0
        else:
            break
    shown = found[:most]
    at = cursor_of(shown[-1]) if shown else write_cursor(opening, version)
    return EventPage(events=tuple(cut(entry, call.sight) for entry in shown), next=at, more=len(found) > most)


async def _page(live: LiveTable, opening: int, version: int, most: int) -> list[Entry]:
    stream = live.stream_of(opening)

    def work(transaction: Transaction) -> list[Entry]:
        head = streams.find(transaction, stream)
        return streams.read(transaction, head, version, most) if head else []

    return await live.database.read(work, long=True)


async def rounds(call: HttpRequest) -> RoundPage:
    """Rounds that are over, before a cursor."""
    return await rounds_before(call, call.query.before, call.query.most)


async def rounds_before(call: HttpRequest, before: Cursor | None, most: int) -> RoundPage:
    """The same for a page: rounds of the table in the address, as the caller may see them."""
    live = await call.service.floor.find_table(call.path["table"])
    opening, version = read_cursor(before) if before else (live.openings, END)
    opening, whose = min(opening, live.openings), await _whose(call)
    found: list[RoundSummary] = []
    while opening > 0 and len(found) < most:
        found += await _rounds_back(live, opening, version, most - len(found), whose)
        opening, version = opening - 1, END
    return RoundPage(rounds=tuple(found), next=found[-1].cursor if len(found) == most else None)


class Whose(Struct, frozen=True):
    """Whose bets the caller may see, and how much else."""

    sight: Sight
    name: str | None = None
    """None: everybody's."""
    since_us: int = 0
    """A visitor's own since they came in: a name that was free may have been somebody else's before."""

    def may_see(self, who: str, at_us: int) -> bool:
        """What happened to this person at this moment."""
        return self.name is None or (self.name == who and at_us >= self.since_us)


async def _whose(call: HttpRequest) -> Whose:
    if call.sight is Sight.STAFF:
        return Whose(call.sight)
    if call.by.position is not Position.PLAYER:
        return Whose(call.sight, call.by.name)
    return Whose(call.sight, call.by.name, await call.service.visitors.since_us(call.token))


async def _rounds_back(live: LiveTable, opening: int, before: int, most: int, whose: Whose) -> list[RoundSummary]:
    """The last rounds of an opening before a version, the newest first."""
    stream = live.stream_of(opening)

    def work(transaction: Transaction) -> list[RoundSummary]:
        head = streams.find(transaction, stream)
        return list(islice(_rounds_in(streams.read_back(transaction, head, before), whose), most)) if head else []

    return await live.database.read(work, long=True)


def _rounds_in(entries: Iterable[Entry], whose: Whose) -> Iterator[RoundSummary]:
    """The rounds that are over, in entries that come the newest first; round 0 where rulings moved something then."""
    kept: list[Entry] = []
    for entry in entries:
        kind = tag_of(entry)
        if kind in ROUND_TAGS:
            kept.append(entry)
        elif kind in _BEGINS:
            if (summary := _summary([entry, *reversed(kept)], whose)) is not None:
                yield summary
            kept.clear()


def _summary(entries: list[Entry], whose: Whose) -> RoundSummary | None:
    """A round, from its call for bets and what changed it; None while it is not over, and for an empty round 0."""
    record = read_round(entries)
    adjustments = tuple(
        adjusted_view(moved, whose.sight) for moved in record.adjustments if whose.may_see(moved.who, moved.at_us)
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
            settled_view(bet, whose.sight, named=True) for bet in record.bets if whose.may_see(bet.who, record.ended_us)
        ),
        voided=voided_view(record.void, whose.sight),
        adjustments=adjustments,
    )


async def shoes(call: HttpRequest) -> ShoesTold:
    """The last sealed shoes of a table."""
    live = await call.service.floor.find_table(call.path["table"])
    told = await last_shoes(live.database, live.setup.name)
    return ShoesTold(shoes=tuple(told))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/tables/{table}/events",
        events,
        "Events, the oldest first",
        EventPage,
        query=EventsAsked,
        access=Access.ANYBODY,
        cost=DEAR,
    ),
    Endpoint(
        "GET", "/api/tables/{table}/rounds", rounds, "Rounds, the newest first", RoundPage, query=RoundsAsked, cost=DEAR
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}/shoes",
        shoes,
        "Commitments and reveals of sealed shoes, the newest first",
        ShoesTold,
        access=Access.ANYBODY,
        cost=DEAR,
    ),
)
