"""docs/architecture.md is true: its diagrams name what exists, its arrows what is called, its map every folder."""

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from tests.console import ROOT

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
BOX = re.compile(r"(\w+)\[\"([\w.]+):([\w.]+)(?:<br>[^\"]+)?\"\]")
OUTSIDE = re.compile(r"(\w+)(?:\(\[\"[^\"]+\"\]\)|\[\(\"[^\"]+\"\)\])")
ARROW = re.compile(r"(\w+) (-->|-\.->)(?:\|[^|]+\|)? (\w+)")
MAP = re.compile(r"^```text\n(src/punto/.*?)^```", re.MULTILINE | re.DOTALL)
TESTS_THAT_MIRROR_NOTHING = {"cases", "golden", "model", "browser"}


class Walk(NamedTuple):
    boxes: dict[str, tuple[str, str]]
    """Module and name, by the box's id."""
    outside: set[str]
    arrows: list[tuple[str, str, str]]


def read_walk(block: str) -> Walk:
    """A diagram; an error for a line that is neither a box nor an arrow."""
    walk = Walk({}, set(), [])
    for line in block.splitlines()[1:]:
        if box := BOX.fullmatch(line.strip()):
            walk.boxes[box[1]] = (box[2], box[3])
        elif outside := OUTSIDE.fullmatch(line.strip()):
            walk.outside.add(outside[1])
        elif arrow := ARROW.fullmatch(line.strip()):
            walk.arrows.append((arrow[1], arrow[2], arrow[3]))
        else:
            raise ValueError(f"neither a box nor an arrow: {line!r}")
    return walk


WALKS = [read_walk(block) for block in re.findall(r"^```mermaid\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)]


def definitions(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """Functions, classes and constants with their names; methods as ``Class.method``."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield node.name, node
            yield from ((f"{node.name}.{name}", each) for name, each in definitions(node.body))


def used_by(module: ModuleType, name: str) -> set[str]:
    """Every name that a function or class of a module uses, and those that the private parts it uses do."""
    assert module.__file__
    defined = dict(definitions(ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body))
    used: set[str] = set()
    waiting, done = [name], set[str]()
    while waiting:
        current = waiting.pop()
        done.add(current)
        names = {each.id for each in ast.walk(defined[current]) if isinstance(each, ast.Name)}
        names |= {each.attr for each in ast.walk(defined[current]) if isinstance(each, ast.Attribute)}
        used |= names
        private = [key for key in defined if key.split(".")[-1] in names and key.split(".")[-1].startswith("_")]
        waiting += [key for key in private if key not in done]
    return used


def test_there_are_four_walks_that_join_what_they_show() -> None:
    assert len(WALKS) == 4
    for walk in WALKS:
        ends = {end for start, _, stop in walk.arrows for end in (start, stop)}
        assert ends == walk.boxes.keys() | walk.outside


@pytest.mark.parametrize("walk", WALKS)
def test_every_box_names_what_exists(walk: Walk) -> None:
    assert len(walk.boxes) > 5
    for module, name in walk.boxes.values():
        found: object = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        assert getattr(found, "__module__", module) == module, f"{module}:{name} is defined elsewhere"


@pytest.mark.parametrize("walk", WALKS)
def test_a_solid_arrow_between_two_boxes_is_a_call(walk: Walk) -> None:
    solid = [
        (walk.boxes[a], walk.boxes[b]) for a, kind, b in walk.arrows if kind == "-->" and {a, b} <= set(walk.boxes)
    ]
    assert len(solid) > 5
    wrong = [(a, b) for a, b in solid if b[1].split(".")[-1] not in used_by(import_module(a[0]), a[1])]
    assert wrong == []


def test_a_call_that_is_not_made_is_noticed() -> None:
    floor = import_module("punto.floor.running.floor")
    assert "submit" in used_by(floor, "Floor.submit")
    assert "append" not in used_by(floor, "Floor.submit")  # TableCommands does
    assert "decide" in used_by(import_module("punto.floor.running.commands"), "TableCommands.submit")  # by _give, _try


def test_the_map_has_every_folder_and_none_left_over() -> None:
    found = MAP.search(PAGE)
    assert found
    shown, above = set(), list[str]()
    for line in found[1].splitlines():
        name = line.split()[0]
        above[(len(line) - len(line.lstrip())) // 2 :] = [name]
        shown.add("".join(above))
    inside = {f"{path.relative_to(ROOT).as_posix()}/" for path in (ROOT / "src/punto").rglob("*") if _is_folder(path)}
    tests = {f"tests/{name}/" for name in TESTS_THAT_MIRROR_NOTHING}
    assert shown == inside | tests | {"src/punto/", "tests/", "bench/", "examples/", "docs/", "docs/pictures/"}


def _is_folder(path: Path) -> bool:
    """A folder on its own: a package, or the data of one, but not what that is divided into."""
    holds_files = path.is_dir() and any(each.name != "__pycache__" for each in path.iterdir())
    return holds_files and path.name != "__pycache__" and (path.parent / "__init__.py").is_file()


def test_the_folders_of_the_tests_mirror_the_source() -> None:
    for path in (ROOT / "tests").iterdir():
        if (path / "__init__.py").is_file() and path.name not in TESTS_THAT_MIRROR_NOTHING:
            assert find_spec(f"punto.{path.name}"), path.name
