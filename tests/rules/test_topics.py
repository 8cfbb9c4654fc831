"""Topics that switch a rule on: all of them are listed, none too many, and ``Rulebook.has`` alone asks for them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import punto
from punto import book
from punto.rules.rulebook import Rulebook
from punto.rules.topics import RULE_SWITCHES, Topic
from punto.table.engine import DECIDERS
from punto.table.records.settings import check_settings
from tests.marks import BOOKS
from tests.table.tables import settings

SOURCE = Path(punto.__file__).parent
LOADER = SOURCE / "rules" / "loader"
COMMAND_TOPICS = {kind.topic for kind in DECIDERS if kind.topic is not None}
EVERY_SETTING = {
    "observing": True,
    "forgone_for_the_round": True,
    "established_by_staked_bets": True,
    "differential_minor": 100_00,
    "private": True,
    "no_insurance": True,
}


def test_the_topic_of_every_command_switches_a_rule() -> None:
    assert COMMAND_TOPICS <= RULE_SWITCHES


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_book_has_a_rule_if_it_has_clauses_on_it(rules: Rulebook) -> None:
    for topic in RULE_SWITCHES:
        assert rules.has(topic) == (rules.topics[topic] != ())


@pytest.mark.parametrize("topic", sorted(set(Topic) - RULE_SWITCHES))
def test_a_topic_that_is_only_cited_cannot_be_asked_for(topic: Topic) -> None:
    with pytest.raises(ValueError, match=f"{topic} switches no rule"):
        book("commission").has(topic)


# ---- in the source


@cache
def _trees() -> list[tuple[str, ast.Module]]:
    """Of the modules that mention a topic."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return [(path.relative_to(SOURCE).as_posix(), ast.parse(text)) for path, text in texts.items() if "opic" in text]


def _tested(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions of which only the truth, the length or the equality is used."""
    for node in ast.walk(tree):
        match node:
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
                yield node.test
            case ast.UnaryOp(op=ast.Not()):
                yield node.operand
            case ast.BoolOp():
                yield from node.values
            case ast.comprehension():
                yield from node.ifs
            case ast.Compare():
                yield from (node.left, *node.comparators)
            case ast.Call(func=ast.Name(id="bool" | "len" | "any" | "all")):
                yield from node.args


def _truth_tests(tree: ast.AST) -> list[int]:
    """The lines that test the clauses of a topic, as in ``if book.topics[topic]``."""
    lines = []
    for tested in _tested(tree):
        match tested:
            case ast.Subscript(value=ast.Attribute(attr="topics") | ast.Name(id="topics")):
                lines.append(tested.lineno)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="topics"), attr="get")):
                lines.append(tested.lineno)
    return lines


@pytest.mark.parametrize(
    "line",
    [
        "if book.topics[topic]: pass",
        "x = 1 if not rules.topics[Topic.OPTIONS] else 2",
        "x = a and self._book.topics[topic]",
        "x = [a for a in b if c.topics[a]]",
        "x = bool(topics[Topic.TIE])",
        "x = book.topics[topic] == ()",
        "while book.topics.get(topic): pass",
    ],
)
def test_the_scan_finds_a_truth_test(line: str) -> None:
    assert _truth_tests(ast.parse(line)) == [1]


def test_nothing_tests_a_topic_for_clauses_but_the_loader_and_has() -> None:
    found = {name: lines for name, tree in _trees() if (lines := _truth_tests(tree))}
    loader = {name for name in found if (SOURCE / name).is_relative_to(LOADER)}
    assert loader, "the scan finds nothing"
    assert found.keys() - loader == {"rules/rulebook.py"}
    assert len(found["rules/rulebook.py"]) == 2  # in ``has`` and ``has_shuffler``


def test_every_switch_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {Topic[topic] for _, tree in _trees() for node in ast.walk(tree) for topic in _named(node)}
    asked = set()

    def has(_: Rulebook, topic: Topic) -> bool:
        asked.add(topic)
        return True

    monkeypatch.setattr(Rulebook, "has", has)
    rules = book("commission")
    assert check_settings(rules, settings(rules, **EVERY_SETTING)) is None
    assert COMMAND_TOPICS | named | asked == RULE_SWITCHES


def _named(node: ast.AST) -> Iterator[str]:
    """The topic in ``book.has(Topic.NAME)``."""
    match node:
        case ast.Call(func=ast.Attribute(attr="has"), args=[ast.Attribute(value=ast.Name(id="Topic"), attr=topic)]):
            yield topic
