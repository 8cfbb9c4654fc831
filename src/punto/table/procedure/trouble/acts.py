"""What can be done about what one sees: a command, its questions, and whether it is possible now."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import Phrase
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.procedure.trouble.questions import FactQuestion, Facts
from punto.table.records.commands import Command
from punto.table.refusals import TableCode

Fields = dict[str, Any]
_BY_THE_BOOK = (TableCode.NOT_IN_BOOK, TableCode.WRONG_BOOK)


def no_questions(_felt: TableInTrouble, _facts: Facts) -> Iterator[FactQuestion]:
    return iter(())


def _no_fields(_: TableInTrouble) -> Iterator[Fields]:
    yield {}


def _no_condition(_: TableInTrouble) -> None:
    return None


class TroubleAct(Struct, frozen=True):
    name: str
    """Of the pick in the question ``what``."""
    kinds: tuple[type[Command], ...]
    """The first one that the book has is given."""
    ask: Callable[[TableInTrouble, Facts], Iterator[FactQuestion]] = no_questions
    probes: Callable[[TableInTrouble], Iterator[Fields]] = _no_fields
    """Fields of commands of which the table accepts one if it accepts any."""
    unless: Callable[[TableInTrouble], Refusal | Phrase | None] = _no_condition
    """Why it is not possible, where the table itself would not say, or not in plain words."""
    known: Fields = {}
    """Fields that need no question."""

    def kind(self, book: Rulebook) -> type[Command]:
        has = (kind for kind in self.kinds if kind.topic is None or book.has(kind.topic))
        return next(has, self.kinds[0])

    def why_not(self, felt: TableInTrouble) -> Refusal | Phrase | None:
        """None if it is possible now."""
        kind, first = self.kind(felt.book), None
        for fields in self.probes(felt):
            refusal = felt.refusal_of(kind, {**self.known, **fields})
            if refusal is None or refusal.code in _BY_THE_BOOK:
                return refusal or self.unless(felt)
            first = first or refusal
        return self.unless(felt) or first
