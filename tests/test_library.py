"""The library finds the books of the package, and refuses a wrong one in the usual shape."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import fields, replace

from punto import book, book_ids, library
from punto.catalogue.sentence import LANGUAGES
from punto.rules.interpretations import read_readings
from punto.rules.loader import BookError
from punto.rules.money import Rounding
from punto.rules.refusals import Code, Refused
from punto.table.records.positions import SUPERVISOR_UP
from punto.table.records.settings import Settings, check_settings

COMMISSION = Path(library.__file__).parent / "rules" / "books" / "commission.toml"


GOOD = "[[readings]]\nid = 'a'\nsubject = 'B'\ntext = 'C'\ntopics = ['tie']\n"

SET = "[[readings]]\nid = 'a'\nsubject = 'B'\ntopics = ['tie']\nsetting = "


CHANGEABLE = {
    "round_down_bet_by_bet": "rounding",
    "forgoing_insurance": "forgone_for_the_round",
    "who_may_squeeze": "squeeze_by_hand",
    "squeeze_needs_permission": "squeeze_granted",
    "established": "established_by_staked_bets",
    "who_the_house_is": "house",
    "burn_cards": "burn",
    "cut_card": "cut_card",
    "rounds_after_cut_card": "rounds_after_cut_card",
}
"""Reading to setting. Floors have adopted readings by these ids on record: never rename or remove one."""


def _shelved(text: str, monkeypatch: pytest.MonkeyPatch, folder: Path, name: str = "commission") -> Refused:
    """What the library says to a book with that text and file name, without its cache of the real ones."""
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(library, "_BOOKS", folder)
    monkeypatch.setattr(library, "shipped_ids", lambda: (name,))
    with pytest.raises(Refused) as refused:
        library._shipped.__wrapped__(name)
    return refused.value


def test_the_five_books_are_on_the_shelf() -> None:
    games = ("commission", "commission-insurance", "da-hu-ying-xiong", "super-six-plus", "tiger-buffalo")
    assert book_ids() == games
    assert tuple(book(game).id for game in games) == games
    assert book("commission") is book("commission")


def test_an_unknown_book_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused, match=r"no book 'baccara'\. Use one of these: commission, ") as refused:
        book("baccara")
    assert refused.value.code is Code.UNKNOWN_BOOK


def test_a_book_that_could_not_be_law_is_refused_in_the_one_shape(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = COMMISSION.read_text(encoding="utf-8").replace('odds = "8"', "odds = 8.0")
    refused = _shelved(text, monkeypatch, tmp_path)
    assert refused.code is Code.BAD_BOOK
    assert refused.message.startswith("commission.toml: bets.tie.pays[0].odds (clause 4.1.2): ")


def test_a_file_is_named_after_its_book(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refused = _shelved(COMMISSION.read_text(encoding="utf-8"), monkeypatch, tmp_path, name="other")
    assert (refused.code, refused.message.partition(":")[0]) == (Code.BAD_BOOK, "other.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("readings = [", "top level: not TOML"),
        ("[[readings]]\nid = 'a'\nsubject = 'B'\ntopics = ['nonesuch']", "readings[0].topics"),
        ("[[readings]]\nid = 'a'\nsubject = 'B'\ntopics = []", "readings[0].topics"),
        ("[[readings]]\nid = 'a'\ntopics = ['tie']", "readings[0].subject: missing"),
        ("[[readings]]\nid = 'a'\nsubject = 'B'\ntopics = ['tie']\nx = 1", "readings[0]: unknown x"),
        (
            2 * "[[readings]]\nid = 'a'\nsubject = 'B'\ntopics = ['tie']\n",
            "readings[1]: there is already a reading a",
        ),
        (f"{SET}{{ ours = true, values = [true] }}", "readings[0].setting.name: missing"),
        (f"{SET}{{ name = 's', values = [true] }}", "readings[0].setting.ours: missing"),
        (f"{SET}{{ name = 's', ours = true, values = [] }}", "readings[0].setting.values: [] is not a value"),
        (f"{SET}{{ name = 's', ours = true, values = [1.5] }}", "readings[0].setting.values: [1.5] is not a value"),
        (f"{SET}{{ name = 's', ours = 1, values = [true] }}", "readings[0].setting.ours: 1 is not a value"),
        (f"{SET}{{ name = 's', ours = 1.5, values = [true] }}", "readings[0].setting.ours: 1.5 is not a value"),
        (f"{SET}{{ name = 's', ours = 9, least = 0, most = 8 }}", "readings[0].setting.ours: 9 is not a value"),
        (f"{SET}{{ name = 's', ours = 1, least = 2, most = 1 }}", "readings[0].setting.most: expected a whole number"),
        (f"{SET}{{ name = 's', ours = 1 }}", "readings[0].setting.least: missing"),
        (f"{SET}{{ name = 's', ours = true, values = [true], x = 1 }}", "readings[0].setting: unknown x"),
        (
            f"{SET}{{ name = 's', ours = true, values = [true], not_by_the_book = [false] }}",
            "readings[0].setting.not_by_the_book: False is not a value",
        ),
        (
            "other = 1\n[[readings]]\nid = 'a'\nsubject = 'B'\ntopics = ['tie']\n",
            "top level: unknown other",
        ),
    ],
)
def test_readings_are_read_as_strictly_as_books(text: str, said: str) -> None:
    with pytest.raises(BookError) as refused:
        read_readings(text, "r.toml")
    assert str(refused.value).startswith(f"r.toml: {said}")


def test_a_reading_that_can_be_changed_names_a_setting_with_its_default_and_an_alternative() -> None:
    defaults = {field.name: msgspec.to_builtins(field.default) for field in fields(Settings) if not field.required}
    settings = {each.id: each.setting for each in library.readings() if each.setting is not None}
    assert {id_: (setting.name, setting.ours) for id_, setting in settings.items()} == {
        id_: (name, defaults[name]) for id_, name in CHANGEABLE.items()
    }
    assert all(type(setting.ours) is type(defaults[setting.name]) for setting in settings.values())
    assert [set(setting.values) for setting in settings.values() if setting.name == "rounding"] == [set(Rounding)]
    assert [set(setting.values) for setting in settings.values() if setting.name == "house"] == [SUPERVISOR_UP]
    assert [id_ for id_, setting in settings.items() if setting.not_by_the_book] == ["established"]
    assert settings["established"].not_by_the_book == (True,)
    for each in library.readings():
        assert each.has_alternative or each.setting is None
        for language in LANGUAGES:
            assert (each.alternative_in(language) is None) is (each.effect_in(language) is None)


def test_a_number_setting_takes_what_the_table_takes_and_no_more() -> None:
    rules = book("commission")
    for each in library.readings():
        setting = each.setting
        if setting is None or setting.values:
            continue
        plain = Settings(layout="A", boxes=1)
        for value in (setting.least - 1, setting.least, setting.most, setting.most + 1):
            refusal = check_settings(rules, replace(plain, **{setting.name: value}))
            of_setting = refusal is not None and refusal.variant == "cut_card"
            assert setting.takes(value) is not of_setting
        assert not setting.takes(value=True)
        assert not setting.takes("1")
