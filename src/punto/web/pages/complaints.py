"""How a player complains: at the table, in the pit, to the house and to the authority, and what to keep."""

import asyncio

from msgspec import Struct

from punto.floor.reports.complaints import MAX_COMPLAINT_LENGTH
from punto.library import book, book_ids
from punto.rules.topics import Topic
from punto.table.records.settings import Automation
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page
from punto.web.views.round_names import read_round_address

COMPLAINTS_PATH = "/complaints"


class ComplaintsQuery(PageQuery, frozen=True):
    round: str = ""
    """The address of the round that the complaint is about; anything else is not shown."""


class QuotedRound(Struct, frozen=True):
    address: str
    table: str
    name: str


class Sending(Struct, frozen=True):
    """Who may send a complaint about the quoted round."""

    may: bool
    """The viewer may."""
    after_entering: bool
    """They may once they have entered as a visitor."""
    deals_itself: bool
    """There is no dealer at the table to speak to."""


NOT_SENT = Sending(may=False, after_entering=False, deals_itself=False)


class RulingClause(Struct, frozen=True):
    """A clause of a book on what the rules do not settle."""

    book: str
    clause: str


class ComplaintsPage(PageContext, frozen=True, kw_only=True):
    template = "complaints.html"
    round: QuotedRound | None
    sending: Sending
    most: int
    """Characters of a complaint."""
    rulings: tuple[RulingClause, ...]
    house: tuple[str, ...]
    """Lines of contact; empty if the house has given none."""
    regulator: tuple[str, ...]


async def complaints(call: HttpRequest) -> Raw:
    settings = await call.service.floor_view.settings()
    quoted = quoted_round(call.query.round)
    context = ComplaintsPage(
        layout=layout_of(call, "complaints", COMPLAINTS_PATH),
        round=quoted,
        sending=await _sending(call, quoted) if quoted else NOT_SENT,
        most=MAX_COMPLAINT_LENGTH,
        rulings=await asyncio.to_thread(_rulings),
        house=_lines(settings.complaints),
        regulator=_lines(settings.regulator),
    )
    return await page(context, call.language)


async def _sending(call: HttpRequest, quoted: QuotedRound) -> Sending:
    live, rules = call.service.floor.tables.get(quoted.table), await call.service.floor_view.rules()
    if live is None:
        return NOT_SENT
    settings = live.state.settings
    visitors = rules.visitors and rules.for_play_money(quoted.table)
    return Sending(
        may=rules.may_play(call.actor, quoted.table),
        after_entering=visitors and call.actor is None,
        deals_itself=settings is not None and Automation.DEAL in settings.automations,
    )


def quoted_round(address: str) -> QuotedRound | None:
    found = read_round_address(address)
    return None if found is None else QuotedRound(address, *found)


def _rulings() -> tuple[RulingClause, ...]:
    return tuple(RulingClause(game, clause) for game in book_ids() for clause in book(game).topics[Topic.RULING])


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.split("\n") if line.strip())


ENDPOINTS = (
    Endpoint("GET", COMPLAINTS_PATH, complaints, "How to complain", query=ComplaintsQuery, access=Access.ANYBODY),
)
