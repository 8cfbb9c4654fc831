"""The sentences of a page, from the catalogue."""

from collections.abc import Iterable

from punto.catalogue.sentence import LANGUAGES, Phrase, paragraph, write
from punto.catalogue.sentence import Language as Language  # noqa: PLC0414 - pages take it from here

FELT_SIGNS = {"player": "閒", "banker": "庄", "tie": "和"}
"""The signs printed on the felt, the same in all languages."""


class Translator:
    """Writes the sentences of the catalogue in one language. In templates it is ``t``."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, key: str, /, **values: object) -> str:
        return self.write(Phrase(key, values))

    def write(self, value: object) -> str:
        """A value as sentences write it: a phrase, a list, an amount, odds."""
        return write(value, self.language)

    def paragraph(self, sentences: Iterable[str]) -> str:
        return paragraph(sentences, self.language)


TRANSLATORS: dict[Language, Translator] = {language: Translator(language) for language in LANGUAGES}
