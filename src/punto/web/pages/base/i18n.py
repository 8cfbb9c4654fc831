"""The sentences of a page, from the catalogue."""

from collections.abc import Iterable

from punto.catalogue.sentence import LANGUAGES, Phrase, paragraph, write
from punto.catalogue.sentence import Language as Language  # noqa: PLC0414 - pages take it from here

FELT_SIGNS = {"player": "閒", "banker": "庄", "tie": "和"}
"""What is printed on the felt, whatever the language of the page."""


class Translator:
    """Makes the sentences of the catalogue in one language. Templates know it as ``t``."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, key: str, /, **values: object) -> str:
        """The sentence of a key."""
        return self.write(Phrase(key, values))

    def write(self, value: object) -> str:
        """A single value the way sentences write it: a phrase, a list, an amount, odds."""
        return write(value, self.language)

    def paragraph(self, sentences: Iterable[str]) -> str:
        """Sentences one after the other."""
        return paragraph(sentences, self.language)


TRANSLATORS: dict[Language, Translator] = {language: Translator(language) for language in LANGUAGES}
