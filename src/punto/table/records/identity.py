"""How the journal names players: by an id from the house's register, by a place at the table, or by a plain name.

At a play-money table ``who`` is a visitor's name. Elsewhere it is a registered player's id or the place of somebody
whom nobody has identified. Journals of earlier releases have plain names there, which stay valid.
"""

import re
from unicodedata import normalize

from msgspec import Struct

_ID = re.compile(r"P([0-9]{6,15})", re.ASCII)
_PLACE = re.compile(r"(behind )?box ([1-9][0-9]?)(?:/([2-9]|[1-9][0-9]))?", re.ASCII)
_TYPED_PLACE = re.compile(r"(BEHIND )?BOX ?([0-9]{1,3})(?: ?/ ?([0-9]{1,3}))?", re.ASCII)

_DIGIT_LOOKALIKES = "oil|!zsb"
_LIKE_DIGIT = rf"[0-9{_DIGIT_LOOKALIKES}]"
_LIKE_ID = re.compile(rf"p{_LIKE_DIGIT}{{6,15}}", re.ASCII)
_LIKE_PLACE = re.compile(rf"(?:[b8]eh[i1l|!]nd)?[b8][o0]x(?!0|o){_LIKE_DIGIT}{{1,4}}", re.ASCII)


def player_id(number: int) -> str:
    """The id of the player with this number in the house's register.

    >>> player_id(123)
    'P000123'
    """
    return f"P{number:06d}"


def player_number(who: str) -> int | None:
    """The number in the house's register; None if ``who`` is not a player's id."""
    match = _ID.fullmatch(who)
    number = int(match[1]) if match else 0
    return number if number and player_id(number) == who else None


def exact_form(text: str) -> str | None:
    """The id or place that a person means, whatever the case, width and blanks; None for any other text.

    For what people type. The journal has exact forms only.

    >>> exact_form("p000123"), exact_form("Behind  BOX 03/1"), exact_form("ann")
    ('P000123', 'behind box 3', None)
    """
    typed = " ".join(normalize("NFKC", text).upper().split())
    if player_number(typed) is not None:
        return typed
    match = _TYPED_PLACE.fullmatch(typed)
    place = match and str(Place(int(match[2]), bool(match[1]), int(match[3] or 1)))
    return place if place and Place.find(place) else None


class Place(Struct, frozen=True):
    """A box, or a place behind it, with somebody whom nobody has identified, or who left it."""

    box: int
    behind: bool = False
    number: int = 1
    """Counts the people behind a box, from 1. At a box, from 2: those who left it before the person who is there."""

    def __str__(self) -> str:
        """Return the form used in the journal: ``box 3``, ``behind box 3``, ``behind box 3/2``."""
        number = f"/{self.number}" if self.number > 1 else ""
        return f"{'behind ' if self.behind else ''}box {self.box}{number}"

    @staticmethod
    def find(who: str) -> "Place | None":
        """Parse a place; None for any other text.

        >>> Place.find("behind box 3/2")
        Place(box=3, behind=True, number=2)
        """
        match = _PLACE.fullmatch(who)
        if match is None:
            return None
        return Place(int(match[2]), bool(match[1]), int(match[3] or 1))


def is_plain_name(who: str) -> bool:
    """Whether ``who`` is neither a player's id nor a place."""
    return player_number(who) is None and Place.find(who) is None


def resembles_identity(latin: str) -> bool:
    """Whether a text could be taken for a player's id or a place.

    ``latin``: lower case, without accents, letters of other alphabets replaced by the Latin ones they look like.
    A text without any digit is not taken for one: ``Polizzi`` and ``Boxill`` are surnames.

    >>> resembles_identity("p00o123"), resembles_identity("behind  box-3/2"), resembles_identity("polizzi")
    (True, True, False)
    """
    form = "".join(one for one in latin if one.isalnum() or one in _DIGIT_LOOKALIKES)
    has_digit = any(one.isdecimal() for one in form)
    return has_digit and bool(_LIKE_ID.fullmatch(form) or _LIKE_PLACE.fullmatch(form))
