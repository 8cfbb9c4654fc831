"""The books clause by clause, in our own words: who sees to each, how we read it, and what the layouts offer."""

import asyncio
from functools import cache

from markupsafe import Markup
from msgspec import Struct

from punto.library import book, readings
from punto.rules.interpretations import Reading
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.rulebook import RegisteredClause, Rulebook
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS, Language, Translator
from punto.web.pages.base.layout import PageContext, PlainAsked, kind_of_game, layout_of
from punto.web.pages.base.templates import Context, page, render, rendered
from punto.web.pages.parts.bets import pays


class BetTold(Struct, frozen=True):
    """A bet of a book."""

    name: str
    chinese: str
    pays: str
    clause: Clause
    layouts: str
    """On whose menus it is."""


class ReadingTold(Struct, frozen=True):
    """A reading, and the clauses of this book that it is about."""

    subject: str
    text: str
    clauses: tuple[Clause, ...]


def bets_of(rules: Rulebook, t: Translator) -> list[BetTold]:
    """All bets of a book."""
    return [
        BetTold(
            name=t(f"bet.{bet}"),
            chinese=rule.chinese or "",
            pays=pays(rule, t),
            clause=rule.clause,
            layouts=_layouts(rules, bet, t),
        )
        for bet, rule in rules.bets.items()
    ]


def _layouts(rules: Rulebook, bet: str, t: Translator) -> str:
    offering = tuple(layout.id for layout in rules.layouts.values() if bet in layout.menu)
    return t("rules.all_layouts") if len(offering) == len(rules.layouts) else t.write(offering)


def chapters(rules: Rulebook) -> dict[str, list[RegisteredClause]]:
    """The register by chapter, in the book's order."""
    found: dict[str, list[RegisteredClause]] = {}
    for clause in rules.clauses.values():
        found.setdefault(clause.id.partition(".")[0], []).append(clause)
    return found


def readings_of(rules: Rulebook, t: Translator, about: Clause | None = None) -> list[ReadingTold]:
    """How we read this book, or one clause of it."""

    def told(reading: Reading) -> ReadingTold:
        return ReadingTold(t(f"subject.{reading.subject}"), t(f"reading.{reading.id}"), reading.clauses(rules))

    return [each for each in map(told, readings()) if each.clauses and (about is None or about in each.clauses)]


class BookPiece(Context, frozen=True, kw_only=True):
    """All that stands in a book."""

    template = "rules/book.html"
    rules: Rulebook
    bets: list[BetTold]
    chapters: dict[str, list[RegisteredClause]]
    readings: list[ReadingTold]


class BookPage(PageContext, frozen=True, kw_only=True):
    """A book."""

    template = "rules.html"
    rules: Rulebook
    name: str
    kind: str
    drawn: Markup


class ClausePage(PageContext, frozen=True, kw_only=True):
    """A clause."""

    template = "clause.html"
    rules: Rulebook
    name: str
    clause: RegisteredClause
    readings: list[ReadingTold]
    before: Clause | None
    after: Clause | None


@cache
def drawn_book(book_id: str, language: Language) -> Markup:
    """All that stands in a book: it never changes, so it is drawn once a language. Some 400 clauses: in a thread."""
    rules, t = book(book_id), TRANSLATORS[language]
    piece = BookPiece(
        rules=rules,
        bets=bets_of(rules, t),
        chapters=chapters(rules),
        readings=readings_of(rules, t),
    )
    return rendered(render(piece, language))


async def whole(call: HttpRequest) -> Raw:
    """The page of a book."""
    spoken = call.language
    rules = await asyncio.to_thread(book, call.path["book"])
    t = TRANSLATORS[spoken]
    context = BookPage(
        layout=layout_of(call, "rules", f"/rules/{rules.id}"),
        rules=rules,
        name=t(f"book.{rules.id}"),
        kind=kind_of_game(rules.id, t),
        drawn=await asyncio.to_thread(drawn_book, rules.id, spoken),
    )
    return await page(context, spoken)


async def one(call: HttpRequest) -> Raw:
    """The page of a clause."""
    asked, spoken = Clause(call.path["clause"]), call.language
    rules = await asyncio.to_thread(book, call.path["book"])
    found = rules.clauses.get(asked)
    if found is None:
        raise Refused(Code.UNKNOWN_CLAUSE, book=rules.id, clause=asked[:20])
    t, order = TRANSLATORS[spoken], list(rules.clauses)
    at = order.index(asked)
    context = ClausePage(
        layout=layout_of(call, "rules", f"/rules/{rules.id}/{asked}"),
        rules=rules,
        name=t(f"book.{rules.id}"),
        clause=found,
        readings=await asyncio.to_thread(readings_of, rules, t, asked),
        before=order[at - 1] if at else None,
        after=order[at + 1] if at + 1 < len(order) else None,
    )
    return await page(context, spoken)


ENDPOINTS = (
    Endpoint("GET", "/rules/{book}", whole, "A book", query=PlainAsked, access=Access.ANYBODY, cost=DEAR),
    Endpoint("GET", "/rules/{book}/{clause}", one, "A clause", query=PlainAsked, access=Access.ANYBODY),
)
