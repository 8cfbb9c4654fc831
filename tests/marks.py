"""Markers for the clauses and readings that a test shows, and for parameters that run at night."""

from collections.abc import Callable, Container, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

from punto import book, book_ids
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic

BOOKS: tuple[Rulebook, ...] = tuple(book(each) for each in book_ids())
LATER = ("commission-insurance", "super-six-plus", "da-hu-ying-xiong", "tiger-buffalo")
"""The four books that share most of their numbering; `commission` is older and has its own."""
INSURED: tuple[Rulebook, ...] = tuple(rules for rules in BOOKS if rules.insurance)
Value = TypeVar("Value")


def clause(book_id: str, *ids: str) -> pytest.MarkDecorator:
    return pytest.mark.clause(book_id, *ids)


def reading(*ids: str) -> pytest.MarkDecorator:
    return pytest.mark.reading(*ids)


def books(*topics: Topic, among: Iterable[Rulebook] = BOOKS, also: dict[str, str] | None = None) -> list[ParameterSet]:
    """A parameter for each book that has a clause on the topics, marked with those clauses.

    ``also`` adds clauses by book, separated by spaces, because a number does not mean the same in all books.
    """
    parameters = []
    more = also or {}
    for rules in among:
        cited: list[str] = [one for topic in topics for one in rules.topics[topic]]
        if topics and not cited:
            continue
        cited += more.get(rules.id, "").split()
        marks = [clause(rules.id, *cited)] if cited else []
        parameters.append(pytest.param(rules, id=rules.id, marks=marks))
    return parameters


def rest_at_night(
    values: Iterable[Value], in_test: Container[Value], name: Callable[[Value], str] = str
) -> list[ParameterSet]:
    """A parameter for each value. Those not ``in_test`` show the same once more, in ``make nightly`` alone."""
    return [
        pytest.param(value, id=name(value), marks=[] if value in in_test else [pytest.mark.nightly]) for value in values
    ]
