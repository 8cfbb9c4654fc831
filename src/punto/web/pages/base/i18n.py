"""The sentences of a page, from the catalogue."""

from functools import cache

from msgspec import json

from punto.catalogue.sentence import LANGUAGES, Language, phrase
from punto.rules.refusals import clause_parts
from punto.web.words.translator import TRANSLATORS, Translator, person_name, translator

__all__ = [
    "CHINESE",
    "FELT_SIGNS",
    "TRANSLATORS",
    "Translator",
    "clause_mark",
    "clause_name",
    "definitions",
    "person_name",
    "translator",
]

FELT_SIGNS = {"player": "闲", "banker": "庄", "tie": "和"}
"""The signs printed on the felt, the same in all languages. Everywhere else Chinese is simplified."""


CHINESE = {bet: TRANSLATORS["zh"].write(phrase(f"bet.{bet}")) for bet in FELT_SIGNS}
"""The Chinese names of Player, Banker and Tie, which English pages show too."""


@cache
def definitions(language: Language) -> str:
    """The names of definitions by id, as JSON for scripts."""
    section = "definition."
    sentences: dict[str, str] = LANGUAGES[language].SENTENCES
    names = {key.removeprefix(section): name for key, name in sentences.items() if key.startswith(section)}
    return json.encode(names).decode()


def clause_mark(clause: str, t: Translator) -> str:
    """A clause as marks show it. Clauses such as ``1:tie`` are definitions without a number of their own."""
    number, definition = clause_parts(clause)
    return t("clause_mark.definition", number=number, definition=definition) if definition else number


def clause_name(clause: str, t: Translator) -> str:
    """A clause in titles and for screen readers."""
    number, definition = clause_parts(clause)
    if definition:
        return t("clause_name.definition", number=number, definition=definition)
    return t("clause_name", number=number)
