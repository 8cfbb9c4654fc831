"""How we read the books where they are silent or can be read two ways."""

from msgspec import Struct

from punto.rules.reading.entries import Entry, read_toml
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


class Reading(Struct, frozen=True):
    """One reading, and the topics, so the clauses of each book, that it is about."""

    id: str
    subject: str
    text: str
    topics: tuple[Topic, ...]
    bet: str | None = None
    """The bet it is about: a book without that bet has nothing to read."""
    open: str | None = None
    """The room that is still to implement it; None when that is done."""

    def clauses(self, book: Rulebook) -> tuple[Clause, ...]:
        """The clauses of a book that the reading is about."""
        if self.bet is not None and self.bet not in book.bets:
            return ()
        return tuple(dict.fromkeys(clause for topic in self.topics for clause in book.topics[topic]))


def read_readings(text: str, file: str) -> tuple[Reading, ...]:
    """The readings written in ``text``, refused like a book where they are wrong."""
    top = Entry(file, "", read_toml(text, file))
    readings: dict[str, Reading] = {}
    for entry in top.tables("readings"):
        topics = entry.texts("topics")
        if not topics or any(topic not in list(Topic) for topic in topics):
            entry.refuse(f"expected topics, not {topics}", "topics")
        reading = Reading(
            id=entry.text("id"),
            subject=entry.text("subject"),
            text=entry.text("text"),
            topics=tuple(map(Topic, topics)),
            bet=entry.optional_text("bet"),
            open=entry.optional_text("open"),
        )
        entry.done()
        if reading.id in readings:
            entry.refuse(f"there is a reading {reading.id} already")
        readings[reading.id] = reading
    top.done()
    return tuple(readings.values())
