"""Plain words: what people read has no dialect of ours, and no docstring that only repeats a name."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "punto"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("src/punto", "tests", "bench", "examples")
KINDS = {".py", ".toml", ".html", ".js", ".md"}
WRITTEN = {
    *PAGES,
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS),
} - {Path(__file__), SOURCE / "web/pages/static/idiomorph.js"}
AVOIDED = {
    "he": "they",
    "him": "them",
    "his": "their",
    "himself": "themselves",
    "one's": "their",
    "whosoever": "anyone who",
    "(?-i:Whoever)": "anyone who",
    "(?-i:Who does)": "a player who does",
    "at the most": "at most",
    "at the least": "at least",
    "how manieth": "position, counted from 0",
    "so many": "this many",
    "thereby": "by this",
    "sees to": "handles",
    "seen to": "handled",
    "anew": "again",
    "but for": "except",
    "is there already": "already exists",
    "it is no (?!longer)": "it is not a",
    "an evening": "a session",
    "what it holds of": "its",
}
MIN_DOCSTRING_WORDS = 4


@cache
def lines() -> list[str]:
    """Every line that we wrote and that has any of the words, with its place."""
    any_of_them = _written("|".join(AVOIDED))
    return [
        said
        for place, path in sorted((str(path.relative_to(ROOT)), path) for path in WRITTEN)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if any_of_them.search(said := f"{place}:{number}: {line.strip()}")
    ]


def _written(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})(?!\w)", re.IGNORECASE)


@pytest.mark.parametrize("words", AVOIDED)
def test_plain_words_are_used_instead(words: str) -> None:
    assert [line for line in lines() if _written(words).search(line)] == [], f"write {AVOIDED[words]!r}"


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
