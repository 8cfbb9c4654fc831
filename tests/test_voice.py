"""Plain words: what people read has no dialect of ours, and no docstring that only repeats a name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "punto"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = [*PAGES, *sorted(path for kind in ("py", "toml", "html") for path in SOURCE.rglob(f"*.{kind}"))]
AVOIDED = {
    "he": "they",
    "him": "them",
    "his": "their",
    "himself": "themselves",
    "whosoever": "anyone who",
    "at the most": "at most",
    "at the least": "at least",
    "how manieth": "position, counted from 0",
    "thereby": "by this",
}
MIN_DOCSTRING_WORDS = 4


@pytest.mark.parametrize("words", AVOIDED)
def test_plain_words_are_used_instead(words: str) -> None:
    written = re.compile(rf"\b{words}\b", re.IGNORECASE)
    places = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in WRITTEN
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if written.search(line)
    ]
    assert places == [], f"write {AVOIDED[words]!r}"


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            text = ast.get_docstring(node)
            if text is not None:
                yield getattr(node, "lineno", 1), text


def test_no_docstring_only_repeats_a_name() -> None:
    short = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in _docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if len(text.split()) < MIN_DOCSTRING_WORDS
    ]
    assert short == []
