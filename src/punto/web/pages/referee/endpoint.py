"""The referee's page. Everything on it follows from its address."""

import asyncio
from collections.abc import Iterator, Mapping

from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.journal.entry import tag
from punto.library import book, book_ids
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records.kinds import Choice
from punto.table.records.reports import CallTime, ChooseOption, RuleCardOrder
from punto.table.records.state import Table
from punto.table.referee.laying import Laid, lay
from punto.table.referee.link import read_link, write_link
from punto.table.referee.question import RefereeQuestion, settings_of
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import RefereeOutcome, Ruling
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, layout_of
from punto.web.pages.base.templates import page
from punto.web.pages.referee import edits
from punto.web.pages.referee.examples import examples
from punto.web.pages.referee.felt import Picked, ShownFelt, Tap, address, read_picked, show_felt
from punto.web.pages.trouble.facts import build
from punto.web.pages.trouble.felt import TableInTrouble
from punto.web.pages.trouble.tiles import TileName
from punto.web.pages.trouble.words import ShownFact, ShownTile, show_questions, show_tiles
from punto.web.words.event_words import Writer
from punto.web.words.ruling import REFEREE_PATH, tell_ruling

FIRST_BOOK = "commission-insurance"
NOT_ASKED = frozenset({TileName.OPTIONS, TileName.SERVER_AWAY, TileName.RESTORED, TileName.ENTERED_WRONGLY})
"""Tiles that are about a floor and its record. Players' choices are among the answers of a ruling."""
_OWN = frozenset({"q", "see", "at", "chip", "turn", "lang", "book", "layout"})
"""Names in the address that are no facts."""


class BookOption(Struct, frozen=True):
    id: str
    name: str
    on: bool


class ExampleLink(Struct, frozen=True):
    title: str
    book: str
    href: str


class Standing(Struct, frozen=True):
    """How far the round has come, in a word or two."""

    words: str
    score: str = ""


class ShownOutcome(Struct, frozen=True):
    outcome: RefereeOutcome
    rule: str
    """Rules this order; empty if nobody can now."""
    choosing: bool


class TileLink(Struct, frozen=True):
    tile: ShownTile
    href: str
    on: bool


class RefereePage(PageContext, frozen=True, kw_only=True):
    template = "referee.html"
    books: tuple[BookOption, ...]
    layouts: tuple[BookOption, ...]
    kept: dict[str, str]
    """What a form sends along: the question, and what is picked."""
    book_id: str
    felt: ShownFelt
    standing: Standing
    tiles: tuple[TileLink, ...]
    seen: ShownTile | None
    questions: tuple[ShownFact, ...]
    ruling: Ruling
    outcomes: tuple[ShownOutcome, ...]
    answers: tuple[Tap, ...]
    link: str
    empty: bool
    examples: tuple[ExampleLink, ...]


async def referee_page(call: HttpRequest) -> Raw:
    context = await asyncio.to_thread(_context, call, call.language)
    return await page(context, call.language)


def _context(call: HttpRequest, language: Language) -> RefereePage:
    """Slow if the order of many cards is in doubt: call in a thread."""
    query, t = call.query, TRANSLATORS[language]
    question = read_link(query["q"]) if query.get("q") else RefereeQuestion(book=FIRST_BOOK)
    question = _in_book(question, query)
    rules = book(question.book)
    settings = settings_of(rules, question)
    laid, picked = lay(rules, question), read_picked(query, settings.boxes)
    seen = next((tile for tile in TileName if tile == query.get("see")), None)
    facts = {name: value for name, value in query.items() if name not in _OWN}
    writer = Writer(t, {}, settings.box_labels)
    before = TableInTrouble(rules, laid.table)
    asked, questions = question, tuple[ShownFact, ...]()
    tiles = {tile.name: tile for tile in show_tiles(before, writer)} if laid.refusal is None else {}
    if seen in tiles:
        questions = show_questions(before, seen, facts, writer)
        built = build(before, seen, facts)
        if isinstance(built, dict):
            asked = edits.add_step(question, built)
            laid = lay(rules, asked)
    ruling = tell_ruling(rules, asked, laid, t)
    return RefereePage(
        layout=layout_of(call, "referee", REFEREE_PATH),
        books=tuple(BookOption(each, t(f"book.{each}"), each == rules.id) for each in book_ids()),
        layouts=tuple(
            BookOption(each, t("referee.layout_of", layout=each), each == settings.layout) for each in rules.layouts
        ),
        kept={"q": write_link(question), **picked.query()},
        book_id=rules.id,
        felt=show_felt(rules, asked, laid, picked, t),
        standing=_standing(rules, laid.table, t),
        tiles=tuple(
            TileLink(tile, address(question, picked, see=tile.leads_to or tile.name), name is seen)
            for name, tile in tiles.items()
            if name not in NOT_ASKED
        ),
        seen=tiles.get(seen) if seen is not None else None,
        questions=questions,
        ruling=ruling,
        outcomes=tuple(_outcome(asked, laid, picked, each) for each in ruling.outcomes),
        answers=tuple(_answers(asked, laid, picked, writer)),
        link=address(asked, Picked()),
        empty=not asked.happened,
        examples=tuple(
            ExampleLink(t(f"tile.{each.tile}"), t(f"book.{each.question.book}"), address(each.question, Picked()))
            for each in examples(t("referee.example_reason"))
        ),
    )


def _in_book(question: RefereeQuestion, query: Mapping[str, str]) -> RefereeQuestion:
    """The question in the book and layout that the address names, if they differ from its own."""
    rules = book(query.get("book") or question.book)
    own = question.layout if rules.id == question.book else ""
    layout = query.get("layout", own)
    if layout not in rules.layouts:
        layout = own or next(iter(rules.layouts))
    return question if (rules.id, layout) == (question.book, own) else edits.at_book(question, rules, layout)


def _standing(rules: Rulebook, table: Table, t: Translator) -> Standing:
    now = table.round
    if now is None or not now.cards:
        return Standing("")
    if now.irregularities.void is not None:
        return Standing(t("call.void"))
    coup = Coup.of(rules.space, now.cards)
    if not coup.finished:
        return Standing("")
    losing, winning = sorted(coup.hand(side).points or 0 for side in Side)
    return Standing(t(f"outcome.{coup.winner}"), t("call.score", winning=winning, losing=losing))


def _outcome(asked: RefereeQuestion, laid: Laid, picked: Picked, outcome: RefereeOutcome) -> ShownOutcome:
    now = laid.table.round
    may_rule = now is not None and bool(now.irregularities.order_lost) and now.irregularities.options is None
    rule = ""
    if may_rule and outcome.orders:
        body = {"command": tag(RuleCardOrder), "order": list(outcome.orders[0])}
        rule = address(edits.add_step(asked, body), picked)
    return ShownOutcome(outcome, rule, any(end.back_minor is not None for end in outcome.ends))


def _answers(asked: RefereeQuestion, laid: Laid, picked: Picked, writer: Writer) -> Iterator[Tap]:
    """What the players can answer now."""
    now, t = laid.table.round, writer.t
    options = now.irregularities.options if now is not None else None
    if options is None or laid.refusal is not None:
        return
    for who in options.waiting_for:
        for choice, key in ((Choice.CONTINUE, "referee.go_on"), (Choice.RETURN, "referee.take_back")):
            body = {"command": tag(ChooseOption), "who": who, "choice": choice.value}
            yield Tap(t(key, who=writer.person(who)), address(edits.add_step(asked, body), picked))
    yield Tap(t("referee.rest_go_on"), address(edits.add_step(asked, {"command": tag(CallTime)}), picked))


ENDPOINTS = (
    Endpoint(
        "GET",
        REFEREE_PATH,
        referee_page,
        "The referee",
        query=dict[str, str],
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
)
