"""Who reads an answer, and in which language: the cookie of the page's switch, else Accept-Language, else English."""

from collections.abc import Mapping

from msgspec import Struct

from punto.catalogue.sentence import LANGUAGES, Language
from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position
from punto.web.http.headers import cookie_value

COOKIE = "punto-language"


class Reader(Struct, frozen=True):
    """Decides the words of an answer, never its code."""

    language: Language = "en"
    is_player: bool = False
    """Players are addressed themselves: "Your box has room for 500 more"."""


def reader_of(language: Language, actor: Actor | None) -> Reader:
    """The sender of a request reads its answer."""
    return Reader(language, is_player=actor is not None and actor.position is Position.PLAYER)


def language_of(headers: Mapping[str, str], chosen: str | None = None) -> Language:
    """The language of a request; ``chosen`` is the one that its address names."""
    kept = cookie_value(headers.get("cookie", ""), COOKIE)
    for language in LANGUAGES:
        if language == (chosen or kept):
            return language
    for part in headers.get("accept-language", "").split(","):
        tag = part.partition(";")[0].strip().lower()
        for language in LANGUAGES:
            if tag.startswith(language):
                return language
    return "en"
