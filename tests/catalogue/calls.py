"""Every place in the source that makes a sentence, found in the syntax trees of modules and templates."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jinja2 import nodes

import punto
from punto.client.errors import ClientCode
from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from punto.table.refusals import TableCode
from punto.web.http.errors import WebCode
from punto.web.pages.base.templates import templates

SOURCE = Path(punto.__file__).parent
ROOMS = (Code, TableCode, FloorCode, WebCode, ClientCode)
CODES = {f"{kind.__name__}.{code.name}": code.value for kind in ROOMS for code in kind}
MAKERS = {"Refused", "FloorRefused", "ClientRefused", "Closing", "raised_as", "refuse"}
NOT_VALUES = {"variant", "topic", "clauses", "wait_s", "status", "legal", "sentence"}
RELAYED = (
    "client/errors.py: ClientRefused(problem.code",
    "floor/running/adopted_readings.py: FloorRefused(refusal.code",
)
"""Refusals that hand another one on: of a server, which has put it in words already, and of the table."""
ANY = "*"
"""Ends a key that is made from a variable: all keys of its section may be meant."""


class Call(NamedTuple):
    """One such place: the keys of its sentences, one or by a condition two, and the names of its values."""

    place: str
    keys: tuple[str, ...]
    values: frozenset[str]


def source_calls() -> Iterator[Call]:
    """All of them in Python; a refusal that names no code is an error unless it hands another one on."""
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (keys := _keys(file, node)):
                yield Call(f"{file}:{node.lineno}", keys, _values(node))


def template_calls() -> Iterator[Call]:
    """All of them in the templates of pages."""
    environment = templates()
    assert environment.loader is not None
    for file in environment.list_templates():
        for call in environment.parse(environment.loader.get_source(environment, file)[0]).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "t":
                place = f"{file}:{call.lineno}"
                values = frozenset(keyword.key for keyword in call.kwargs)
                yield Call(place, _texts_of_template(place, call.args[0]), values)


def _texts_of_template(place: str, node: nodes.Expr) -> tuple[str, ...]:
    if isinstance(node, nodes.Concat) and isinstance(node.nodes[0], nodes.Const):
        return (_section(place, node.nodes[0].value),)
    assert isinstance(node, nodes.Const), f"{place}: a key that cannot be read here"
    return (str(node.value),)


def _section(place: str, constant: object) -> str:
    section = str(constant)
    assert section.endswith("."), f"{place}: the section of a key has to be a constant"
    return section + ANY


def _values(call: ast.Call) -> frozenset[str]:
    others = {"phrase": set[str](), "say": {"to_player"}}.get(ast.unparse(call.func), NOT_VALUES)
    return frozenset(keyword.arg or "**" for keyword in call.keywords if keyword.arg not in others)


def _keys(file: str, call: ast.Call) -> tuple[str, ...]:
    assert not _is_of_module(call), f"{file}:{call.lineno}: import the name itself: {ast.unparse(call)}"
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in ("phrase", "say", "t"):
        return _texts(file, call.args[0])
    in_base = isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == "super().__init__"
    if name not in MAKERS and not in_base:
        return ()
    named = [CODES[text] for text in map(ast.unparse, call.args) if text in CODES]
    if in_base and not named:
        return ()
    if not named and f"{file}: {ast.unparse(call)}".startswith(RELAYED):
        return ()
    assert len(named) == 1, f"{file}:{call.lineno} names no code: {ast.unparse(call)}"
    given = [keyword.value for keyword in call.keywords if keyword.arg == "variant"]
    variants = [variant for value in given for variant in _texts(file, value)]
    return tuple(f"{named[0]}.{variant}" for variant in variants) or (named[0],)


def _is_of_module(call: ast.Call) -> bool:
    """Whether it makes a refusal in a form that is not recognised here, such as ``errors.Refused(...)``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in MAKERS:
        return False
    texts = [ast.unparse(argument) for argument in call.args]
    return call.func.attr != "refuse" or any(text.endswith(tuple(CODES)) for text in texts)  # methods are called so too


def _texts(file: str, node: ast.expr) -> tuple[str, ...]:
    """The constant, the two constants of a condition, or the section of a key made from a variable."""
    if isinstance(node, ast.IfExp):
        return (*_texts(file, node.body), *_texts(file, node.orelse))
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        return (_section(f"{file}:{node.lineno}", node.values[0].value),)
    if isinstance(node, ast.Attribute) and node.attr == "key":
        return ()
    assert isinstance(node, ast.Constant), f"{file}:{node.lineno}: a key that cannot be read here: {ast.unparse(node)}"
    return (str(node.value),)
