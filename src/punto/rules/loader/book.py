"""The whole of a book: identity, decks, layouts, topics, register, and the hash of its law."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec
from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.rules.bets.pay_lines import BetRule, Result
from punto.rules.coup.space import Space
from punto.rules.coup.table_of_play import Side
from punto.rules.loader.extending import Find, Source, read_whole
from punto.rules.loader.pays import overlapping, read_bets, read_insurance
from punto.rules.loader.play import read_table_of_play
from punto.rules.loader.toml_table import TomlTable
from punto.rules.refusals import Clause
from punto.rules.rulebook import (
    ClauseKind,
    Decks,
    HandledBy,
    Layout,
    LayoutKind,
    RegisteredClause,
    Rulebook,
)
from punto.rules.topics import RULE_SWITCHES, Topic

_DIFFERENTIAL_NEEDS = (Topic.PRO_RATA, Topic.NOT_PRO_RATED, Topic.BELOW_MINIMUM, Topic.BELOW_MINIMUM_PLAYS)
_EVERY_BOOK_HAS = (
    Topic.LAYOUTS,
    Topic.BOXES,
    Topic.DECKS,
    Topic.BETTING_OPENS,
    Topic.BETS_OFFERED,
    Topic.BETTING_CLOSED,
    Topic.FIRST_FOUR,
    Topic.WINNER,
    Topic.TIE,
)
MAX_ID = 40
"""Characters of a book's id."""
_SNAKE = re.compile(r"[a-z]+(_[a-z]+)*", re.ASCII)
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}\+08:00)?", re.ASCII)
_BOXES = re.compile(r"([1-9][0-9]?)(?:-([1-9][0-9]?))?", re.ASCII)


def read_book(text: str, file: str, find: Find | None = None) -> Rulebook:
    """The book written in ``text``; ``file`` is what messages call it, ``find`` finds the books it extends."""
    whole = read_whole(Source(text, file), find)
    book = TomlTable(file, "", whole.tables)
    book_id, words = _read_id(book), dict[str, dict[str, str]]()
    if book.has("name"):
        words[f"book.{book_id}"] = book.words("name")
    clauses = _read_register(book, book_id, words)
    book.register(frozenset(clauses))
    topics = _read_topics(book)
    play = read_table_of_play(book, topics[Topic.FIRST_FOUR])
    space = Space(play)
    bets = read_bets(book, topics, space, words)
    rulebook = Rulebook(
        id=book_id,
        version=book.optional_text("version"),
        in_force_from=_read_date(book),
        law_hash="",
        decks=_read_decks(book, topics),
        layouts=_read_layouts(book, bets),
        table_of_play=play,
        bets=bets,
        insurance=read_insurance(book, topics, space) if book.has("insurance") else None,
        topics=topics,
        clauses=clauses,
        words=words,
        bases=whole.bases,
    )
    book.done()
    return replace(rulebook, law_hash=_law_hash(rulebook))


def _law_hash(book: Rulebook) -> str:
    """The hash of everything that decides a round, with the clauses of bets, insurance, layouts and the Table of Play.

    Of the topics, only those count that switch a rule on, and not which clauses they cite. Names, summaries and who
    handles a clause are not included. The order of entries in the file does not matter,
    except that of the layouts: the first one is the default.
    """
    insurance = book.insurance
    law = {
        "id": book.id,
        "version": book.version,
        "in_force_from": book.in_force_from,
        "decks": book.decks,
        "layouts": [replace(layout, menu=tuple(sorted(layout.menu))) for layout in book.layouts.values()],
        "table_of_play": book.table_of_play,
        "bets": {bet.id: _bet_law(bet, book.space) for bet in book.bets.values()},
        "insurance": insurance and (_sorted(insurance.lines), insurance.cap),
        "topics": sorted(topic for topic in RULE_SWITCHES if book.has(topic)),
    }
    return hashlib.sha256(_CANONICAL.encode(law)).hexdigest()


def _bet_law(bet: BetRule, space: Space) -> tuple[object, ...]:
    """A bet's part of the law. Where no coup matches two lines, their order does not matter."""
    if bet.automaton is None and bet.otherwise is Result.LOSE and bet.limit is None and not overlapping(bet, space):
        return bet.clause, _sorted(bet.pays)
    return bet.clause, bet.otherwise, [_CANONICAL.encode(line).decode() for line in bet.pays], bet.limit


_CANONICAL = msgspec.json.Encoder(order="sorted", enc_hook=str)
"""One text for one law: keys and sets in order, ratios as texts."""


def _sorted(records: Iterable[object]) -> list[str]:
    return sorted(_CANONICAL.encode(record).decode() for record in records)


def _read_date(book: TomlTable) -> str:
    text = book.text("in_force_from")
    try:
        valid = _DATE.fullmatch(text) is not None and datetime.fromisoformat(text) is not None
    except ValueError:
        valid = False
    if not valid:
        book.refuse(phrase("book_fault.date", value=repr(text)), "in_force_from")
    return text


def _read_id(book: TomlTable) -> str:
    text = book.text("id")
    if not _ID.fullmatch(text) or len(text) > MAX_ID:
        book.refuse(phrase("book_fault.id", value=repr(text)), "id")
    return text


def _read_register(book: TomlTable, book_id: str, words: dict[str, dict[str, str]]) -> dict[Clause, RegisteredClause]:
    register = {}
    for name, entry in book.named_tables("clauses").items():
        handled_by = entry.choice("handled_by", HandledBy)
        for key, section in (("text", "clause"), ("offers", "offers")):
            if entry.has(key):
                words[f"{section}.{book_id}.{name}"] = entry.words(key)
        register[Clause(name)] = RegisteredClause(
            id=Clause(name),
            kind=entry.choice("kind", ClauseKind),
            handled_by=handled_by,
            command=_read_command(entry) if handled_by is HandledBy.STAFF else None,
        )
        entry.done()
    return register


def _read_command(entry: TomlTable) -> str:
    text = entry.text("command")
    if not _SNAKE.fullmatch(text):
        entry.refuse(phrase("book_fault.command", value=repr(text)), "command")
    return text


def _read_topics(book: TomlTable) -> dict[Topic, tuple[Clause, ...]]:
    entry = book.table("topics")
    topics = {topic: entry.clauses(topic) for topic in Topic}
    entry.done()
    for topic in _EVERY_BOOK_HAS:
        if not topics[topic]:
            entry.refuse(phrase("book_fault.needed_always"), topic)
    if topics[Topic.DIFFERENTIAL]:
        for topic in _DIFFERENTIAL_NEEDS:
            if not topics[topic]:
                entry.refuse(phrase("book_fault.needed_by_differential"), topic)
    return topics


def _read_decks(book: TomlTable, topics: Mapping[Topic, tuple[Clause, ...]]) -> Decks:
    entry = book.table("decks")
    decks = Decks(entry.whole("least", 1, 99), entry.whole("most", 1, 99), entry.clause())
    if decks.clause not in topics[Topic.DECKS]:
        entry.refuse(phrase("book_fault.decks_cited", topic=Topic.DECKS, cited=topics[Topic.DECKS]), "clause")
    if decks.least > decks.most:
        entry.refuse(phrase("book_fault.above", least=decks.least, most=decks.most))
    entry.done()
    return decks


def _read_layouts(book: TomlTable, bets: dict[str, BetRule]) -> dict[str, Layout]:
    layouts = {}
    for name, entry in book.named_tables("layouts").items():
        menu = tuple(entry.texts("menu")) if entry.has("menu") else tuple(bets)
        for bet in menu:
            if bet not in bets:
                entry.refuse(phrase("book_fault.no_bet", bet=bet), "menu")
        for side in Side:
            if side not in menu:
                entry.refuse(phrase("book_fault.every_layout", bet=side), "menu")
        least, most = _read_boxes(entry)
        kind = entry.choice("kind", LayoutKind) if entry.has("kind") else None
        layouts[name] = Layout(name, kind, least, most, menu, entry.clause())
        entry.done()
    played = {bet for layout in layouts.values() for bet in layout.menu}
    for rule in bets.values():
        if rule.id not in played:
            book.refuse(phrase("book_fault.bet_nowhere"), f"bets.{rule.id}", rule.clause)
    return layouts


def _read_boxes(layout: TomlTable) -> tuple[int | None, int | None]:
    """The number of boxes, which a book may leave unstated but a file may not leave out."""
    text = layout.text("boxes")
    if text == "unstated":
        return None, None
    match = _BOXES.fullmatch(text)
    least, most = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if least > most:
        layout.refuse(phrase("book_fault.boxes", value=repr(text)), "boxes")
    return least, most
