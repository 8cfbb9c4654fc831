"""What a function refers to: the functions, classes and constants behind its names, as far as annotations tell.

Enough of a type checker to know that ``self._appender.append`` is ``Appender.append`` and not a list's.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from types import FunctionType, ModuleType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints


class Instance(NamedTuple):
    """A value of which only the type is known."""

    hint: Any


def find(module: str, name: str) -> Any:
    """The value of ``Class.method``, or of a name in a module; functions are unwrapped."""
    value: object = import_module(module)
    for part in name.split("."):
        value = inspect.getattr_static(value, part)
    return _plain(value)


def referred_to_by(function: FunctionType) -> list[object]:
    """Every function, class and constant that a function names, and those that its private parts name."""
    referred: list[object] = []
    waiting, done = [function], set[FunctionType]()
    while waiting:
        current = waiting.pop()
        if current in done:
            continue
        done.add(current)
        named = [value for value in _code(current).named() if not isinstance(value, Instance)]
        referred += named
        waiting += [each for each in named if isinstance(each, FunctionType) and _is_private_part(each, function)]
    return referred


def _is_private_part(part: FunctionType, function: FunctionType) -> bool:
    private = any(name.startswith("_") for name in part.__qualname__.split("."))
    return private and part.__module__ == function.__module__


def _plain(value: object) -> object:
    """The function behind a method, a property or a cached function; any other value as it is."""
    if isinstance(value, property):
        return value.fget
    if isinstance(value, cached_property):
        return value.func
    if isinstance(value, classmethod | staticmethod):
        return _plain(value.__func__)
    return getattr(value, "__wrapped__", value) if hasattr(value, "cache_info") else value


def _instances(hint: Any) -> Iterator[object]:
    if get_origin(hint) in (Union, UnionType):
        for each in get_args(hint):
            yield from _instances(each)
    elif hint is not type(None):
        yield Instance(hint)


class _Code:
    """The source of one function, with what its names stand for."""

    def __init__(self, function: FunctionType) -> None:
        self._node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        self._hints = get_type_hints(function)
        self._globals = function.__globals__
        owner = function.__qualname__.rpartition(".")[0]
        self._owner = find(function.__module__, owner) if owner and "<locals>" not in owner else None
        self._assigned: dict[str, list[ast.expr]] = {}
        """Values by the name, or by ``self.name``, that they are assigned to."""
        self._annotated: dict[str, str] = {}
        for node in ast.walk(self._node):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(target, node.value)
            elif isinstance(node, ast.NamedExpr):
                self._assign(node.target, node.value)
            elif isinstance(node, ast.AnnAssign):
                self._annotated[ast.unparse(node.target)] = ast.unparse(node.annotation)
            elif isinstance(node, ast.ImportFrom) and node.module:
                module = import_module(node.module)
                self._globals = self._globals | {
                    each.asname or each.name: getattr(module, each.name) for each in node.names
                }
        self._resolving: set[str] = set()

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, part in zip(target.elts, value.elts, strict=True):
                self._assign(each, part)
        else:
            self._assigned.setdefault(ast.unparse(target), []).append(value)

    def named(self) -> Iterator[object]:
        for node in ast.walk(self._node):
            if isinstance(node, ast.Name | ast.Attribute):
                yield from self.values(node)

    def values(self, node: ast.AST) -> Iterator[object]:
        """What an expression can be; nothing if that is not known."""
        match node:
            case ast.Name():
                yield from self.variable(node.id)
            case ast.Attribute():
                for base in self.values(node.value):
                    yield from _attribute(base, node.attr)
            case ast.Call():
                for called in self.values(node.func):
                    yield from _called(called)
            case ast.Subscript():
                for base in self.values(node.value):
                    yield from _item(base)
            case ast.BoolOp():
                for each in node.values:
                    yield from self.values(each)
            case ast.IfExp():
                yield from self.values(node.body)
                yield from self.values(node.orelse)
            case ast.Await():
                yield from self.values(node.value)

    def variable(self, name: str) -> Iterator[object]:
        """What a variable, or ``self.name`` in the constructor, can be."""
        if name == "self":
            yield Instance(self._owner)
        elif name == "cls":
            yield self._owner
        elif name in self._annotated:
            yield from _instances(eval(self._annotated[name], self._globals))  # noqa: S307 - our own source
        elif name in self._hints:
            yield from _instances(self._hints[name])
        elif name in self._assigned:
            if name not in self._resolving:  # a variable can be assigned from itself
                self._resolving.add(name)
                for value in self._assigned[name]:
                    yield from self.values(value)
                self._resolving.discard(name)
        elif name in self._globals:
            yield _plain(self._globals[name])


_code: Callable[[FunctionType], _Code] = cache(_Code)


def _called(value: object) -> Iterator[object]:
    if isinstance(value, type):
        yield Instance(value)
    elif isinstance(value, FunctionType):
        yield from _instances(get_type_hints(value).get("return"))


def _item(value: object) -> Iterator[object]:
    """An item of a list or a value of a dictionary."""
    if isinstance(value, Instance) and get_args(value.hint):
        yield from _instances(get_args(value.hint)[-1])


def _attribute(base: object, name: str) -> Iterator[object]:
    if isinstance(base, ModuleType | type):
        value = inspect.getattr_static(base, name, None)
        if value is not None:
            yield _plain(value)
    elif isinstance(base, Instance):
        kind = get_origin(base.hint) or base.hint
        if not isinstance(kind, type):
            return
        value = inspect.getattr_static(kind, name, None)
        if name in (hints := get_type_hints(kind)):
            yield from _instances(hints[name])
        elif value is not None:
            yield _plain(value)
            if isinstance(value, property | cached_property):
                yield from _called(_plain(value))
        elif isinstance(start := inspect.getattr_static(kind, "__init__"), FunctionType):
            yield from _code(start).variable(f"self.{name}")
