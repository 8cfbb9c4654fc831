"""How we read the books where they are silent or can be read two ways."""

from msgspec import Struct

from punto.catalogue.sentence import Language, knows, phrase, say
from punto.rules.loader.toml_table import TomlTable, read_toml
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic

SettingValue = bool | int | str
"""A value of a table setting."""


class ReadingSetting(Struct, frozen=True):
    """The table setting by which a house reads otherwise, and the values it takes."""

    name: str
    ours: SettingValue
    values: tuple[SettingValue, ...] = ()
    """Empty for a number from ``least`` to ``most``."""
    least: int = 0
    most: int = 0
    not_by_the_book: tuple[SettingValue, ...] = ()
    """Values that leave the text of the books."""

    def takes(self, value: object) -> bool:
        if self.values:
            return _holds(self.values, value)
        return type(value) is int and self.least <= value <= self.most

    def leaves_the_book(self, value: object) -> bool:
        return _holds(self.not_by_the_book, value)


def _holds(values: tuple[SettingValue, ...], value: object) -> bool:
    """Like ``in``, but 1 is not true."""
    return any(type(each) is type(value) and each == value for each in values)


class Reading(Struct, frozen=True):
    """One reading. Its topics give the clauses it is about, in each book."""

    id: str
    subject: str
    """A key of the catalogue: ``subject.<subject>``."""
    topics: tuple[Topic, ...]
    bet: str | None = None
    """If given, the reading is about this bet and its clauses, in the books that have it."""
    books: tuple[str, ...] | None = None
    """The books it is about, if not all."""
    setting: ReadingSetting | None = None
    """None if a house cannot change it."""

    @property
    def title(self) -> str:
        return self.title_in("en")

    @property
    def text(self) -> str:
        return self.text_in("en")

    def title_in(self, language: Language) -> str:
        return say(f"reading_title.{self.id}", language)

    def text_in(self, language: Language) -> str:
        return say(f"reading.{self.id}", language)

    def alternative_in(self, language: Language) -> str | None:
        """The other way to read it, if there is one."""
        return say(f"reading_alternative.{self.id}", language) if self.has_alternative else None

    def effect_in(self, language: Language) -> str | None:
        """What the alternative changes for players or the house."""
        return say(f"reading_effect.{self.id}", language) if self.has_alternative else None

    @property
    def has_alternative(self) -> bool:
        return knows(f"reading_alternative.{self.id}")

    def clauses(self, book: Rulebook) -> tuple[Clause, ...]:
        """The clauses of a book that the reading is about."""
        if self.books is not None and book.id not in self.books:
            return ()
        cited = [clause for topic in self.topics for clause in book.topics[topic]]
        if self.bet is not None:
            rule = book.bets.get(self.bet)
            if rule is None:
                return ()
            cited += [rule.clause, *(clause for line in rule.pays for clause in line.verdict.clauses)]
        return tuple(dict.fromkeys(cited))


def read_readings(text: str, file: str) -> tuple[Reading, ...]:
    """Parse readings; errors are reported as for a book."""
    top = TomlTable(file, "", read_toml(text, file))
    readings: dict[str, Reading] = {}
    for entry in top.tables("readings"):
        topics = entry.texts("topics")
        if not (topics or entry.has("bet")) or any(topic not in list(Topic) for topic in topics):
            entry.refuse(phrase("book_fault.topics", value=str(topics)), "topics")
        reading = Reading(
            id=entry.text("id"),
            subject=entry.text("subject"),
            topics=tuple(map(Topic, topics)),
            bet=entry.optional_text("bet"),
            books=tuple(entry.texts("books")) if entry.has("books") else None,
            setting=_read_setting(entry.table("setting")) if entry.has("setting") else None,
        )
        entry.done()
        if reading.id in readings:
            entry.refuse(phrase("book_fault.reading_twice", id=reading.id))
        readings[reading.id] = reading
    top.done()
    return tuple(readings.values())


def _read_setting(table: TomlTable) -> ReadingSetting:
    if table.has("values"):
        setting = ReadingSetting(
            name=table.text("name"),
            ours=_read_value(table, "ours"),
            values=_read_values(table, "values"),
            not_by_the_book=_read_values(table, "not_by_the_book") if table.has("not_by_the_book") else (),
        )
    else:
        least = table.whole("least", 0, _MAX_NUMBER)
        setting = ReadingSetting(
            name=table.text("name"),
            ours=_read_value(table, "ours"),
            least=least,
            most=table.whole("most", least, _MAX_NUMBER),
        )
    table.done()
    if not setting.takes(setting.ours):
        table.refuse(phrase("book_fault.reading_value", value=str(setting.ours)), "ours")
    for value in setting.not_by_the_book:
        if not setting.takes(value):
            table.refuse(phrase("book_fault.reading_value", value=str(value)), "not_by_the_book")
    return setting


def _read_value(table: TomlTable, key: str) -> SettingValue:
    value = table.take(key)
    if not isinstance(value, bool | int | str):
        table.refuse(phrase("book_fault.reading_value", value=str(value)), key)
    return value


def _read_values(table: TomlTable, key: str) -> tuple[SettingValue, ...]:
    values = table.take(key)
    if not isinstance(values, list) or not values or not all(isinstance(each, bool | int | str) for each in values):
        table.refuse(phrase("book_fault.reading_value", value=str(values)), key)
    return tuple(values)


_MAX_NUMBER = 1_000
