"""The books clause by clause, in our own words: who sees to each, how we read it, and what the layouts offer."""

from functools import cache

from markupsafe import Markup
from msgspec import Struct

from punto.library import book, readings
from punto.rules.interpretations import Reading
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.rulebook import RegisteredClause, Rulebook
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.handler import language
from punto.web.pages.base.i18n import TONGUES, Language, Tongue
from punto.web.pages.base.layout import PlainAsked, frame, name_and_kind
from punto.web.pages.base.templates import page, render
from punto.web.pages.table import felt


class BetTold(Struct, frozen=True):
    """A bet of a book."""

    name: str
    chinese: str
    pays: str
    clause: Clause
    layouts: tuple[str, ...]
    """On whose menus it is."""


class ReadingTold(Struct, frozen=True):
    """A reading, and the clauses of this book that it is about."""

    subject: str
    text: str
    clauses: tuple[Clause, ...]


def bets_of(rules: Rulebook, t: Tongue) -> list[BetTold]:
    """All bets of a book."""
    return [
        BetTold(
            name=t(rule.name),
            chinese=rule.chinese or "",
            pays=felt.pays(rule, t),
            clause=rule.clause,
            layouts=tuple(layout.id for layout in rules.layouts.values() if bet in layout.menu),
        )
        for bet, rule in rules.bets.items()
    ]


def chapters(rules: Rulebook) -> dict[str, list[RegisteredClause]]:
    """The register by chapter, in the book's order."""
    found: dict[str, list[RegisteredClause]] = {}
    for clause in rules.clauses.values():
        found.setdefault(clause.id.partition(".")[0], []).append(clause)
    return found


def readings_of(rules: Rulebook, about: Clause | None = None) -> list[ReadingTold]:
    """How we read this book, or one clause of it."""

    def told(reading: Reading) -> ReadingTold:
        return ReadingTold(reading.subject, reading.text, reading.clauses(rules))

    return [each for each in map(told, readings()) if each.clauses and (about is None or about in each.clauses)]


@cache
def drawn_book(book_id: str, language: Language) -> Markup:
    """All that stands in a book: it never changes, so it is drawn once a language."""
    rules = book(book_id)
    html = render(
        "rules/book.html",
        language,
        rules=rules,
        bets=bets_of(rules, TONGUES[language]),
        chapters=chapters(rules),
        readings=readings_of(rules),
    )
    return Markup(html)  # noqa: S704 - rendered by our templates


async def whole(call: HttpRequest) -> Raw:
    """The page of a book."""
    rules, spoken = book(call.path["book"]), language(call)
    t = TONGUES[spoken]
    name, kind = name_and_kind(rules.title, t)
    return page(
        "rules.html",
        spoken,
        rules=rules,
        name=name,
        kind=kind,
        drawn=drawn_book(rules.id, spoken),
        **frame(call, "rules", f"/rules/{rules.id}"),
    )


async def one(call: HttpRequest) -> Raw:
    """The page of a clause."""
    rules, asked, spoken = book(call.path["book"]), Clause(call.path["clause"]), language(call)
    found = rules.clauses.get(asked)
    if found is None:
        raise Refused(Code.UNKNOWN_CLAUSE, book=rules.id, clause=asked[:20])
    order = list(rules.clauses)
    at = order.index(asked)
    return page(
        "clause.html",
        spoken,
        rules=rules,
        name=name_and_kind(rules.title, TONGUES[spoken])[0],
        clause=found,
        readings=readings_of(rules, asked),
        before=order[at - 1] if at else None,
        after=order[at + 1] if at + 1 < len(order) else None,
        **frame(call, "rules", f"/rules/{rules.id}/{asked}"),
    )


ENDPOINTS = (
    Endpoint("GET", "/rules/{book}", whole, "A book", query=PlainAsked, access=Access.ANYBODY, cost=DEAR),
    Endpoint("GET", "/rules/{book}/{clause}", one, "A clause", query=PlainAsked, access=Access.ANYBODY),
)
