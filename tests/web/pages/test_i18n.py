"""Every sentence of the pages is there in both languages."""

import ast
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from jinja2 import nodes

from punto.board.words import WINNER_WORDS
from punto.library import book, book_ids
from punto.rules.coup.space import Winner
from punto.web import pages
from punto.web.pages.base.i18n import TONGUES, chinese, language_of
from punto.web.pages.base.templates import templates

ROOT = Path(pages.__file__).parent
SIDES = ("Player", "Banker")
KINDS_OF_VARIABLE = {
    "rule.name": "bets",
    "rules.bets[bet].name": "bets",
    "name": "titles",
    "kind.removesuffix(')')": "titles",
}
"""What else is said than sentences that stand in the code."""


def _title_parts() -> set[str]:
    parts = set()
    for each in book_ids():
        name, _, kind = book(each).title.partition(" (")
        parts |= {name, kind.removesuffix(")")} - {""}
    return parts


def _bet_names() -> set[str]:
    return {rule.name for each in book_ids() for rule in book(each).bets.values()}


# ---- the templates


def _said_by(file: Path) -> Iterator[str]:
    for call in templates().parse(file.read_text()).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "t":
            yield from _of_template(call.args[0])


def _of_template(said: nodes.Expr) -> Iterator[str]:
    if isinstance(said, nodes.Const):
        yield said.value
        return
    names = {name.name for name in said.find_all(nodes.Name)}
    attributes = {each.attr for each in said.find_all(nodes.Getattr)}
    if "capitalize" in attributes:
        yield from SIDES
    else:
        assert "title" in names | attributes, f"the test does not know what {said} says"
        yield from _title_parts()


# ---- the code


def _spoken_in(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text())
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "t":
            yield from _of_code(tree, call.args[0])


def _of_code(tree: ast.Module, said: ast.expr) -> Iterator[str]:
    written = ast.unparse(said)
    if isinstance(said, ast.Constant):
        yield str(said.value)
    elif isinstance(said, ast.IfExp):
        yield from _of_code(tree, said.body)
        yield from _of_code(tree, said.orelse)
    elif KINDS_OF_VARIABLE.get(written) == "bets":
        yield from _bet_names()
    elif KINDS_OF_VARIABLE.get(written) == "titles":
        yield from _title_parts()
    elif written.endswith(".capitalize()"):
        yield from SIDES
    else:
        name = said.value if isinstance(said, ast.Subscript) else said
        assert isinstance(name, ast.Name), f"the test does not know what {written} says"
        found = list(_values_of(tree, name.id))
        assert found, f"the test does not know what {written} says"
        yield from found


def _values_of(tree: ast.Module, name: str) -> Iterator[str]:
    """The texts that a name of a module, or of one of its functions, can stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets):
            yield from _texts(node.value)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Tuple) and isinstance(node.iter, ast.Tuple):
            at = [isinstance(to, ast.Name) and to.id == name for to in node.target.elts]
            if any(at):
                rows = [row for row in node.iter.elts if isinstance(row, ast.Tuple)]
                yield from (text for row in rows for text in _texts(row.elts[at.index(True)]))


def _texts(value: ast.expr) -> Iterator[str]:
    parts = value.values if isinstance(value, ast.Dict) else [value]
    if isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


@cache
def _sentences() -> dict[str, str]:
    """Every sentence, and a file that says it."""
    found = {text: file.name for file in sorted(ROOT.rglob("templates/**/*.html")) for text in _said_by(file)}
    return found | {text: file.name for file in sorted(ROOT.rglob("*.py")) for text in _spoken_in(file)}


def _places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


# ---- the tests


def test_the_sentences_of_templates_and_code_are_found() -> None:
    found = _sentences()
    assert {"The floor", "Place your bets, please", "A new shoe is being shuffled", "king", "Big Tiger"} <= set(found)
    assert len(found) > 200


def test_every_sentence_has_its_chinese() -> None:
    assert {text: file for text, file in _sentences().items() if text not in chinese()} == {}


def test_no_sentence_is_kept_that_nobody_says() -> None:
    assert [text for text in chinese() if text not in _sentences()] == []


@pytest.mark.parametrize("english", chinese(), ids=lambda text: text[:40])
def test_both_languages_speak_of_the_same_values(english: str) -> None:
    assert _places(chinese()[english]) == _places(english)


def test_the_felt_keeps_its_characters() -> None:
    zh = TONGUES["zh"]
    assert (zh("Player"), zh("Banker"), zh("Tie")) == ("閒", "庄", "和")
    for each in book_ids():
        for rule in book(each).bets.values():
            assert rule.chinese in (None, zh(rule.name))
    assert {zh(winner.capitalize()) for winner in Winner} == {names["zh"] for names in WINNER_WORDS.values()}


def test_a_sentence_with_values() -> None:
    assert TONGUES["en"]("{a} to {b}", a=11, b=1) == "11 to 1"
    assert TONGUES["zh"]("{a} to {b}", a=11, b=1) == "1 赔 11"


@pytest.mark.parametrize(
    ("headers", "asked", "language"),
    [
        ({}, None, "en"),
        ({"accept-language": "zh-SG,zh;q=0.9,en;q=0.8"}, None, "zh"),
        ({"accept-language": "fr, en-GB;q=0.8, zh;q=0.5"}, None, "en"),
        ({"accept-language": "ms"}, None, "en"),
        ({"accept-language": "en", "cookie": "punto-language=zh"}, None, "zh"),
        ({"cookie": "punto-language=zh"}, "en", "en"),
        ({"cookie": "punto-language=klingon"}, None, "en"),
        ({"cookie": "\x00=;;=,"}, None, "en"),
        ({}, "<script>", "en"),
    ],
)
def test_which_language_somebody_gets(headers: dict[str, str], asked: str | None, language: str) -> None:
    assert language_of(headers, asked) == language
