"""How a player complains: at the table, in the pit, to the house and to the authority, and what to keep."""

import asyncio

from msgspec import Struct

from punto.library import book, book_ids
from punto.rules.topics import Topic
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


class RulingClause(Struct, frozen=True):
    """A clause of a book on what the rules do not settle."""

    book: str
    clause: str


class ComplaintsPage(PageContext, frozen=True, kw_only=True):
    template = "complaints.html"
    round: QuotedRound | None
    rulings: tuple[RulingClause, ...]
    house: tuple[str, ...]
    """Lines of contact; empty if the house has given none."""
    regulator: tuple[str, ...]


async def complaints(call: HttpRequest) -> Raw:
    settings = await call.service.floor_view.settings()
    context = ComplaintsPage(
        layout=layout_of(call, "complaints", COMPLAINTS_PATH),
        round=quoted_round(call.query.round),
        rulings=await asyncio.to_thread(_rulings),
        house=_lines(settings.complaints),
        regulator=_lines(settings.regulator),
    )
    return await page(context, call.language)


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
