"""The shelf: finds what ships with the package and hands its text to the rules, which do no I/O."""

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.rules.interpretations import Reading, read_readings
from punto.rules.loader import BookError, read_book
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

_RULES = files("punto.rules")
_BOOKS = _RULES / "books"


@cache
def book_ids() -> tuple[str, ...]:
    """The ids of all books on the shelf. A book is one TOML file: put it there, and it is one more."""
    return tuple(sorted(path.name.removesuffix(".toml") for path in _BOOKS.iterdir() if path.name.endswith(".toml")))


@cache
def book(book_id: str) -> Rulebook:
    """The book of that id.

    >>> book("commission").title
    'Commission Baccarat'
    """
    if book_id not in book_ids():
        raise Refused(Code.UNKNOWN_BOOK, book=book_id[:40], books=book_ids())
    file = f"{book_id}.toml"
    rules = read_book((_BOOKS / file).read_text(encoding="utf-8"), file)
    if rules.id != book_id:
        raise BookError(file, "id", phrase("book_fault.file_name", id=rules.id))
    return rules


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
    shown = ShownBy(clauses={game: {} for game in book_ids()}, readings={})
    decoder = msgspec.json.Decoder(ShowingTest)
    for each in decoder.decode_lines((_RULES / "shown_by.jsonl").read_bytes()):
        for game, clauses in each.clauses.items():
            for clause in clauses:
                shown.clauses[game].setdefault(clause, []).append(each.test)
        for reading in each.readings:
            shown.readings.setdefault(reading, []).append(each.test)
    return shown
