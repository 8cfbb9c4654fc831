"""Strict reading of TOML tables: each key is read by name, and unread keys are refused."""

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import NoReturn, TypeVar

from punto.rules.money import read_ratio
from punto.rules.refusals import Clause, Code, Refused

T = TypeVar("T", bound=StrEnum)


class BookError(Refused):
    """A book that cannot be loaded: where in the file, and why. In English, for authors of books."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(Code.BAD_BOOK, where=where, problem=problem)


def read_toml(text: str, file: str) -> dict[str, object]:
    """The tables written in ``text``."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib raises these for some numbers and for deep nesting
        raise BookError(file, f"not TOML: {error}") from None


class TomlTable:
    """One table of a book, with its place in the file."""

    def __init__(self, file: str, place: str, raw: object, parent: "TomlTable | None" = None) -> None:
        self._file = file
        self.place = place
        self._nearest_clause: str | None = parent._nearest_clause if parent else None
        self._known_clauses: frozenset[str] = parent._known_clauses if parent else frozenset()
        if not isinstance(raw, Mapping):
            self.refuse(f"expected a table, not {_kind(raw)}")
        self._raw: dict[str, object] = dict(raw)
        clause = self._raw.get("clause")
        if isinstance(clause, str):
            self._nearest_clause = clause

    def refuse(self, message: str, key: str | None = None, clause: str | None = None) -> NoReturn:
        """Raise with the problem and its place."""
        place = ".".join(part for part in (self.place, key) if part) or "top level"
        nearest = clause or self._nearest_clause
        citation = f" (clause {nearest})" if nearest else ""
        raise BookError(f"{self._file}: {place}{citation}", message)

    def register(self, clauses: frozenset[str]) -> None:
        """Set the clauses that entries can cite."""
        self._known_clauses = clauses

    def has(self, key: str) -> bool:
        """Whether the key is present and not read yet."""
        return key in self._raw

    def peek(self, key: str) -> object:
        """The value of a key, without marking it as read."""
        return self._raw[key]

    def take(self, key: str) -> object:
        """The value of a key, of any type; refused if absent."""
        if key not in self._raw:
            self.refuse("missing", key)
        return self._raw.pop(key)

    def text(self, key: str) -> str:
        """A string that is not empty."""
        value = self.take(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"expected a string, not {_kind(value)}", key)
        return value

    def optional_text(self, key: str) -> str | None:
        """A string, or None where the key is absent."""
        return self.text(key) if self.has(key) else None

    def whole(self, key: str, least: int, most: int) -> int:
        """An integer within bounds."""
        value = self.take(key)
        if type(value) is not int or not least <= value <= most:
            self.refuse(f"expected a whole number from {least} to {most}, not {_kind(value)}", key)
        return value

    def optional_whole(self, key: str, least: int, most: int) -> int | None:
        """An integer within bounds, or None where the key is absent."""
        return self.whole(key, least, most) if self.has(key) else None

    def choice(self, key: str, choices: type[T]) -> T:
        """One of a few words."""
        value = self.take(key)
        if not isinstance(value, str) or value not in list(choices):
            self.refuse(f"expected one of {', '.join(choices)}, not {_kind(value)}", key)
        return choices(value)

    def clause(self, key: str = "clause") -> Clause:
        """A clause of the register."""
        return self._check_clause(self.text(key), key)

    def clauses(self, key: str) -> tuple[Clause, ...]:
        """Clauses of the register; can be empty."""
        return tuple(self._check_clause(clause, key) for clause in self.texts(key))

    def _check_clause(self, clause: str, key: str) -> Clause:
        if clause not in self._known_clauses:
            self.refuse(f"clause {clause!r} is not in the register", key)
        return Clause(clause)

    def texts(self, key: str) -> list[str]:
        """A list of strings."""
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.refuse(f"expected a list of strings, not {_kind(value)}", key)
        if len(set(value)) < len(value):
            self.refuse("the list has the same string twice", key)
        return value

    def numbers(self, key: str) -> frozenset[int]:
        """Points or card values: whole numbers from 0 to 9, each once, at least one."""
        value = self.take(key)
        if not isinstance(value, list) or not value or not all(type(n) is int and 0 <= n <= 9 for n in value):
            self.refuse(f"expected a list of whole numbers from 0 to 9, not {_kind(value)}", key)
        if len(set(value)) < len(value):
            self.refuse("the list has the same number twice", key)
        return frozenset(value)

    def ratio(self, key: str) -> Fraction:
        """A positive ratio written as a string: a float is never exact."""
        value = self.take(key)
        ratio = read_ratio(value) if isinstance(value, str) else None
        if ratio is None:
            self.refuse(f'expected a ratio as a string such as "8" or "19/20", not {_kind(value)}', key)
        return ratio

    def table(self, key: str) -> "TomlTable":
        """A table within this one."""
        return self._inner(key, self.take(key))

    def named_tables(self, key: str) -> dict[str, "TomlTable"]:
        """The tables within a table, by name; at least one."""
        outer = self.table(key)
        if not outer._raw:
            outer.refuse("expected at least one entry")
        if not all(name.strip() for name in outer._raw):
            outer.refuse("an entry has no name")
        return {name: outer._inner(name, raw) for name, raw in outer._raw.items()}

    def tables(self, key: str) -> list["TomlTable"]:
        """A list of tables; at least one."""
        value = self.take(key)
        if not isinstance(value, list) or not value:
            self.refuse(f"expected a list of tables, not {_kind(value)}", key)
        return [self._inner(f"{key}[{at}]", raw) for at, raw in enumerate(value)]

    def _inner(self, key: str, raw: object) -> "TomlTable":
        return TomlTable(self._file, f"{self.place}.{key}" if self.place else key, raw, self)

    def done(self) -> None:
        """Refuse any key that was not read."""
        if self._raw:
            self.refuse(f"unknown {', '.join(sorted(self._raw))}")


def _kind(value: object) -> str:
    """A value as shown in a message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"the float {value}"
    if isinstance(value, Mapping):
        return "a table"
    return repr(value)[:60]
