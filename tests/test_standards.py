"""docs/standards.md answers every row of the checklist, and names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = 65
ANSWERS = ("yes", "partly", "not ours")
LINES = [
    tuple(cell.strip() for cell in line.strip("| \n").split(" | "))
    for line in (ROOT / "docs/standards.md").read_text().splitlines()
    if re.match(r"\| \d+ \|", line)
]


@cache
def functions_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_row_is_answered_once() -> None:
    assert [int(line[0]) for line in LINES] == list(range(1, ROWS + 1))


def test_a_row_names_tests_that_exist() -> None:
    for number, _, _, answer, _, shown in LINES:
        tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", shown)
        assert answer in ANSWERS, number
        assert bool(tests) == (answer != "not ours"), number
        assert [(file, name) for file, name in tests if name not in functions_in(file)] == [], number
