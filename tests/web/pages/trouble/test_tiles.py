"""A grey tile is refused whatever the facts, a lit one leads somewhere, and all of it can be said and drawn."""

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from msgspec import UNSET

from punto.catalogue.sentence import LANGUAGES, Language
from punto.floor.journal.entry import command_of
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.procedure.trouble.acts import TroubleAct
from punto.table.procedure.trouble.facts import Missing, body_of, build, questions
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.procedure.trouble.questions import FactKind, FactQuestion
from punto.table.procedure.trouble.tiles import TILES, TileName, tiles
from punto.table.records.commands import Command, DealCard
from punto.table.records.corrections import (
    CancelRound,
    CorrectBet,
    CorrectCard,
    CorrectInsurance,
    CorrectPayment,
    ReopenBetting,
)
from punto.table.records.positions import Position
from punto.table.records.reports import ExchangeShoe, ReportRestart
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.templates import render
from punto.web.pages.trouble.drawings import DRAWINGS
from punto.web.pages.trouble.words import QuestionsPiece, TilesPiece, show_questions, show_tiles
from punto.web.words.event_words import Writer
from tests.cases.page_subjects import SUBJECTS
from tests.marks import BOOKS, rest_at_night
from tests.web.pages.trouble.steps import different_tables
from tests.web.pages.trouble.witness import can_be_chosen

ACTS = [act for kind in TILES.values() for act in kind.acts]
MEAN_SOMETHING_ELSE_TOO: set[type[Command]] = {DealCard, CorrectCard}
"""The table accepts these as an ordinary card and as another correction, so that a grey tile is stricter than it."""

SOME = rest_at_night(BOOKS, [BOOKS[0], BOOKS[-1]], lambda book: book.id)
"""By day the plainest book and the one with most."""


def some_answers(question: FactQuestion) -> Iterator[str]:
    """Answers of every sort, among them no answer and nonsense."""
    picks = [pick.key for pick in question.picks if can_be_chosen(pick)]
    places = [str(card.place) for card in question.cards]
    every = ".".join(places)
    answers: dict[FactKind, Callable[[], list[str]]] = {
        FactKind.CHOICE: lambda: [*picks[:3], *picks[3:][-1:]],
        FactKind.BETS: lambda: [*picks[:1], "\n".join(picks)],
        FactKind.AMOUNTS: lambda: [f"1 {key}" for key in picks[:1]],
        FactKind.CARD: lambda: ["5h", "As"],
        FactKind.CARDS: lambda: [question.answer, f"{question.fixed or '?'}.5h", "5h", "?.?"],
        FactKind.PLACE: lambda: places,
        FactKind.PLACES: lambda: ["", every],
        FactKind.ORDER: lambda: [every, ".".join(reversed(places))],
        FactKind.SIDES: lambda: [*places[:1], every],
        FactKind.AMOUNT: lambda: ["1"],
        FactKind.NUMBER: lambda: ["1"],
        FactKind.TEXT: lambda: [question.answer],
        FactKind.REASON: lambda: ["because"],
    }
    yield from dict.fromkeys(answers[question.kind]())


def every_command(felt: TableInTrouble, act: TroubleAct, facts: dict[str, str]) -> Iterator[Command]:
    """The commands that the questions of an act can give, by the answers above."""
    question = next((each for each in act.ask(felt, facts) if each.name not in facts), None)
    if question is not None:
        for answer in some_answers(question):
            yield from every_command(felt, act, {**facts, question.name: answer})
        return
    body = body_of(felt, act, facts)
    if not isinstance(body, Missing):
        yield command_of({**body, "by": "somebody", "position": Position.DEALER})


Acts = tuple[TroubleAct, ...]


@cache
def lit_and_grey(book: str) -> tuple[tuple[TableInTrouble, Acts, Acts], ...]:
    """The tables of a book that are open, each with the acts that are lit there and those that are grey."""
    found = []
    for felt in different_tables(book):
        if felt.table.phase is not Phase.CLOSED:
            lit = tuple(act for act in ACTS if act.why_not(felt) is None)
            found.append((felt, lit, tuple(act for act in ACTS if act not in lit)))
    return tuple(found)


def is_refused(felt: TableInTrouble, command: Command) -> bool:
    fields = {name: getattr(command, name) for name in command.__struct_fields__ if name not in ("by", "position")}
    return felt.refusal_of(type(command), fields) is not None


@pytest.mark.sweep
@pytest.mark.parametrize("book", SOME)
def test_what_is_grey_is_refused_whatever_the_facts(book: Rulebook) -> None:
    tried = 0
    for felt, _, grey in lit_and_grey(book.id):
        for act in grey:
            if act.kind(book) not in MEAN_SOMETHING_ELSE_TOO:
                for command in every_command(felt, act, {}):
                    tried += 1
                    assert is_refused(felt, command), (act.name, command)
    assert tried > 1_000


@pytest.mark.sweep
@pytest.mark.parametrize("book", SOME)
def test_what_is_lit_leads_to_a_command_that_is_accepted(book: Rulebook) -> None:
    names = set()
    for felt, lit, _ in lit_and_grey(book.id):
        for act in lit:
            names.add(act.name)
            assert not all(is_refused(felt, command) for command in every_command(felt, act, {})), act.name
    assert len(names) > 10


def test_there_is_a_tile_for_each_row_of_the_page_in_its_order() -> None:
    told = set()
    for tile, subject in zip(TileName, SUBJECTS, strict=True):
        commands = {kind for kind, _ in subject.commands if not isinstance(kind, str)}
        given = {kind for act in TILES[tile].acts for kind in act.kinds}
        assert given - commands <= MEAN_SOMETHING_ELSE_TOO, tile
        told |= given & commands
    wanted = {kind for subject in SUBJECTS for kind, _ in subject.commands if not isinstance(kind, str)}
    by_the_system = {ReportRestart, ExchangeShoe}
    by_a_dialog = {CorrectCard, CorrectBet, CorrectInsurance, CorrectPayment, ReopenBetting, CancelRound}
    assert wanted - told == by_the_system | by_a_dialog


@pytest.mark.sweep
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_tiles_and_questions_are_said_in_words(book: Rulebook, language: Language) -> None:
    writer = Writer(TRANSLATORS[language], UNSET)
    for felt in different_tables(book.id)[::9]:
        shown = show_tiles(felt, writer)
        html = render(TilesPiece(book=book.id, tiles=shown, address="?see="), language)
        assert len({tile.key for tile in shown}) == len(TileName)
        for tile in shown:
            asked = show_questions(felt, tile.name, {}, writer)
            html += render(QuestionsPiece(questions=asked, address="?see="), language)
            assert "`" not in tile.why_not, "people at a table know no commands"
        assert not re.search(r"[a-z]+_[a-z]+\.", re.sub("<[^>]+>", " ", html)), "an id instead of words"


def test_a_closed_table_has_only_grey_tiles() -> None:
    felt = TableInTrouble(BOOKS[0], Table())
    for tile in tiles(felt):
        assert isinstance(tile.why_not, Refusal)
        assert tile.why_not.code is TableCode.TABLE_CLOSED
        assert questions(felt, tile.name, {}) == ()
        assert isinstance(build(felt, tile.name, {}), Missing)


def test_each_tile_has_a_drawing_of_its_own_without_text() -> None:
    assert len(set(DRAWINGS.values())) == len(DRAWINGS) == len(TileName)
    for drawing in DRAWINGS.values():
        assert set(re.findall(r"<([a-z]+)", drawing)) <= {"svg", "g", "path", "rect", "circle", "ellipse"}
        assert re.findall(r">[^<]+<", drawing) == []
