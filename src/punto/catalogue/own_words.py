"""The words of books that do not ship with Punto: names and clauses, in the languages of their authors."""

from collections.abc import Iterable, Mapping

_WORDS: dict[str, dict[str, str]] = {}
"""By key and language, as templates."""
_FIRST = "en"


def learn(key: str, texts: Mapping[str, str]) -> None:
    """Keep the texts of a key, by language. The first book that says a key stays: an id means one thing in a house."""
    if texts:
        _WORDS.setdefault(key, {language: _escaped(text) for language, text in texts.items()})


def is_learned(key: str) -> bool:
    return key in _WORDS


def template(key: str, language: str) -> str | None:
    """In that language, or else in English, or else in the first one the author gave."""
    texts = _WORDS.get(key)
    if texts is None:
        return None
    return next(texts[each] for each in (language, _FIRST, *texts) if each in texts)


def learned_keys() -> Iterable[str]:
    return _WORDS.keys()


def _escaped(text: str) -> str:
    """Braces in a name are no placeholders."""
    return text.replace("{", "{{").replace("}", "}}")
