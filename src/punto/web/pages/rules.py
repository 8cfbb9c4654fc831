"""The rules pages: a summary of each clause, what handles it, how it is read here, and the bets of each layout."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from functools import cache

from markupsafe import Markup
from msgspec import Struct, json

from punto.catalogue.sentence import Language
from punto.catalogue.values import Moment
from punto.floor.settings.gaming_day import GamingDay
from punto.library import book, readings
from punto.rules.interpretations import Reading, SettingValue
from punto.rules.refusals import Clause, Code, Refused, chapter_of
from punto.rules.rulebook import RegisteredClause, Rulebook
from punto.table.records.positions import SHIFT_MANAGER_UP
from punto.web.api.readings import LostAdoption, ReadingView, list_readings
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import CHINESE, TRANSLATORS, Translator, clause_name
from punto.web.pages.base.layout import PageContext, PageQuery, kind_of_game, layout_of
from punto.web.pages.base.templates import Context, page, render, rendered
from punto.web.pages.parts.bet_conditions import condition
from punto.web.pages.parts.bets import pays
from punto.web.pages.parts.third_cards import Chart, chart_of
from punto.web.words.change_words import setting_words


class ShownBet(Struct, frozen=True):
    name: str
    chinese: str
    condition: str
    pays: str
    clause: Clause
    layouts: str
    """The layouts that offer it, as text."""


class ShownValue(Struct, frozen=True):
    """A value to adopt."""

    value: str
    """As JSON."""
    words: str
    by_the_book: bool


class InForce(Struct, frozen=True):
    """A reading that can be changed."""

    setting: str
    value: str
    """As JSON, for the form."""
    words: str
    """The value for people."""
    ours: str
    """Our value for people."""
    changed: bool
    """Whether the value is not ours."""
    by_the_book: bool
    choices: tuple[ShownValue, ...]
    """Empty for a number."""
    since: datetime | None


class ShownReading(Struct, frozen=True):
    """One of our readings, with the clauses of this book that it concerns."""

    title: str
    text: str
    clauses: tuple[Clause, ...]
    adopted: InForce | None = None
    """The value in force, if the house has adopted another than ours."""
    alternative: str = ""
    """The text that applies then, before ours."""


def bets_of(rules: Rulebook, t: Translator) -> list[ShownBet]:
    return [
        ShownBet(
            name=t(f"bet.{bet}"),
            chinese=CHINESE.get(bet, ""),
            condition=condition(rule, t),
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
    """The clauses by chapter, in the order of the book."""
    by_chapter: dict[str, list[RegisteredClause]] = {}
    for clause in rules.clauses.values():
        by_chapter.setdefault(chapter_of(clause.id), []).append(clause)
    return by_chapter


def readings_of(rules: Rulebook, t: Translator) -> list[ShownReading]:
    """Our readings of this book."""

    def show(reading: Reading) -> ShownReading:
        return ShownReading(t(f"reading_title.{reading.id}"), t(f"reading.{reading.id}"), reading.clauses(rules))

    return [each for each in map(show, readings()) if each.clauses]


def readings_in_force(
    views: Iterable[ReadingView], rules: Rulebook, about: Clause, day: GamingDay, t: Translator
) -> list[ShownReading]:
    """The readings of one clause, each with what the house has adopted instead."""
    shown = []
    for view in views:
        clauses, force = view.clauses.get(rules.id, ()), house_reading(view, day, t).in_force
        if about in clauses:
            adopted = force if force and force.changed else None
            shown.append(ShownReading(view.title, view.text, clauses, adopted, view.alternative or ""))
    return shown


class ShownHouseReading(Struct, frozen=True):
    """A reading on the page of all readings."""

    view: ReadingView
    in_force: InForce | None


class ReadingsPage(PageContext, frozen=True, kw_only=True):
    template = "readings.html"
    subjects: dict[str, list[ShownHouseReading]]
    lost: tuple[LostAdoption, ...]
    may_adopt: bool


def house_reading(view: ReadingView, day: GamingDay, t: Translator) -> ShownHouseReading:
    if view.setting is None:
        return ShownHouseReading(view, None)
    since = None if view.since_us is None else day.local(view.since_us)
    left = set(map(_as_json, view.not_by_the_book))
    value, setting = _as_json(view.in_force), view.setting
    force = InForce(
        setting=setting,
        value=value,
        words=setting_words(setting, view.in_force, t),
        ours=setting_words(setting, view.ours, t),
        changed=view.in_force != view.ours,
        by_the_book=value not in left,
        choices=tuple(
            ShownValue(_as_json(each), setting_words(setting, each, t), _as_json(each) not in left)
            for each in view.values or ()
        ),
        since=since,
    )
    return ShownHouseReading(view, force)


def _as_json(value: SettingValue | None) -> str:
    return json.encode(value).decode()


async def readings_page(call: HttpRequest) -> Raw:
    t, subjects = TRANSLATORS[call.language], dict[str, list[ShownHouseReading]]()
    listed, day = await list_readings(call), await call.service.floor_view.gaming_day()
    for view in listed.readings:
        subjects.setdefault(view.subject, []).append(house_reading(view, day, t))
    context = ReadingsPage(
        layout=layout_of(call, "rules", "/rules/readings", day.zone),
        subjects=subjects,
        lost=listed.lost,
        may_adopt=call.actor is not None and call.actor.position in SHIFT_MANAGER_UP,
    )
    return await page(context, call.language)


class BookPiece(Context, frozen=True, kw_only=True):
    """The part of a book's page that is rendered only once."""

    template = "rules/book.html"
    rules: Rulebook
    bets: list[ShownBet]
    chart: Chart
    chapters: dict[str, list[RegisteredClause]]
    readings: list[ShownReading]


class BookPage(PageContext, frozen=True, kw_only=True):
    template = "rules.html"
    rules: Rulebook
    name: str
    kind: str
    in_force: Moment
    drawn: Markup


class ClausePage(PageContext, frozen=True, kw_only=True):
    template = "clause.html"
    rules: Rulebook
    clause: RegisteredClause
    title: str
    staff: bool
    """Whether the viewer is staff, who give the commands."""
    readings: list[ShownReading]
    before: Clause | None
    after: Clause | None


@cache
def draw_book(book_id: str, language: Language) -> Markup:
    """Cached, because a book never changes. Slow (about 400 clauses): call in a thread."""
    rules, t = book(book_id), TRANSLATORS[language]
    piece = BookPiece(
        rules=rules,
        bets=bets_of(rules, t),
        chart=chart_of(rules.table_of_play, None, t),
        chapters=chapters(rules),
        readings=readings_of(rules, t),
    )
    return rendered(render(piece, language))


async def book_page(call: HttpRequest) -> Raw:
    language = call.language
    rules = await asyncio.to_thread(book, call.path["book"])
    t = TRANSLATORS[language]
    context = BookPage(
        layout=layout_of(call, "rules", f"/rules/{rules.id}"),
        rules=rules,
        name=t(f"book.{rules.id}"),
        kind=kind_of_game(rules.id, t),
        in_force=Moment(rules.in_force_from),
        drawn=await asyncio.to_thread(draw_book, rules.id, language),
    )
    return await page(context, language)


async def clause_page(call: HttpRequest) -> Raw:
    number, language = Clause(call.path["clause"]), call.language
    rules = await asyncio.to_thread(book, call.path["book"])
    clause = rules.clauses.get(number)
    if clause is None:
        raise Refused(Code.UNKNOWN_CLAUSE, book=rules.id, clause=number[:20])
    t, order = TRANSLATORS[language], list(rules.clauses)
    at = order.index(number)
    listed, day = await list_readings(call), await call.service.floor_view.gaming_day()
    context = ClausePage(
        layout=layout_of(call, "rules", f"/rules/{rules.id}/{number}"),
        rules=rules,
        clause=clause,
        title=t("rules.clause_title", game=t(f"book.{rules.id}"), clause=clause_name(number, t)),
        staff=call.sees_all,
        readings=readings_in_force(listed.readings, rules, number, day, t),
        before=order[at - 1] if at else None,
        after=order[at + 1] if at + 1 < len(order) else None,
    )
    return await page(context, language)


ENDPOINTS = (
    Endpoint(  # first, because it is no book
        "GET",
        "/rules/readings",
        readings_page,
        "The page of all readings",
        query=PageQuery,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
    Endpoint(
        "GET", "/rules/{book}", book_page, "The page of a book", query=PageQuery, access=Access.ANYBODY, cost=EXPENSIVE
    ),
    Endpoint(
        "GET", "/rules/{book}/{clause}", clause_page, "The page of a clause", query=PageQuery, access=Access.ANYBODY
    ),
)
