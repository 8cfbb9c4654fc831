"""Forms of a text that are the same for texts that look alike."""

import re
from functools import cache, lru_cache
from importlib.resources import files
from unicodedata import category, decimal, normalize
from unicodedata import name as unicode_name

_INVISIBLE = dict.fromkeys(
    [
        0x034F,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        *range(0x180B, 0x1810),
        0x2800,
        0x3164,
        *range(0xFE00, 0xFE10),
        0xFFA0,
        *range(0xE0100, 0xE01F0),
    ]
)
"""Characters that are printable in Unicode but invisible: joiners, fillers, variation selectors."""

_LETTER_NAME = re.compile(
    "(?:LATIN (?:SMALL|CAPITAL) LETTER|LATIN LETTER SMALL CAPITAL|REGIONAL INDICATOR SYMBOL LETTER"
    "|(?:NEGATIVE|CROSSED NEGATIVE|SQUARED|RAISED) .*LATIN CAPITAL LETTER) ([A-Z])(?: WITH .*)?"
)
"""The Unicode name of a Latin letter in some dress: with a hook, with a stroke, as a small capital, in a box."""
_LIKE_LATIN = dict(zip("ғкмпьβεηκνχωϲƅ", "fkmnbbehknxwcb", strict=True))
"""Letters that Unicode's table leaves out, or compares in their small form although the capital looks like Latin."""
_USED_FOR_LETTERS = str.maketrans("01345789$§@!|¡¦l£€¢©®¥+†°¤", "oieastbgssaiiiiiieccryttoo")
"""Digits and signs used for letters."""
_PAIRS_LIKE_LETTERS = (("rn", "m"), ("vv", "w"))


def without_invisible(text: str) -> str:
    return text.translate(_INVISIBLE)


@lru_cache(10_000)
def lookalike_form(text: str) -> str:
    """Letters and digits only, in plain Latin where possible. Digits and signs used for letters become letters.

    Two texts that can be read as the same word give the same result.
    """
    form = "".join(one for one in latin_form(text).translate(_USED_FOR_LETTERS) if one.isalnum())
    for pair, letter in _PAIRS_LIKE_LETTERS:
        form = form.replace(pair, letter)
    return form


@lru_cache(20_000)
def visual_form(text: str) -> str:
    """Letters and digits only, equal for texts that look the same in some font, such as "Ian" and "1an".

    Unlike :func:`lookalike_form`, this keeps apart what only suggests another letter, such as "Bob 5" and "Bobs".
    """
    table = _confusables()
    plain = normalize("NFKD", without_invisible(text))
    shown = _without_marks(normalize("NFKD", "".join(table.get(one, one) for one in plain))).casefold()
    return "".join(one for one in shown if one.isalnum()) or normalize("NFKC", text).casefold()


def latin_form(text: str) -> str:
    """Lower case, without accents and invisible characters, in Latin letters and digits where others look like them."""
    plain = _without_marks(normalize("NFKD", without_invisible(text)))
    return "".join(map(_latin, plain)).casefold()


def _without_marks(text: str) -> str:
    return "".join(one for one in text if not category(one).startswith("M"))


@lru_cache(2_000)
def _latin(one: str) -> str:
    """A character as what it looks like in plain Latin, if anything."""
    if one.isascii():
        return one
    if (digit := decimal(one, None)) is not None:
        return str(digit)
    if letter := _LIKE_LATIN.get(one.lower()) or _named_letter(one):
        return letter
    table = _confusables()
    for like in (one.lower(), one):
        shown = _without_marks(normalize("NFKD", table.get(like, like)))
        plain = "".join(_named_letter(part) or part for part in shown)
        if plain.isascii():
            return plain
    return shown


def _named_letter(one: str) -> str:
    """The plain letter that the Unicode name of a character mentions; empty if it mentions none."""
    found = None if one.isascii() else _LETTER_NAME.fullmatch(unicode_name(one, ""))
    return found[1].lower() if found else ""


@cache
def _confusables() -> dict[str, str]:
    """Unicode's table of confusable characters, version 16.0.0 of UTS 39: each with the text it looks like."""
    table: dict[str, str] = {}
    for line in files(__package__).joinpath("unicode/confusables.txt").read_text("utf-8-sig").splitlines():
        codes = line.partition("#")[0].split(";")
        if len(codes) > 1:
            source, target = ("".join(chr(int(code, 16)) for code in part.split()) for part in codes[:2])
            table[source] = target
    return table
