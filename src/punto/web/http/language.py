"""The language of an answer: as a page asks for it, else by the cookie, else by ``Accept-Language``, else English."""

from collections.abc import Mapping

from msgspec import Struct

from punto.catalogue.sentence import LANGUAGES, Language
from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position
from punto.web.http.headers import cookie_value

COOKIE = "punto-language"
HEADER = "punto-language"
"""Sent by the scripts of a page, so its messages stay in its language if another tab has changed the cookie."""


class Reader(Struct, frozen=True):
    """Who an answer is for. Affects only its words, never its code."""

    language: Language = "en"
    is_player: bool = False
    """Players are addressed directly: "Your box has room for 500 more"."""


def reader_of(language: Language, actor: Actor | None) -> Reader:
    return Reader(language, is_player=actor is not None and actor.position is Position.PLAYER)


def language_of(headers: Mapping[str, str], chosen: str | None = None) -> Language:
    """``chosen`` is the language named in the address, if any."""
    preferred = headers.get(HEADER) or cookie_value(headers.get("cookie", ""), COOKIE)
    for language in LANGUAGES:
        if language == (chosen or preferred):
            return language
    for part in headers.get("accept-language", "").split(","):
        tag = part.partition(";")[0].strip().lower()
        for language in LANGUAGES:
            if tag.startswith(language):
                return language
    return "en"
