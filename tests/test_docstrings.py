"""Run every example in the docstrings of the source."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)
EXAMPLES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): count
    for path in sorted(SOURCE.rglob("*.py"))
    if (count := len(EXAMPLE.findall(path.read_text("utf-8"))))
}


@pytest.mark.parametrize("module", EXAMPLES)
def test_the_examples_of_a_module_come_out_as_written(module: str) -> None:
    done = doctest.testmod(import_module(module))
    assert (done.failed, done.attempted) == (0, EXAMPLES[module])


def test_there_are_examples() -> None:
    assert "punto.library" in EXAMPLES
