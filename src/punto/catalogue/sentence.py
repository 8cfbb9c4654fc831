"""Makes a sentence of its key and values.

A language is a module beside this one with ``SENTENCES``, templates for :meth:`str.format` by key, and the words that
lists are joined with. A value is formatted by its type: ``Money`` with its decimals, ``Odds`` as people say them, a
tuple as a list, a ``Phrase`` in the language of the sentence around it, everything else as text. Three format specs are
our own: ``{kind:words}`` writes an identifier as words, ``{side:title}`` so with a capital, and ``{names:and}`` joins a
list with "and" instead of commas.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Literal

from msgspec import Struct

from punto.catalogue import en
from punto.catalogue.amounts import Money, Odds, to_one, write_minor

Language = Literal["en", "zh"]
"""What screens and boards are shown in; sentences of this catalogue are in English so far."""


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
    words = _LANGUAGES[language]
    shown = {name: _Shown(value, language) for name, value in values.items()}
    return str(words.SENTENCES[key].format_map(shown))


class _Shown:
    """A value on its way into a sentence."""

    __slots__ = ("_language", "_value")

    def __init__(self, value: object, language: str) -> None:
        self._value, self._language = value, language

    def __repr__(self) -> str:
        return repr(self._value)

    def __format__(self, spec: str) -> str:
        value = self._value
        if isinstance(value, Money):
            return write_minor(value)
        if isinstance(value, Odds):
            return to_one(value)
        if isinstance(value, Phrase):
            return say(value.key, value.values, self._language)
        if isinstance(value, tuple):
            words = _LANGUAGES[self._language]
            joint: str = words.AND if spec == "and" else words.COMMA
            return joint.join(format(_Shown(each, self._language)) for each in value)
        if spec in ("words", "title"):
            text = str(value).replace("_", " ")
            return text.capitalize() if spec == "title" else text
        return format(value, spec)


_LANGUAGES: dict[str, ModuleType] = {"en": en}
