"""The rulebooks, and a summary of each clause."""

import asyncio

from punto.catalogue.sentence import Language
from punto.library import book, book_ids
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.rulebook import Rulebook
from punto.web.http.endpoint import Access, Endpoint, HttpRequest
from punto.web.messages import Message


class BookView(Message, frozen=True):
    """A rulebook. `decks` is the minimum and maximum; `layouts` gives the bets of each layout."""

    book: str
    title: str
    version: str | None
    in_force_from: str
    law_hash: str
    decks: tuple[int, int]
    layouts: dict[str, tuple[str, ...]]


class Books(Message, frozen=True):
    """All rulebooks, with titles in the language of the request."""

    books: tuple[BookView, ...]


class ClauseView(Message, frozen=True):
    """A summary of one clause, in the language of the request. It is not the text of the book."""

    book: str
    clause: Clause
    summary: str
    kind: str
    handled_by: str


async def books(call: HttpRequest) -> Books:
    return await asyncio.to_thread(_all_books, call.language)


def _all_books(language: Language) -> Books:
    """Reads the books from disk on the first call."""
    return Books(books=tuple(_view(book(name), language) for name in book_ids()))


def _view(rules: Rulebook, language: Language) -> BookView:
    return BookView(
        book=rules.id,
        title=rules.title_in(language),
        version=rules.version,
        in_force_from=rules.in_force_from,
        law_hash=rules.law_hash,
        decks=(rules.decks.least, rules.decks.most),
        layouts={name: tuple(layout.menu) for name, layout in rules.layouts.items()},
    )


async def clause(call: HttpRequest) -> ClauseView:
    rules, number = await asyncio.to_thread(book, call.path["book"]), Clause(call.path["clause"])
    entry = rules.clauses.get(number)
    if entry is None:
        raise Refused(Code.UNKNOWN_CLAUSE, book=rules.id, clause=number[:20])
    return ClauseView(
        book=rules.id,
        clause=number,
        summary=rules.summary(number, call.language),
        kind=str(entry.kind),
        handled_by=str(entry.handled_by),
    )


ENDPOINTS = (
    Endpoint("GET", "/api/books", books, "List the rulebooks", Books, access=Access.ANYBODY, tag="books"),
    Endpoint(
        "GET",
        "/api/books/{book}/clauses/{clause}",
        clause,
        "Get the summary of a clause",
        ClauseView,
        access=Access.ANYBODY,
        tag="books",
    ),
)
