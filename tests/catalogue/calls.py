"""Every place in the source that makes a refusal or a phrase, found in its syntax tree."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import punto
from punto.client.errors import ClientCode
from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from punto.table.refusals import TableCode
from punto.web.http.errors import WebCode

SOURCE = Path(punto.__file__).parent
ROOMS = (Code, TableCode, FloorCode, WebCode, ClientCode)
CODES = {f"{kind.__name__}.{code.name}": code.value for kind in ROOMS for code in kind}
MAKERS = {"Refused", "FloorRefused", "ClientRefused", "Closing", "raised_as", "refuse"}
NOT_VALUES = {"variant", "topic", "clauses", "wait_s", "status", "legal", "sentence"}
RELAYED = "client/errors.py: ClientRefused(problem.code"
"""A refusal that a server has put in words already."""


class Call(NamedTuple):
    """One such place: the keys of its sentences, one or by a condition two, and the names of its values."""

    place: str
    keys: tuple[str, ...]
    values: frozenset[str]


def found_calls() -> Iterator[Call]:
    """All of them; a call that names no code is an error unless it hands on a refusal."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (keys := _keys(path.relative_to(SOURCE).as_posix(), node)):
                given = [keyword.arg or "**" for keyword in node.keywords if keyword.arg not in NOT_VALUES]
                yield Call(f"{path.relative_to(SOURCE)}:{node.lineno}", keys, frozenset(given))


def _keys(file: str, call: ast.Call) -> tuple[str, ...]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name == "phrase":
        return _texts(call.args[0])
    named = [CODES[text] for text in map(ast.unparse, call.args) if text in CODES]
    in_base = ast.unparse(call.func) == "super().__init__" and bool(named)
    if name not in MAKERS and not in_base:
        return ()
    if not named and f"{file}: {ast.unparse(call)}".startswith(RELAYED):
        return ()
    assert len(named) == 1, f"{file}:{call.lineno} names no code: {ast.unparse(call)}"
    variants = [variant for keyword in call.keywords if keyword.arg == "variant" for variant in _texts(keyword.value)]
    return tuple(f"{named[0]}.{variant}" for variant in variants) or (named[0],)


def _texts(node: ast.expr) -> tuple[str, ...]:
    """The constant, or the two constants of a condition."""
    if isinstance(node, ast.IfExp):
        return (*_texts(node.body), *_texts(node.orelse))
    assert isinstance(node, ast.Constant), f"line {node.lineno}: a key that cannot be read here: {ast.unparse(node)}"
    return (str(node.value),)
