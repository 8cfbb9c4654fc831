"""Makes a sentence of its key and values.

A language is a module beside this one with ``SENTENCES``, templates for :meth:`str.format` by key, and the words that
lists are joined with. A value is formatted by its type: ``Money`` with its decimals, ``Odds`` as people say them, a
tuple as a list, a ``Phrase`` in the language of the sentence around it, everything else as text. Three format specs are
our own: ``{kind:words}`` writes an identifier as words, ``{side:title}`` so with a capital, and ``{names:and}`` joins a
list with "and" instead of commas.
"""

from collections.abc import Mapping
from string import Formatter
from types import ModuleType

from msgspec import Struct

from punto.catalogue import en
from punto.catalogue.amounts import Money, Odds, to_one, write_minor


class Phrase(Struct, frozen=True):
    """A part of a sentence that has to be said in its language too."""

    key: str
    values: dict[str, object]


def phrase(key: str, /, **values: object) -> Phrase:
    """A phrase of the catalogue, to be a value of a sentence."""
    return Phrase(key, values)


def say(key: str, values: Mapping[str, object], language: str = "en") -> str:
    """The sentence of a key.

    >>> say("limits_contradict", {"least": Money(50_00), "most": Money(25_00)})
    'the minimum 50.00 is above the maximum 25.00'
    """
    return _WRITERS[language].vformat(_LANGUAGES[language].SENTENCES[key], (), values)


class _Writer(Formatter):
    def __init__(self, language: str) -> None:
        self._language = language
        self._words = _LANGUAGES[language]

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, Money):
            return write_minor(value)
        if isinstance(value, Odds):
            return to_one(value)
        if isinstance(value, Phrase):
            return say(value.key, value.values, self._language)
        if isinstance(value, tuple):
            joint = self._words.AND if format_spec == "and" else self._words.COMMA
            return str(joint).join(self.format_field(each, "") for each in value)
        if format_spec in ("words", "title"):
            words = str(value).replace("_", " ")
            return words.capitalize() if format_spec == "title" else words
        return format(value, format_spec)


_LANGUAGES: dict[str, ModuleType] = {"en": en}
_WRITERS = {language: _Writer(language) for language in _LANGUAGES}
