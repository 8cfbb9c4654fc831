"""Every placeholder of every sentence can be written, in both languages."""

import re
from collections.abc import Iterator
from string import Formatter
from typing import NamedTuple

import pytest

from punto.catalogue.sentence import ALOUD, AT_SHUFFLER, JOINTS, LANGUAGES, TO_PLAYER, Language, phrase, write
from punto.catalogue.values import Money
from tests.catalogue.sections import SECTIONS

NUMBERS = {",", "g", ".0f"}
"""Format specifications of Python that sentences may use."""


class Placeholder(NamedTuple):
    name: str
    spec: str
    quoted: bool

    @property
    def number(self) -> bool:
        return "|" in self.spec or self.spec in NUMBERS

    @property
    def joint(self) -> bool:
        return any(word in JOINTS for word in self.spec.split())

    @property
    def section(self) -> str:
        named = (word for word in self.spec.split() if word not in (*JOINTS, ALOUD))
        return "" if self.number else next(named, "")


def placeholders(template: str) -> list[Placeholder]:
    parts = Formatter().parse(template)
    return [Placeholder(name, spec or "", conversion == "r") for _, name, spec, conversion in parts if name is not None]


def mistakes(template: str) -> list[str]:
    """The specifications that are not known."""
    return [each.spec for each in placeholders(template) if not _is_known(each)]


def _is_known(one: Placeholder) -> bool:
    if "|" in one.spec:
        forms = one.spec.split("|")
        return len(forms) == 2 and all(forms) and "#" in forms[1]
    words = one.spec.split()
    kinds = [kind for word in words for kind, known in enumerate((JOINTS, SECTIONS)) if word in known]
    return one.spec in (*NUMBERS, ALOUD) or len(set(kinds)) == len(kinds) == len(words)


@pytest.mark.parametrize(
    ("template", "unknown"),
    [
        ("{bet:bett}", ["bett"]),
        ("{bets:bet adn}", ["bet adn"]),
        ("{cards:# card}", ["# card"]),
        ("{cards:# card|cards}", ["# card|cards"]),
        ("{cards:|# cards}", ["|# cards"]),
        ("{seconds:h}", ["h"]),
        ("{bet:bet side}", ["bet side"]),
        ("{bet:bet} {bets:bet or} {names:and} {cards:# card|# cards} {seconds:g} {most:,} {name!r} {name}", []),
    ],
)
def test_a_specification_that_is_not_known_is_found(template: str, unknown: list[str]) -> None:
    assert mistakes(template) == unknown


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_specification_is_known(language: Language) -> None:
    sentences: dict[str, str] = LANGUAGES[language].SENTENCES
    assert {key: found for key, template in sentences.items() if (found := mistakes(template))} == {}


def templates(key: str) -> Iterator[str]:
    """The sentences that are made from the same values: to the staff and to players, in every language."""
    for module in LANGUAGES.values():
        yield from (
            module.SENTENCES[each] for each in (key, key + TO_PLAYER, key + AT_SHUFFLER) if each in module.SENTENCES
        )


def samples(key: str) -> dict[str, object]:
    """A value for each placeholder that fits all sentences of the key."""
    values: dict[str, object] = {}
    for each in (one for template in templates(key) for one in placeholders(template)):
        kind = min(SECTIONS[each.section]).partition(".")[2] if each.section else ""
        if each.number:
            values[each.name] = 1_234
        elif each.joint:
            values[each.name] = (kind or "x", kind or "y")
        elif kind or each.quoted:
            values[each.name] = kind or "somebody"
        else:
            values.setdefault(each.name, Money(1_234_50))
    return values


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_can_be_said_to_the_staff_and_to_players(language: Language) -> None:
    sentences: dict[str, str] = LANGUAGES[language].SENTENCES
    for key, template in sentences.items():
        base, _, ending = key.partition("@")
        message = write(phrase(base, **samples(base)), language, f"@{ending}" if ending else "")
        names = {each.section for each in placeholders(template) if each.section}
        assert [name for name in names if sentences[min(SECTIONS[name])] not in message] == [], (key, message)
        assert re.search(r"[{}]|__|object at", message) is None, (key, message)
