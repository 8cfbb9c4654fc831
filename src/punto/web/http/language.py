"""The language of an answer: as a page asks for it, else by the cookie, else by ``Accept-Language``, else English."""

import re
from collections.abc import Mapping

from msgspec import Struct

from punto.catalogue.sentence import LANGUAGES, Language
from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position
from punto.web.http.headers import cookie_value

COOKIE = "punto-language"
HEADER = "punto-language"
"""Sent by the scripts of a page, so its messages stay in its language if another tab has changed the cookie."""
_WEIGHT = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


class Reader(Struct, frozen=True):
    """Who an answer is for. Affects only its words, never its code."""

    language: Language = "en"
    to_player: bool = False
    """Players are addressed directly: "Your box has room for 500 more"."""


def reader_of(language: Language, actor: Actor | None) -> Reader:
    """People who are not signed in read what players read."""
    return Reader(language, to_player=actor is None or actor.position is Position.PLAYER)


def known_language(name: str | None) -> Language | None:
    return next((language for language in LANGUAGES if language == name), None)


def language_of(headers: Mapping[str, str], chosen: str | None = None) -> Language:
    """``chosen`` is the language named in the address, if any."""
    cookie = cookie_value(headers.get("cookie", ""), COOKIE)
    names = (chosen, headers.get(HEADER), cookie, *_accepted(headers.get("accept-language", "")))
    return next(filter(None, map(known_language, names)), "en")


def _accepted(header: str) -> list[str]:
    """The primary tags of an ``Accept-Language`` header, such as ``zh`` for ``zh-Hans``, most wanted first."""
    weights: list[tuple[float, str]] = []
    for each in header.split(","):
        tag, *parameters = (part.strip().lower() for part in each.split(";"))
        match = _WEIGHT.fullmatch(parameters[0]) if parameters else None
        weight = float(match[1]) if match else 0.0 if parameters else 1.0
        if weight:
            weights.append((weight, tag.partition("-")[0]))
    return [tag for _, tag in sorted(weights, key=lambda each: -each[0])]
