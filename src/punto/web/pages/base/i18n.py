"""English and Chinese: pages are written in English, and ``zh.toml`` says every sentence of them in Chinese."""

import tomllib
from collections.abc import Mapping
from functools import cache
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from typing import Any

from punto.catalogue.sentence import Language as Language  # noqa: PLC0414 - pages take it from here

COOKIE = "punto-language"
_BOTH: tuple[Language, ...] = ("en", "zh")


@cache
def chinese() -> dict[str, str]:
    """English sentence to Chinese sentence."""
    text = files("punto.web.pages").joinpath("zh.toml").read_text(encoding="utf-8")
    told: dict[str, str] = tomllib.loads(text)
    return told


class Tongue:
    """Translates sentences into one language. ``{name}`` in a sentence stands for a value."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, sentence: str, **values: Any) -> str:
        """A sentence with its values; one without a translation stays English."""
        said = chinese().get(sentence, sentence) if self.language == "zh" else sentence
        return said.format(**values) if values else said


TONGUES: dict[Language, Tongue] = {language: Tongue(language) for language in _BOTH}


def language_of(headers: Mapping[str, str], asked: str | None = None) -> Language:
    """The language chosen with the switch, or else the one of the two that the browser prefers."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        morsel = None
    chosen = asked or (morsel.value if morsel else "")
    if chosen in ("en", "zh"):
        return "zh" if chosen == "zh" else "en"
    for part in headers.get("accept-language", "").split(","):
        tag = part.partition(";")[0].strip().lower()
        if tag.startswith(("en", "zh")):
            return "zh" if tag.startswith("zh") else "en"
    return "en"
