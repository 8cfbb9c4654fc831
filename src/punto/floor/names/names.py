"""Names of people: no two may look alike, and none may look like the house."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from unicodedata import category, normalize
from unicodedata import name as unicode_name

from punto.catalogue.sentence import LANGUAGES, say
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.names import trade_words
from punto.floor.names.lookalikes import latin_form, lookalike_form, visual_form, without_invisible
from punto.table.records.identity import resembles_identity
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import STAFF, Position
from punto.table.refusals import TableCode

CONSOLE = "console"
"""Name of the actor of the command line."""
RESERVED = frozenset({"house", CONSOLE})
HOUSE_PLAYER = "(house)"
"""Ending of the names of house players, so nobody takes them for people. No other name may end so."""

_ID_PART = re.compile(r"(?<![a-z0-9])p[0-9]{6}", re.ASCII)
_NUMBER = "[oi2eas6tbg]{1,3}"
"""A number in its lookalike form."""
_MIXABLE_SCRIPTS = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
"""Scripts that are used together with others and look like none of them."""


@lru_cache(20_000)
def fold(name: str) -> str:
    """The form of a name that is compared: ignores case, width, extra spaces and invisible characters."""
    folded = normalize("NFKC", normalize("NFKC", without_invisible(name)).casefold())
    return " ".join(without_invisible(folded).split())


def looks_like_identity(name: str) -> bool:
    """Whether a name could be taken for a player's id or a place, or contains an id. Digits of all scripts count.

    It has a digit, which names of real people do not.
    """
    latin = latin_form(name)
    if not re.search("[0-9]", latin):
        return False
    form = lookalike_form(latin)
    like_place = any(pattern.fullmatch(form) for pattern in _places_on_pages())
    return like_place or resembles_identity(latin) or _ID_PART.search(latin) is not None


@cache
def _places_on_pages() -> tuple[re.Pattern[str], ...]:
    """The lookalike forms of what pages show for places, in all languages."""
    number = "\N{OBJECT REPLACEMENT CHARACTER}"
    texts = [
        text
        for language in LANGUAGES
        for text in (
            say("person.box", language, box=number),
            say("person.behind", language, box=number),
            say("person.behind_number", language, box=number, number=number),
        )
    ]
    return tuple(re.compile(_NUMBER.join(map(re.escape, map(lookalike_form, text.split(number))))) for text in texts)


@cache
def _words_on_pages() -> frozenset[str]:
    """The lookalike forms of what pages show for people whose names the reader may not see, in all languages."""
    texts = (
        text for language in LANGUAGES for text in (say("person.registered", language), say("seat.taken", language))
    )
    return frozenset(map(lookalike_form, texts))


def mixes_scripts(text: str) -> bool:
    """Whether a text has letters of several alphabets, such as Latin and Cyrillic."""
    letters = (one for one in normalize("NFKD", text) if one.isalpha() and category(one) != "Lm")
    scripts = {unicode_name(one, "").partition(" ")[0] for one in letters}
    return len(scripts - _MIXABLE_SCRIPTS) > 1


def house_player_name(who: str) -> str | None:
    """The name of a house player without its ending; None if ``who`` is not a house player."""
    return who.removesuffix(HOUSE_PLAYER).rstrip() if who.endswith(HOUSE_PLAYER) else None


def new_name(name: str) -> str:
    """The folded form of a new name; refused if it is not a valid name or looks like the house's, an id or a place."""
    folded = fold(name) if is_name(name) else ""
    if not folded:
        raise FloorRefused(TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
    if "/" in name:  # addresses of the API have names in them
        raise FloorRefused(TableCode.BAD_NAME, variant="slash", name=name)
    if mixes_scripts(name):
        raise FloorRefused(TableCode.BAD_NAME, variant="alphabets", name=name)
    form = lookalike_form(name)
    if looks_like_identity(name) or form in _words_on_pages():
        raise FloorRefused(TableCode.BAD_NAME, variant="identity", name=name)
    if form in _RESERVED or form.endswith(_HOUSE):
        raise FloorRefused(FloorCode.NAME_TAKEN, variant="house", name=name)
    return folded


def new_visitor(name: str) -> str:
    """Like :func:`new_name`, for a visitor: also refuses words that suggest staff."""
    folded, form = new_name(name), lookalike_form(name)
    words = {form, *map(lookalike_form, (*_WORDS.findall(name), *_PARTS.findall(name)))}
    anywhere, whole = _trade_words()
    if words & whole or any(word in form for word in anywhere):
        raise FloorRefused(FloorCode.NAME_TAKEN, variant="like_house", name=name)
    return folded


def same_looking(name: str, others: Iterable[str]) -> str | None:
    """The first of other names that equals this one or looks like it; None if there is none."""
    folded, shown = fold(name), visual_form(name)
    return next((other for other in others if fold(other) == folded or visual_form(other) == shown), None)


_RESERVED = frozenset(map(lookalike_form, RESERVED))
_HOUSE = lookalike_form(HOUSE_PLAYER)
_OF_THE_HOUSE = (*STAFF, Position.AUDITOR, Position.ADMINISTRATOR)
_WORDS = re.compile(r"[^\s.,;:()\[\]{}<>/\\_-]+")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""Of a word that is written together, such as ShiftMgr, or with a number, such as Host2."""


@cache
def _trade_words() -> tuple[frozenset[str], frozenset[str]]:
    """The lookalike forms of the words that no visitor's name contains, and of those that are none of its words."""
    positions = (say(f"position.{each}", language) for language in LANGUAGES for each in _OF_THE_HOUSE)
    anywhere = (*RESERVED, *positions, *trade_words.ANYWHERE.split())
    return frozenset(map(lookalike_form, anywhere)), frozenset(map(lookalike_form, trade_words.WHOLE.split()))
