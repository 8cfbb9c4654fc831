"""The shipped books as they are written, and one change to them at a time."""

from importlib.resources import files


def text_of(book_id: str) -> str:
    """A shipped book as it is written."""
    return (files("punto.rules") / "books" / f"{book_id}.toml").read_text(encoding="utf-8")


def changed(text: str, old: str, new: str, times: int = 1) -> str:
    """The text with that change, which must have been possible at exactly so many places."""
    assert text.count(old) == times, f"expected {times} of {old!r}, found {text.count(old)}"
    return text.replace(old, new)
