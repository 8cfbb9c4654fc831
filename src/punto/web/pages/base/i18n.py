"""The sentences of a page, from the catalogue."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import UNSET, UnsetType, json

from punto.catalogue.sentence import LANGUAGES, Language, Phrase, paragraph, phrase, write
from punto.floor.people.names import house_player_name
from punto.rules.refusals import clause_parts
from punto.table.records.identity import Place, player_number
from punto.table.records.settings import box_label

FELT_SIGNS = {"player": "閒", "banker": "庄", "tie": "和"}
"""The signs printed on the felt, the same in all languages. Everywhere else Chinese is simplified."""


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


def person_name(
    who: str, t: Translator, names: Mapping[str, str] | UnsetType, labels: Sequence[str] = (), *, with_id: bool = False
) -> str:
    """A player as pages show them, at a table whose boxes have these labels. Commands keep ``who`` as it is.

    ``names`` are those of registered players, UNSET for viewers who may not see them; for those a registered player is
    the empty string. A player without a name there is shown by their id.
    """
    if player_number(who) is not None:
        name = "" if names is UNSET else names.get(who, who)
        return t("person.with_id", name=name, id=who) if with_id and name not in ("", who) else name
    if (place := Place.find(who)) is not None:
        return _place_name(place, box_label(labels, place.box), t)
    if (first_name := house_player_name(who)) is None:
        return who
    return t("person.house", name=first_name)


def _place_name(place: Place, box: str, t: Translator) -> str:
    if not place.behind:
        return t("person.box", box=box)
    if place.number == 1:
        return t("person.behind", box=box)
    return t("person.behind_number", box=box, number=place.number)
