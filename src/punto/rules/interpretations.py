"""How we read the books where they are silent or can be read two ways."""

from msgspec import Struct

from punto.catalogue.sentence import phrase, say
from punto.rules.loader.toml_table import TomlTable, read_toml
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


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

    @property
    def title(self) -> str:
        """The English title. A page in another language says ``reading_title.<id>`` itself."""
        return say(f"reading_title.{self.id}")

    @property
    def text(self) -> str:
        return say(f"reading.{self.id}")

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
        )
        entry.done()
        if reading.id in readings:
            entry.refuse(phrase("book_fault.reading_twice", id=reading.id))
        readings[reading.id] = reading
    top.done()
    return tuple(readings.values())
