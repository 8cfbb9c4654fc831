"""Which tests show which clause and reading: the file ``shown_by.jsonl`` of the register."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec
import pytest

from punto import book, book_ids
from punto.library import ShowingTest, readings

COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""Every test that was collected, also those that the run leaves out by their markers."""


def shown_by(items: Iterable[pytest.Item]) -> bytes:
    """JSON Lines, by test."""
    clauses: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    by_reading: defaultdict[str, set[str]] = defaultdict(set)
    for item in items:
        for mark in item.iter_markers("clause"):
            clauses[_name(item)] |= {(mark.args[0], one) for one in mark.args[1:]}
        for mark in item.iter_markers("reading"):
            by_reading[_name(item)] |= set(mark.args)
    shown = [
        ShowingTest(
            test=test,
            clauses={
                game: ids
                for game in book_ids()
                if (ids := [str(one) for one in book(game).clauses if (game, one) in clauses[test]])
            },
            readings=[each.id for each in readings() if each.id in by_reading[test]],
        )
        for test in sorted(clauses.keys() | by_reading.keys())
    ]
    return msgspec.json.Encoder().encode_lines(shown)


def _name(item: pytest.Item) -> str:
    """A test by its file and function, a case of ``tests/cases`` by its file."""
    function, _, parameters = item.nodeid.partition("[")
    return f"tests/cases/{parameters.partition('::')[0]}" if function.endswith("::test_case") else function
