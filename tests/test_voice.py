"""Plain words: docs and sentences have no dialect of ours, and no docstring only repeats a name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "punto"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = {*PAGES, *(SOURCE / "catalogue" / "en").glob("*.py"), *(SOURCE / "rules").rglob("*.toml")}
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


def _faults(text: str) -> list[str]:
    """The words to avoid in a text, each with what to write."""
    found = {words: re.search(rf"\b(?:{words})(?!\w)", text, re.IGNORECASE) for words in AVOIDED}
    return [f"{match[0]!r}: write {AVOIDED[words]!r}" for words, match in found.items() if match]


def test_plain_words_are_used_instead() -> None:
    faults = {
        f"{path.relative_to(ROOT)}:{number}": found
        for path in sorted(WRITTEN)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := _faults(line))
    }
    assert faults == {}


def test_a_word_to_avoid_would_be_noticed() -> None:
    assert _faults("Whoever is late takes his cards at the most once.") == [
        "'his': write 'their'",
        "'Whoever': write 'anyone who'",
        "'at the most': write 'at most'",
    ]


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
