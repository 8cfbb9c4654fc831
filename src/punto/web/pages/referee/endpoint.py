"""The referee's page. Everything on it follows from its address."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import Language
from punto.floor.journal.entry import tag
from punto.floor.turns import in_thread
from punto.library import book, book_ids
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.procedure.trouble.facts import build
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.procedure.trouble.tiles import TileName
from punto.table.records.kinds import Choice
from punto.table.records.reports import CallTime, ChooseOption, RuleCardOrder
from punto.table.records.state import Table
from punto.table.referee.laying import LaidRound, lay
from punto.table.referee.link import read_link, write_link
from punto.table.referee.question import RefereeQuestion, settings_of
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import RefusedByTable
from punto.web.messages import RefereeOutcome, RefereeRuling
from punto.web.pages.base.i18n import Translator, translator
from punto.web.pages.base.layout import PageContext, layout_of
from punto.web.pages.base.templates import compile_templates, page, render, rendered
from punto.web.pages.referee import edits
from punto.web.pages.referee.examples import examples
from punto.web.pages.referee.felt import Picked, ShownFelt, Tap, address, read_picked, show_felt
from punto.web.pages.trouble.words import QuestionsPiece, TilesPiece, show_questions, show_tiles
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


class RoundStanding(Struct, frozen=True):
    """How far the round has come, in a word or two."""

    words: str
    score: str = ""


class ShownOutcome(Struct, frozen=True):
    outcome: RefereeOutcome
    rule: str
    """Rules this order; empty if nobody can now."""
    choosing: bool


class RefereePage(PageContext, frozen=True, kw_only=True):
    template = "referee.html"
    books: tuple[BookOption, ...]
    layouts: tuple[BookOption, ...]
    kept: dict[str, str]
    """What a form sends along: the question, and what is picked."""
    book: str
    felt: ShownFelt
    standing: RoundStanding
    tiles: Markup
    """Empty where a step was refused."""
    seen: str
    """The tile that was tapped; empty: none."""
    seen_title: str
    questions: Markup
    ruling: RefereeRuling
    outcomes: tuple[ShownOutcome, ...]
    answers: tuple[Tap, ...]
    link: str
    empty: bool
    examples: tuple[ExampleLink, ...]


async def referee_page(call: HttpRequest) -> Raw:
    await compile_templates(TilesPiece, QuestionsPiece)
    async with call.service.questions.turn():
        context = await in_thread(_context, call, call.language)
    return await page(context, call.language)


class Asked(Struct, frozen=True):
    """The question with what was seen and the facts about it, as far as they are complete."""

    question: RefereeQuestion
    laid: LaidRound
    tiles: Markup = Markup()
    facts: Markup = Markup()


def _context(call: HttpRequest, language: Language) -> RefereePage:
    """Slow if the order of many cards is in doubt: call in a thread, when it is its turn."""
    query = call.query
    question = read_link(query["q"]) if query.get("q") else RefereeQuestion(book=FIRST_BOOK)
    question = _in_book(question, query)
    rules = book(question.book)
    settings, laid = settings_of(rules, question), lay(rules, question)
    if laid.table.settings is None and laid.refusal is not None:
        raise RefusedByTable(laid.refusal, rules.id, ())
    t = translator(language, at_shuffler=laid.table.at_shuffler)
    picked, writer = read_picked(query, settings.boxes), Writer(t, {}, settings.box_labels)
    seen = next((tile for tile in TileName if tile == query.get("see")), None)
    asked = _ask(rules, Asked(question, laid), seen, query, writer, f"{address(question, picked)}&see=")
    ruling = tell_ruling(rules, asked.question, asked.laid, t)
    return RefereePage(
        layout=layout_of(call, "referee", REFEREE_PATH),
        books=tuple(BookOption(each, t(f"book.{each}"), each == rules.id) for each in book_ids()),
        layouts=tuple(
            BookOption(each, t("referee.layout_of", layout=each), each == settings.layout) for each in rules.layouts
        ),
        kept={"q": write_link(question), **picked.query()},
        book=rules.id,
        felt=show_felt(rules, asked.question, asked.laid.table, picked, t),
        standing=_standing(rules, asked.laid.table, t),
        tiles=asked.tiles,
        seen=seen or "",
        seen_title=t(f"tile.{seen}") if seen else "",
        questions=asked.facts,
        ruling=ruling,
        outcomes=tuple(_outcome(asked, picked, each) for each in ruling.outcomes),
        answers=tuple(_answers(asked, picked, writer)),
        link=address(asked.question, Picked()),
        empty=not asked.question.happened,
        examples=tuple(
            ExampleLink(t(f"tile.{each.tile}"), t(f"book.{each.question.book}"), address(each.question, Picked()))
            for each in examples(t("referee.example_reason"))
        ),
    )


def _ask(
    rules: Rulebook, asked: Asked, seen: TileName | None, query: Mapping[str, str], writer: Writer, to_tile: str
) -> Asked:
    """With the tiles, with the facts about the one that was tapped, and with the report that they amount to."""
    if asked.laid.refusal is not None:
        return asked
    found, language = TableInTrouble(rules, asked.laid.table), writer.t.language
    shown = tuple(tile for tile in show_tiles(found, writer) if tile.name not in NOT_ASKED)
    tiles = rendered(render(TilesPiece(book=rules.id, tiles=shown, address=to_tile), language))
    if seen is None:
        return replace(asked, tiles=tiles)
    facts = {name: value for name, value in query.items() if name not in _OWN}
    questions = QuestionsPiece(questions=show_questions(found, seen, facts, writer), address=to_tile)
    asked = replace(asked, tiles=tiles, facts=rendered(render(questions, language)))
    built = build(found, seen, facts)
    if not isinstance(built, dict):
        return asked
    question = edits.add_step(asked.question, built)
    return replace(asked, question=question, laid=lay(rules, question))


def _in_book(question: RefereeQuestion, query: Mapping[str, str]) -> RefereeQuestion:
    """The question in the book and layout that a form names. Without one, its own layout must be in its book."""
    own = book(question.book)
    if question.layout and question.layout not in own.layouts:
        raise own.unknown_layout(question.layout)
    if "book" not in query:
        return question
    rules, layout = book(query["book"]), query.get("layout", "")
    same = rules.id == own.id and layout == (question.layout or next(iter(own.layouts)))
    return question if same else edits.at_book(question, rules, layout)


def _standing(rules: Rulebook, table: Table, t: Translator) -> RoundStanding:
    now = table.round
    if now is None or not now.cards:
        return RoundStanding("")
    if now.irregularities.void is not None:
        return RoundStanding(t("call.void"))
    coup = Coup.of(rules.space, now.cards)
    if not coup.finished or now.irregularities.order_lost:
        return RoundStanding("")
    losing, winning = sorted(coup.hand(side).points or 0 for side in Side)
    return RoundStanding(t(f"outcome.{coup.winner}"), t("call.score", winning=winning, losing=losing))


def _outcome(asked: Asked, picked: Picked, outcome: RefereeOutcome) -> ShownOutcome:
    now = asked.laid.table.round
    may_rule = now is not None and bool(now.irregularities.order_lost) and now.irregularities.options is None
    rule = ""
    if may_rule and outcome.orders:
        body = {"command": tag(RuleCardOrder), "order": list(outcome.orders[0])}
        rule = address(edits.add_step(asked.question, body), picked)
    return ShownOutcome(outcome, rule, any(end.back_minor is not None for end in outcome.ends))


def _answers(asked: Asked, picked: Picked, writer: Writer) -> Iterator[Tap]:
    """What the players can answer now."""
    now, t = asked.laid.table.round, writer.t
    options = now.irregularities.options if now is not None else None
    if options is None or asked.laid.refusal is not None:
        return
    for who in options.waiting_for:
        name = writer.person(who)
        for choice, words in (
            (Choice.CONTINUE, t("referee.go_on", who=name)),
            (Choice.RETURN, t("referee.take_back", who=name)),
        ):
            body = {"command": tag(ChooseOption), "who": who, "choice": choice.value}
            yield Tap(words, address(edits.add_step(asked.question, body), picked))
    words = t("referee.time") if options.by_hand else t("referee.rest_go_on")
    yield Tap(words, address(edits.add_step(asked.question, {"command": tag(CallTime)}), picked))


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
