"""The shelf: finds what ships with the package and hands its text to the rules, which do no I/O."""

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from punto.catalogue import own_words
from punto.catalogue.sentence import knows, phrase
from punto.rules.interpretations import Reading, read_readings
from punto.rules.loader import BookError, read_book
from punto.rules.loader.extending import Source
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

_RULES = files("punto.rules")
_BOOKS = _RULES / "books"


_SUFFIX = ".toml"
MAX_BOOK_BYTES: Final = 1 << 20
BOOKS_FOLDER: Final = "PUNTO_BOOKS"
"""The environment variable with a folder of books."""


@cache
def shipped_ids() -> tuple[str, ...]:
    """The ids of the books that ship with the package. A book is one TOML file: put it there, and it is one more."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in _BOOKS.iterdir() if path.name.endswith(_SUFFIX)))


def book_ids() -> tuple[str, ...]:
    """The ids of all books on the shelf: the shipped ones, and those of the folders that were put on it."""
    _put_environment_on_shelf()
    return tuple(sorted({*shipped_ids(), *_OWN}))


_OWN: dict[str, Rulebook] = {}
"""The books of the folders on the shelf, by id."""


def book(book_id: str) -> Rulebook:
    """The book of that id.

    >>> book("commission").title
    'Commission Baccarat'
    """
    _put_environment_on_shelf()
    own = _OWN.get(book_id)
    return own if own is not None else _shipped(book_id)


@cache
def _shipped(book_id: str) -> Rulebook:
    if book_id not in shipped_ids():
        raise Refused(Code.UNKNOWN_BOOK, book=book_id[:40], books=book_ids())
    source = _shipped_source(book_id)
    rules = read_book(source.text, source.file)
    if rules.id != book_id:
        raise BookError(source.file, "id", phrase("book_fault.file_name", id=rules.id))
    return rules


def _shipped_source(book_id: str) -> Source:
    file = f"{book_id}{_SUFFIX}"
    return Source((_BOOKS / file).read_text(encoding="utf-8"), file)


def is_path(game: str) -> bool:
    """Whether a game is named by a file of its own: a path, or a name with the ending of books."""
    return game.endswith(_SUFFIX) or "/" in game or os.sep in game


def game(name: str) -> Rulebook:
    """The book of that id, or in the file at that path. For commands: what comes over the network is an id only."""
    return read_file(Path(name)) if is_path(name) else book(name)


def read_file(path: Path) -> Rulebook:
    """The book in a file. Its names are known from then on."""
    source = _file_source(path)
    rules = read_book(source.text, source.file, _find)
    for key, texts in rules.words.items():
        own_words.learn(key, texts)
    for key, name in ((f"book.{rules.id}", rules.id), *((f"bet.{bet}", bet) for bet in rules.bets)):
        if not knows(key):  # a name that its author did not give
            own_words.learn(key, {"en": name.replace("_", " ").replace("-", " ").title()})
    return rules


@cache
def _put_environment_on_shelf() -> None:
    """Read the folder that the environment names, once."""
    folder = os.environ.get(BOOKS_FOLDER)
    if folder:
        put_on_shelf(Path(folder))


def put_on_shelf(folder: Path) -> tuple[Rulebook, ...]:
    """Read all books of a folder; from then on their ids stand for them."""
    if not folder.is_dir():
        raise Refused(Code.UNREADABLE_BOOK, variant="folder", file=str(folder)[:200])
    books = {}
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        rules = read_file(path)
        if rules.id in shipped_ids() or rules.id in books:
            raise BookError(str(path), "id", phrase("book_fault.id_taken", id=rules.id))
        books[rules.id] = rules
    _OWN.update(books)
    return tuple(books.values())


def _file_source(path: Path) -> Source:
    try:
        if path.stat().st_size > MAX_BOOK_BYTES:
            raise Refused(Code.UNREADABLE_BOOK, variant="too_large", file=str(path)[:200], most=MAX_BOOK_BYTES)
        return Source(path.read_text(encoding="utf-8"), str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not UTF-8"
        raise Refused(Code.UNREADABLE_BOOK, file=str(path)[:200], reason=reason) from None


def _find(extends: str, file: str) -> Source:
    """The book that a file extends: a shipped one, or a file beside it."""
    if is_path(extends):
        return _file_source(Path(os.path.normpath(Path(file).parent / extends)))
    if extends not in shipped_ids():
        raise BookError(file, "extends", phrase("book_fault.extends_unknown", book=extends, books=shipped_ids()))
    return _shipped_source(extends)


@cache
def readings() -> tuple[Reading, ...]:
    """All our readings of the books."""
    file = "interpretations.toml"
    return read_readings((_RULES / file).read_text(encoding="utf-8"), file)


class ShowingTest(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of ``shown_by.jsonl``, which ``make register`` writes: a test function, or a file of cases."""

    test: str
    clauses: dict[str, list[str]] = {}
    """By book."""
    readings: list[str] = []


class ShownBy(Struct, frozen=True):
    """The tests that show each clause of each book, and each reading."""

    clauses: dict[str, dict[str, list[str]]]
    readings: dict[str, list[str]]


@cache
def shown_by() -> ShownBy:
    """The tests behind each clause and reading of this release."""
    shown = ShownBy(clauses={game: {} for game in shipped_ids()}, readings={})
    decoder = msgspec.json.Decoder(ShowingTest)
    for each in decoder.decode_lines((_RULES / "shown_by.jsonl").read_bytes()):
        for game, clauses in each.clauses.items():
            for clause in clauses:
                shown.clauses[game].setdefault(clause, []).append(each.test)
        for reading in each.readings:
            shown.readings.setdefault(reading, []).append(each.test)
    return shown
