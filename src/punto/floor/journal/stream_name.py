"""The name of a table's stream. Each opening of a table has its own stream.

The house's own stream is not one of these: its name is :data:`punto.floor.journal.house_events.HOUSE`.
"""

from functools import lru_cache

from msgspec import Struct

from punto.table.records.names import is_name

MAX_CACHED_NAMES = 1_024
MAX_OPENING_DIGITS = 18


def is_table_name(text: str) -> bool:
    return is_name(text) and "/" not in text


def names_start(table: str) -> str:
    """How the names of all streams of a table start."""
    return f"{table}/"


class StreamName(Struct, frozen=True, order=True):
    """A table and which of its openings, counted from 1."""

    table: str
    opening: int

    def __str__(self) -> str:
        """Return ``table/opening``, the form used in the database, the hashes and the house's events."""
        return f"{names_start(self.table)}{self.opening}"

    @staticmethod
    def find(text: str) -> "StreamName | None":
        """Parse a name; None for any other text, such as the name of the house's stream.

        >>> StreamName.find("Orchid/2")
        StreamName(table='Orchid', opening=2)
        """
        return _find(text)

    @staticmethod
    def parse(text: str) -> "StreamName":
        """Parse a text that must be a name."""
        name = _find(text)
        if name is None:
            raise ValueError(f"{text!r} is not the name of a table's stream")
        return name

    def at(self, opening: int) -> "StreamName":
        """The name of another opening of the same table."""
        return StreamName(self.table, opening)


@lru_cache(MAX_CACHED_NAMES)
def _find(text: str) -> StreamName | None:
    table, slash, opening = text.rpartition("/")
    if not slash or not (opening.isascii() and opening.isdecimal()) or len(opening) > MAX_OPENING_DIGITS:
        return None
    name = StreamName(table, int(opening))
    return name if str(name) == text else None
