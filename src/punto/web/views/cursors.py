"""Cursors: a place in the history of a table, written ``opening/version``."""

from punto.floor.journal.entry import Entry
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.web.messages import Cursor

MAX_CURSOR_LENGTH = 40
END = 2**62
"""Greater than any version."""


def cursor_of(entry: Entry | Head) -> Cursor:
    """The place of an entry in the history of its table, or the end of the history."""
    return write_cursor(StreamName.parse(entry.stream).opening, entry.version)


def write_cursor(opening: int, version: int) -> Cursor:
    return f"{opening}/{version}"


def find_cursor(text: str) -> tuple[int, int] | None:
    """The opening and the version in a cursor; None if the text is not a cursor."""
    opening, _, version = text.partition("/")
    if not (opening.isdecimal() and version.isdecimal() and len(text) <= MAX_CURSOR_LENGTH and text.isascii()):
        return None
    place = int(opening), int(version)
    return place if 0 < place[0] < END and place[1] < END else None
