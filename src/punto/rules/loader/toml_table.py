"""Strict reading of TOML tables: each key is read by name, and unread keys are refused."""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, NoReturn, TypeVar

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.money import read_ratio
from punto.rules.refusals import Clause, Code, Refused

T = TypeVar("T", bound=StrEnum)

MAX_WORDS: Final = 400
"""Characters of a name or of a clause in a book."""
_LONGEST_SHOWN, _MOST_SHOWN = 160, 20
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?", re.ASCII)


class BookError(Refused):
    """A book that cannot be loaded: where in the file, near which clause, and why."""

    def __init__(self, file: str, place: str | Phrase, problem: Phrase, clause: str | None = None) -> None:
        super().__init__(
            Code.BAD_BOOK,
            variant="clause" if clause else "place",
            file=file,
            place=place if isinstance(place, Phrase) else _short(place),
            clause=_short(clause),
            problem=Phrase(problem.key, {name: _short(value) for name, value in problem.values.items()}),
        )


def _short(value: object) -> Any:
    """What a message shows of a value: a book may have anything in it."""
    if isinstance(value, tuple):
        return tuple(map(_short, value[:_MOST_SHOWN]))
    if not isinstance(value, str):
        return value
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in value[:_LONGEST_SHOWN])


def read_toml(text: str, file: str) -> dict[str, object]:
    """The tables written in ``text``."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib raises these for some numbers and for deep nesting
        raise BookError(
            file, phrase("book_fault.top_level"), phrase("book_fault.not_toml", reason=str(error))
        ) from None


class TomlTable:
    """One table of a book, with its place in the file."""

    def __init__(self, file: str, place: str, raw: object, parent: "TomlTable | None" = None) -> None:
        self._file = file
        self.place = place
        self._nearest_clause: str | None = parent._nearest_clause if parent else None
        self._known_clauses: frozenset[str] = parent._known_clauses if parent else frozenset()
        if not isinstance(raw, Mapping):
            self.refuse(phrase("book_fault.table_expected", value=shown(raw)))
        self._raw: dict[str, object] = dict(raw)
        clause = self._raw.get("clause")
        if isinstance(clause, str):
            self._nearest_clause = clause

    def refuse(self, problem: Phrase, key: str | None = None, clause: str | None = None) -> NoReturn:
        """Raise with the problem and its place."""
        place = ".".join(part for part in (self.place, key) if part) or phrase("book_fault.top_level")
        raise BookError(self._file, place, problem, clause or self._nearest_clause)

    def register(self, clauses: frozenset[str]) -> None:
        """Set the clauses that entries can cite."""
        self._known_clauses = clauses

    def has(self, key: str) -> bool:
        """Whether the key is present and not read yet."""
        return key in self._raw

    def has_any(self) -> bool:
        """Whether any key is left."""
        return bool(self._raw)

    def peek(self, key: str) -> object:
        """The value of a key, without marking it as read."""
        return self._raw[key]

    def take(self, key: str) -> object:
        """The value of a key, of any type; refused if absent."""
        if key not in self._raw:
            self.refuse(phrase("book_fault.missing"), key)
        return self._raw.pop(key)

    def text(self, key: str) -> str:
        """A string that is not empty."""
        value = self.take(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(phrase("book_fault.text", value=shown(value)), key)
        return value

    def optional_text(self, key: str) -> str | None:
        """A string, or None where the key is absent."""
        return self.text(key) if self.has(key) else None

    def words(self, key: str) -> dict[str, str]:
        """A text, in English, or a table of texts by language."""
        value = self.take(key)
        texts = {"en": value} if isinstance(value, str) else value
        if not isinstance(texts, Mapping) or not texts:
            self.refuse(phrase("book_fault.words", value=shown(value)), key)
        for language, text in texts.items():
            if not _LANGUAGE.fullmatch(language):
                self.refuse(phrase("book_fault.language", value=repr(language)[:60]), key)
            if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > MAX_WORDS:
                self.refuse(phrase("book_fault.printable", value=shown(text), most=MAX_WORDS), f"{key}.{language}")
        return dict(texts)

    def whole(self, key: str, least: int, most: int) -> int:
        """An integer within bounds."""
        value = self.take(key)
        if type(value) is not int or not least <= value <= most:
            self.refuse(phrase("book_fault.whole", least=least, most=most, value=shown(value)), key)
        return value

    def optional_whole(self, key: str, least: int, most: int) -> int | None:
        """An integer within bounds, or None where the key is absent."""
        return self.whole(key, least, most) if self.has(key) else None

    def choice(self, key: str, choices: type[T]) -> T:
        """One of a few words."""
        value = self.take(key)
        if not isinstance(value, str) or value not in list(choices):
            self.refuse(phrase("book_fault.choice", choices=tuple(choices), value=shown(value)), key)
        return choices(value)

    def clause(self, key: str = "clause") -> Clause:
        """A clause of the register."""
        return self._check_clause(self.text(key), key)

    def clauses(self, key: str) -> tuple[Clause, ...]:
        """Clauses of the register; can be empty."""
        return tuple(self._check_clause(clause, key) for clause in self.texts(key))

    def _check_clause(self, clause: str, key: str) -> Clause:
        if clause not in self._known_clauses:
            self.refuse(phrase("book_fault.clause_unknown", clause=clause), key)
        return Clause(clause)

    def texts(self, key: str) -> list[str]:
        """A list of strings."""
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.refuse(phrase("book_fault.texts", value=shown(value)), key)
        if len(set(value)) < len(value):
            self.refuse(phrase("book_fault.duplicate"), key)
        return value

    def numbers(self, key: str) -> frozenset[int]:
        """Points or card values: whole numbers from 0 to 9, each once, at least one."""
        value = self.take(key)
        if not isinstance(value, list) or not value or not all(type(n) is int and 0 <= n <= 9 for n in value):
            self.refuse(phrase("book_fault.numbers", value=shown(value)), key)
        if len(set(value)) < len(value):
            self.refuse(phrase("book_fault.duplicate"), key)
        return frozenset(value)

    def ratio(self, key: str) -> Fraction:
        """A positive ratio written as a string: a float is never exact."""
        value = self.take(key)
        ratio = read_ratio(value) if isinstance(value, str) else None
        if ratio is None:
            self.refuse(phrase("book_fault.ratio", value=shown(value)), key)
        return ratio

    def table(self, key: str) -> "TomlTable":
        """A table within this one."""
        return self._inner(key, self.take(key))

    def named_tables(self, key: str) -> dict[str, "TomlTable"]:
        """The tables within a table, by name; at least one."""
        outer = self.table(key)
        if not outer._raw:
            outer.refuse(phrase("book_fault.entries"))
        if not all(name.strip() for name in outer._raw):
            outer.refuse(phrase("book_fault.unnamed"))
        return {name: outer._inner(name, raw) for name, raw in outer._raw.items()}

    def tables(self, key: str) -> list["TomlTable"]:
        """A list of tables; at least one."""
        value = self.take(key)
        if not isinstance(value, list) or not value:
            self.refuse(phrase("book_fault.tables", value=shown(value)), key)
        return [self._inner(f"{key}[{at}]", raw) for at, raw in enumerate(value)]

    def _inner(self, key: str, raw: object) -> "TomlTable":
        return TomlTable(self._file, f"{self.place}.{key}" if self.place else key, raw, self)

    def done(self) -> None:
        """Refuse any key that was not read."""
        if self._raw:
            self.refuse(phrase("book_fault.unknown", keys=tuple(sorted(self._raw))))


def shown(value: object) -> str | Phrase:
    """A value as shown in a message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return phrase("book_fault.float", number=str(value))
    if isinstance(value, Mapping):
        return phrase("book_fault.table")
    return repr(value)[:60]
