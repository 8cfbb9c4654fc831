"""The text of the shipped books, and single changes to it."""

from importlib.resources import files


def text_of(book_id: str) -> str:
    return (files("punto.rules") / "books" / f"{book_id}.toml").read_text(encoding="utf-8")


def changed(text: str, old: str, new: str, times: int = 1) -> str:
    """The text with a replacement, which must match exactly ``times`` times."""
    assert text.count(old) == times, f"expected {times} of {old!r}, found {text.count(old)}"
    return text.replace(old, new)
