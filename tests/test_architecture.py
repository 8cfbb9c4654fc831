"""docs/architecture.md is true: its diagrams name what exists, its arrows what is called, its map every folder."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.calls import find, referred_to_by
from tests.console import ROOT

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
BOX = re.compile(r"(\w+)\[\"([\w.]+):([\w.]+)(?:<br>[^\"]+)?\"\]")
OUTSIDE = re.compile(r"(\w+)(?:\(\[\"[^\"]+\"\]\)|\[\(\"[^\"]+\"\)\])")
ARROW = re.compile(r"(\w+) (-->|-\.->)(?:\|[^|]+\|)? (\w+)")
MAP = re.compile(r"^```text\n(src/punto/.*?)^```", re.MULTILINE | re.DOTALL)
TESTS_THAT_MIRROR_NOTHING = {"attacks", "release", "browser", "cases", "demo", "golden", "model", "mutants"}


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


def test_there_are_four_walks_that_join_what_they_show() -> None:
    assert len(WALKS) == 4
    for walk in WALKS:
        ends = {end for start, _, stop in walk.arrows for end in (start, stop)}
        assert ends == walk.boxes.keys() | walk.outside


@pytest.mark.parametrize("walk", WALKS)
def test_every_box_names_what_exists(walk: Walk) -> None:
    assert len(walk.boxes) > 5
    for module, name in walk.boxes.values():
        assert getattr(find(module, name), "__module__", module) == module, f"{module}:{name} is defined elsewhere"


@pytest.mark.parametrize("walk", WALKS)
def test_a_solid_arrow_between_two_boxes_is_a_call(walk: Walk) -> None:
    solid = [
        (walk.boxes[a], walk.boxes[b]) for a, kind, b in walk.arrows if kind == "-->" and {a, b} <= set(walk.boxes)
    ]
    assert len(solid) > 5
    assert [(a, b) for a, b in solid if not _refers_to(a, b)] == []


def _refers_to(a: tuple[str, str], b: tuple[str, str]) -> bool:
    target = find(*b)
    return any(each is target for each in referred_to_by(find(*a)))


SUBMIT = ("punto.floor.running.commands", "TableCommands.submit")
APPEND = ("punto.floor.running.appender", "Appender.append")


def test_a_call_that_is_not_made_is_noticed() -> None:
    assert _refers_to(SUBMIT, APPEND)  # by _give and _try
    assert _refers_to(SUBMIT, ("punto.table.engine", "decide"))  # imported from punto.table
    assert not _refers_to(("punto.floor.running.floor", "Floor.submit"), APPEND)  # TableCommands does
    assert not _refers_to(APPEND, APPEND)  # it calls streams.append, and the append of a list
    assert not _refers_to(SUBMIT, SUBMIT)


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


WRITERS = ("database", "house", "journal", "runtime", "upkeep")
"""The rooms of the floor in which rows are written. What the house decides is written by its projections alone."""


def test_rows_are_written_in_few_rooms_alone() -> None:
    writing = re.compile(r"\b(INSERT (OR \w+ )?INTO|UPDATE \{?[\w.]+\}? SET|DELETE FROM)\b")
    rooms = {
        path.relative_to(ROOT / "src/punto").parts
        for path in (ROOT / "src/punto").rglob("*.py")
        if writing.search(path.read_text(encoding="utf-8"))
    }
    assert {parts[0] for parts in rooms} == {"floor"}
    assert {parts[1] for parts in rooms} == {*WRITERS}
