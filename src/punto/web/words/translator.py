"""The sentences of the catalogue in one language, and people as sentences name them."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET, UnsetType

from punto.catalogue.sentence import AT_SHUFFLER, LANGUAGES, Language, Phrase, paragraph, write
from punto.floor.names.names import house_player_name
from punto.table.records.identity import Place, player_number
from punto.table.records.settings import box_label


class Translator:
    """Writes the sentences of the catalogue in one language. In templates it is ``t``.

    It prefers sentences whose keys have its ``ending``.
    """

    def __init__(self, language: Language, ending: str = "") -> None:
        self.language, self.ending = language, ending

    def __call__(self, key: str, /, **values: object) -> str:
        return self.write(Phrase(key, values))

    def write(self, value: object) -> str:
        """A value as sentences write it: a phrase, a list, an amount, odds."""
        return write(value, self.language, self.ending)

    @property
    def other(self) -> "Translator":
        """The one that says the same in the other language."""
        return translator("zh" if self.language == "en" else "en", at_shuffler=self.ending == AT_SHUFFLER)

    def paragraph(self, sentences: Iterable[str]) -> str:
        return paragraph(sentences, self.language)


TRANSLATORS: dict[Language, Translator] = {language: Translator(language) for language in LANGUAGES}
_AT_SHUFFLER: dict[Language, Translator] = {language: Translator(language, AT_SHUFFLER) for language in LANGUAGES}


def translator(language: Language, *, at_shuffler: bool) -> Translator:
    """The translator for what is said of one table: where it has a continuous shuffler, nothing speaks of a shoe."""
    return (_AT_SHUFFLER if at_shuffler else TRANSLATORS)[language]


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
    if not place.behind and place.number > 1:
        return t("person.left_box", box=box, number=place.number)
    if not place.behind:
        return t("person.box", box=box)
    if place.number == 1:
        return t("person.behind", box=box)
    return t("person.behind_number", box=box, number=place.number)
