"""From the TOML text of a book to a Rulebook, refusing whatever could not be law."""

from punto.rules.loader.book import read_book
from punto.rules.loader.toml_table import BookError

__all__ = ["BookError", "read_book"]
