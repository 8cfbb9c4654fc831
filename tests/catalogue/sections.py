"""For each section of the catalogue the names that need a sentence there: these, and no other."""

from collections.abc import Iterator

from punto.library import book, book_ids, readings
from punto.rules.bets.insurance import insurance_name
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import HandledBy

BOOKS = [book(each) for each in book_ids()]


def _keys() -> Iterator[tuple[str, str]]:
    """Section and name. Code that makes a key from a variable has to use one of these sections."""
    yield from (("list", joint) for joint in ("comma", "and", "or"))
    yield from (("side", side) for side in Side)
    yield from (("bet", bet) for rules in BOOKS for bet in rules.bets)
    yield from (("bet", insurance_name(side)) for side in Side)
    yield from (("subject", reading.subject) for reading in readings())
    yield from (("reading", reading.id) for reading in readings())
    for rules in BOOKS:
        yield "book", rules.id
        for clause in rules.clauses.values():
            yield "clause", f"{rules.id}.{clause.id}"
            if clause.handled_by is HandledBy.PEOPLE:
                yield "offers", f"{rules.id}.{clause.id}"


OPTIONAL = {"book_kind"}
"""Sections in which a name may have a sentence or not."""
SECTIONS: dict[str, set[str]] = {}
for _section, _name in _keys():
    SECTIONS.setdefault(_section, set()).add(f"{_section}.{_name}")
