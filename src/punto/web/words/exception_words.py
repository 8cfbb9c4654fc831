"""What is out of the ordinary in a gaming day, in words."""

from collections.abc import Iterator, Mapping

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.floor.journal.event_base import HouseEvent
from punto.floor.reports.days.day_exceptions import DayException
from punto.table.preview import shown
from punto.table.records.events import BettingClosed
from punto.web.words.event_words import Writer
from punto.web.words.house_words import HouseNames, house_words


def exception_words(found: DayException, writer: Writer, titles: Mapping[str, str]) -> tuple[str, ...]:
    """``titles`` are those of the tables, by name."""
    t, lines = writer.t, list[str]()
    if found.missing is not None:
        lines.append(t(f"report_missing.{found.missing}", table=titles.get(found.table, found.table)))
    for event in found.events:
        if isinstance(event, HouseEvent):
            lines.append(house_words(event, HouseNames(t, writer.names, titles)))
        elif not (isinstance(event, BettingClosed) and found.played):
            lines += writer.lines(shown([event]))
    return (*lines, *_played(found, writer))


def exception_reason(found: DayException, words: tuple[str, ...]) -> str:
    """The reason that somebody gave; empty if the words have it."""
    reason = next((text for event in found.events if (text := getattr(event, "reason", ""))), "")
    return "" if any(reason in line for line in words) else reason


def _played(found: DayException, writer: Writer) -> Iterator[str]:
    for bet in found.played:
        place = writer.place(bet.who, bet.box)
        yield writer.t.write(phrase("desk.played", place=place, bet=bet.bet, amount=Money(bet.played_minor)))
