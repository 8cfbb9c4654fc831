"""The permanent name of a round at a table: its opening and its number in it, such as ``2-17``.

Rounds count from 1 in each opening; round 0 is the time before the first call for bets.
"""

import re
from urllib.parse import quote, unquote

from punto.web.views.cursors import END

MAX_ROUND_NAME_LENGTH = 40
_ADDRESS = re.compile(r"/tables/([A-Za-z0-9%._~-]{1,200})/rounds/([0-9]{1,9}(?:-[0-9]{1,9})?)")


def write_round(opening: int, number: int) -> str:
    return f"{opening}-{number}"


def read_round_name(text: str) -> tuple[int | None, int] | None:
    """The opening, None if the text is a number alone, and the number; None if it is the name of no round.

    >>> read_round_name("2-17"), read_round_name("17"), read_round_name("2-")
    ((2, 17), (None, 17), None)
    """
    first, dash, second = text.partition("-")
    parts = (first, second) if dash else (text,)
    if len(text) > MAX_ROUND_NAME_LENGTH or not all(part.isascii() and part.isdecimal() for part in parts):
        return None
    *opening, number = map(int, parts)
    if number >= END or not all(0 < each < END for each in opening):
        return None
    return (opening[0] if opening else None), number


def round_address(table: str, opening: int, number: int) -> str:
    """The address of the round's page."""
    return f"/tables/{quote(table, safe='')}/rounds/{write_round(opening, number)}"


def read_round_address(address: str) -> tuple[str, str] | None:
    """The table and the name of the round; None if it is not the address of a round's page."""
    found = _ADDRESS.fullmatch(address)
    return None if found is None else (unquote(found[1]), found[2])
