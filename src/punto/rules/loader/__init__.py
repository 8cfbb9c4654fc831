"""Reads the TOML text of a book into a Rulebook, and refuses anything inconsistent."""

from punto.rules.loader.book import read_book
from punto.rules.loader.toml_table import BookError

__all__ = ["BookError", "read_book"]
