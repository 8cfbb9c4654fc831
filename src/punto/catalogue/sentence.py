"""Makes a sentence in the reader's language from its key and values.

A language is a module beside this one with ``SENTENCES``. The type of a value decides how it is written: ``Money``,
``Odds``, ``Percent``, ``Rate`` and ``Moment`` as people write them, a tuple as a list, a ``Phrase`` in the language of
its sentence, everything else as text. A placeholder can say more:

* ``{bet:bet}`` names a section of the catalogue and writes an id by its sentence there, ``bet.tiger`` for ``"tiger"``.
  An id without a sentence, such as a bet of somebody's own book, is written as it is.
* ``{names:and}``, ``{names:or}`` join a list that way instead of with commas; ``{bets:bet or}`` does both.
* ``{cards:# card|# cards}`` chooses by number.
* ``{amount:aloud}`` writes money in words, as people say it.
* ``{most:,}`` and other format specifications of Python write numbers.
* ``{name!r}`` puts a text into quotation marks, with control characters escaped.
"""

from collections.abc import Iterable
from datetime import datetime
from types import ModuleType
from typing import Literal

from msgspec import Struct

from punto.catalogue import en, own_words, zh
from punto.catalogue.aloud import WRITERS
from punto.catalogue.values import (
    Moment,
    Money,
    Odds,
    Percent,
    Rate,
    write_money,
    write_number,
    write_percent,
    write_rate,
)

Language = Literal["en", "zh"]

LANGUAGES: dict[Language, ModuleType] = {"en": en, "zh": zh}

JOINTS = ("and", "or")
ALOUD = "aloud"
SECTIONS = frozenset(key.partition(".")[0] for key in en.SENTENCES if "." in key)
"""What may stand before the dot of a key, and so after the colon of a placeholder."""
TO_PLAYER = "@player"
"""Ends the key of a sentence that addresses the player it is about."""
AT_SHUFFLER = "@shuffler"
"""Ends the key of a sentence that is said at a table with a continuous shuffler, where there is no shoe."""


class Phrase(Struct, frozen=True):
    """A part of a sentence that has to be said in its language too."""

    key: str
    values: dict[str, object]


def phrase(key: str, /, **values: object) -> Phrase:
    """A phrase of the catalogue, to be a value of a sentence."""
    return Phrase(key, values)


def say(key: str, language: Language = "en", /, *, to_player: bool = False, **values: object) -> str:
    """The sentence of a key; ``to_player`` prefers the one that speaks to the player it is about.

    >>> say("limits_contradict", least=Money(50_00), most=Money(25_00))
    'The minimum 50 is above the maximum 25.'
    """
    return _say(key, language, TO_PLAYER if to_player else "", values)


def _say(key: str, language: Language, ending: str, values: dict[str, object]) -> str:
    """The sentence of a key, preferably the one whose key has this ending."""
    template = _find(key, language, ending)
    return template.format_map({name: _Written(value, language, ending) for name, value in values.items()})


def _find(key: str, language: Language, ending: str) -> str:
    sentences: dict[str, str] = LANGUAGES[language].SENTENCES
    found = (sentences.get(key + ending) if ending else None) or sentences.get(key)
    if found is None:
        found = own_words.template(key, language)
    if found is None:
        raise KeyError(key)
    return found


def write(value: object, language: Language = "en", ending: str = "") -> str:
    """A single value, the way sentences write it. Of a phrase, the sentence with this ``ending`` of its key if any.

    >>> write(("A", "B", "C")), write(Money(500_00)), write(Odds("8")), write(Odds("3/2"))
    ('A, B, C', '500', '8 to 1', '3 to 2')
    """
    return format(_Written(value, language, ending))


def paragraph(sentences: Iterable[str], language: Language = "en") -> str:
    """Sentences one after the other."""
    between: str = LANGUAGES[language].SENTENCES["list.sentence"]
    return between.join(sentences)


def knows(key: str) -> bool:
    """Whether there is such a sentence, in the catalogue or in a book. All languages have the same."""
    return key in en.SENTENCES or own_words.is_learned(key)


class _Written:
    """A value on its way into a sentence."""

    __slots__ = ("_ending", "_language", "_value")

    def __init__(self, value: object, language: Language, ending: str) -> None:
        self._value, self._language, self._ending = value, language, ending

    def __repr__(self) -> str:
        if not isinstance(self._value, str):
            return repr(self._value)
        text = "".join(each if each.isprintable() else repr(each)[1:-1] for each in self._value)
        return f"“{text}”" if self._language == "zh" else f"'{text}'"

    def __format__(self, spec: str) -> str:
        value, language = self._value, self._language
        if isinstance(value, tuple):
            return self._list(value, spec)
        if isinstance(value, Moment):
            return self._moment(value)
        if isinstance(value, Money):
            return WRITERS[language](value) if spec == ALOUD else write_money(value)
        if isinstance(value, Percent):
            return write_percent(value)
        if isinstance(value, Rate):
            return write_rate(value)
        if isinstance(value, Odds) and knows(f"odds.{value}"):
            return say(f"odds.{value}", language)
        if isinstance(value, Odds):
            numerator, _, denominator = str(value).partition("/")
            return say("odds", language, numerator=numerator, denominator=denominator or "1")
        if isinstance(value, Phrase):
            return _say(value.key, language, self._ending, value.values)
        if "|" in spec:
            one, several = spec.split("|")
            return (one if value == 1 else several).replace("#", write_number(value))
        if spec in SECTIONS:
            key = f"{spec}.{value}"
            return _find(key, language, self._ending) if knows(key) else str(value)
        return format(value, spec)

    def _moment(self, value: Moment) -> str:
        at = datetime.fromisoformat(value)
        day = say("moment.day", self._language, day=at.day, month=at.month, year=at.year)
        if at.tzinfo is None:
            return day
        return say("moment.minute", self._language, day=day, time=f"{at.hour}:{at.minute:02}")

    def _list(self, values: tuple[object, ...], spec: str) -> str:
        words = spec.split()
        joint = next((word for word in words if word in JOINTS), "comma")
        section = next((word for word in words if word not in JOINTS), "")
        *rest, last = [format(_Written(each, self._language, self._ending), section) for each in values] or [""]
        sentences = LANGUAGES[self._language].SENTENCES
        first: str = sentences["list.comma"].join(rest)
        return f"{first}{sentences[f'list.{joint}']}{last}" if rest else last
