"""The whole of a book: identity, decks, layouts, topics, register, and the hash of its law."""

import hashlib
import re
from datetime import datetime
from typing import cast

import msgspec

from punto.rules.bets import BetRule
from punto.rules.reading.entries import Entry, read_toml
from punto.rules.reading.pays import read_bets, read_insurance
from punto.rules.reading.play import read_table_of_play
from punto.rules.refusals import Clause
from punto.rules.rulebook import (
    Decks,
    HandledBy,
    Kind,
    Layout,
    LayoutKind,
    RegisteredClause,
    Rulebook,
)
from punto.rules.space import Space
from punto.rules.table_of_play import Side
from punto.rules.topics import Topic

_EVERY_BOOK_HAS = (
    Topic.LAYOUTS,
    Topic.BOXES,
    Topic.DECKS,
    Topic.BETS_OFFERED,
    Topic.FIRST_FOUR,
    Topic.WINNER,
    Topic.TIE,
)
_LAW = (
    "id",
    "version",
    "in_force_from",
    "decks",
    "layouts",
    "card_values",
    "table_of_play",
    "bets",
    "insurance",
)
_WORDS = frozenset({"name", "chinese"})
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}\+08:00)?", re.ASCII)
_BOXES = re.compile(r"([1-9][0-9]?)(?:-([1-9][0-9]?))?", re.ASCII)


def read_book(text: str, file: str) -> Rulebook:
    """The book written in ``text``; ``file`` is what messages call it."""
    raw = read_toml(text, file)
    book = Entry(file, "", raw)
    clauses = _read_register(book)
    book.register(frozenset(clauses))
    topics = _read_topics(book)
    play = read_table_of_play(book, topics[Topic.FIRST_FOUR])
    space = Space(play)
    bets = read_bets(book, topics, space)
    rulebook = Rulebook(
        id=_read_id(book),
        title=book.text("title"),
        version=book.optional_text("version"),
        in_force_from=_read_date(book),
        law_hash=_law_hash(raw),
        decks=_read_decks(book),
        layouts=_read_layouts(book, bets),
        table_of_play=play,
        bets=bets,
        insurance=read_insurance(book, topics, space) if book.has("insurance") else None,
        topics=topics,
        clauses=clauses,
    )
    book.done()
    return rulebook


def _law_hash(raw: dict[str, object]) -> str:
    """Over what decides a round: how a clause is summarised, handled or cited does not touch it."""
    law = {key: raw[key] for key in _LAW if key in raw}
    bets = cast("dict[str, dict[str, object]]", raw["bets"])
    law["bets"] = {bet: {key: bets[bet][key] for key in bets[bet] if key not in _WORDS} for bet in bets}
    return hashlib.sha256(msgspec.json.encode(law, order="deterministic")).hexdigest()


def _read_date(book: Entry) -> str:
    text = book.text("in_force_from")
    try:
        valid = _DATE.fullmatch(text) is not None and datetime.fromisoformat(text) is not None
    except ValueError:
        valid = False
    if not valid:
        expected = "a date, perhaps with its hour in Singapore time, such as 2019-09-16T08:00+08:00"
        book.refuse(f"expected {expected}, not {text!r}", "in_force_from")
    return text


def _read_id(book: Entry) -> str:
    text = book.text("id")
    if not _ID.fullmatch(text):
        book.refuse(f"expected lower-case words joined by hyphens, not {text!r}", "id")
    return text


def _read_register(book: Entry) -> dict[Clause, RegisteredClause]:
    register = {}
    for name, entry in book.named_tables("clauses").items():
        handled_by = entry.choice("handled_by", HandledBy)
        register[Clause(name)] = RegisteredClause(
            id=Clause(name),
            summary=entry.text("summary"),
            kind=entry.choice("kind", Kind),
            handled_by=handled_by,
            command=entry.text("command") if handled_by is HandledBy.STAFF else None,
            offers=entry.text("offers") if handled_by is HandledBy.PEOPLE else None,
            open=entry.optional_text("open"),
        )
        entry.done()
    return register


def _read_topics(book: Entry) -> dict[Topic, tuple[Clause, ...]]:
    entry = book.table("topics")
    topics = {topic: entry.clauses(topic) for topic in Topic}
    entry.done()
    for topic in _EVERY_BOOK_HAS:
        if not topics[topic]:
            entry.refuse("no book is without a clause on this", topic)
    return topics


def _read_decks(book: Entry) -> Decks:
    entry = book.table("decks")
    decks = Decks(entry.whole("least", 1, 99), entry.whole("most", 1, 99), entry.clause())
    if decks.least > decks.most:
        entry.refuse(f"least {decks.least} is above most {decks.most}")
    entry.done()
    return decks


def _read_layouts(book: Entry, bets: dict[str, BetRule]) -> dict[str, Layout]:
    layouts = {}
    for name, entry in book.named_tables("layouts").items():
        menu = tuple(entry.texts("menu")) if entry.has("menu") else tuple(bets)
        for bet in menu:
            if bet not in bets:
                entry.refuse(f"the book has no bet {bet!r}", "menu")
        for side in Side:
            if side not in menu:
                entry.refuse(f"every layout has the bet {side}", "menu")
        least, most = _read_boxes(entry)
        kind = entry.choice("kind", LayoutKind) if entry.has("kind") else None
        layouts[name] = Layout(name, kind, least, most, menu, entry.clause())
        entry.done()
    played = {bet for layout in layouts.values() for bet in layout.menu}
    for rule in bets.values():
        if rule.id not in played:
            book.refuse("the bet is on no layout", f"bets.{rule.id}", rule.clause)
    return layouts


def _read_boxes(layout: Entry) -> tuple[int | None, int | None]:
    """The number of boxes, which a book may leave unstated but a file may not leave out."""
    text = layout.text("boxes")
    if text == "unstated":
        return None, None
    match = _BOXES.fullmatch(text)
    least, most = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if least > most:
        layout.refuse(f'expected "9", "1-6" or "unstated", not {text!r}', "boxes")
    return least, most
