"""The books on the shelf, and what each clause of them says."""

import asyncio

from punto.catalogue.sentence import Language
from punto.library import book, book_ids
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.rulebook import Rulebook
from punto.web.http.endpoint import Access, Endpoint, HttpRequest
from punto.web.messages import Message


class BookTold(Message, frozen=True):
    """A book."""

    book: str
    title: str
    version: str | None
    in_force_from: str
    law_hash: str
    decks: tuple[int, int]
    layouts: dict[str, tuple[str, ...]]
    """By layout the bets on its menu."""


class Books(Message, frozen=True):
    """The books on the shelf."""

    books: tuple[BookTold, ...]


class ClauseTold(Message, frozen=True):
    """A clause in our own words."""

    book: str
    clause: Clause
    summary: str
    kind: str
    handled_by: str


async def books(call: HttpRequest) -> Books:
    """All books, their titles in the language of the request."""
    return await asyncio.to_thread(_all_books, call.language)


def _all_books(language: Language) -> Books:
    """Read from the disk the first time."""
    return Books(books=tuple(_told(book(name), language) for name in book_ids()))


def _told(rules: Rulebook, language: Language) -> BookTold:
    return BookTold(
        book=rules.id,
        title=rules.title_in(language),
        version=rules.version,
        in_force_from=rules.in_force_from,
        law_hash=rules.law_hash,
        decks=(rules.decks.least, rules.decks.most),
        layouts={name: tuple(layout.menu) for name, layout in rules.layouts.items()},
    )


async def clause(call: HttpRequest) -> ClauseTold:
    """One clause, in the language of the request."""
    rules, asked = await asyncio.to_thread(book, call.path["book"]), Clause(call.path["clause"])
    found = rules.clauses.get(asked)
    if found is None:
        raise Refused(Code.UNKNOWN_CLAUSE, book=rules.id, clause=asked[:20])
    return ClauseTold(
        book=rules.id,
        clause=asked,
        summary=rules.summary(asked, call.language),
        kind=str(found.kind),
        handled_by=str(found.handled_by),
    )


ENDPOINTS = (
    Endpoint("GET", "/api/books", books, "The books", Books, access=Access.ANYBODY, tag="books"),
    Endpoint(
        "GET",
        "/api/books/{book}/clauses/{clause}",
        clause,
        "A clause in our own words",
        ClauseTold,
        access=Access.ANYBODY,
        tag="books",
    ),
)
