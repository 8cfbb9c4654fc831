"""Books of one's own: what they take over, what they say themselves, and what is wrong with a broken one."""

import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from punto import book, book_ids, library
from punto.catalogue.sentence import say
from punto.rules.bets.pay_lines import Result, decided
from punto.rules.loader.schema import schema
from punto.rules.refusals import Clause, Code, Refused
from tests.rules.loader.texts import text_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "books"
START = 'id = "mine"\nextends = "commission"\n'
BET = '[bets.mine]\npays = [{ when = { winner = "tie", points = 6 }, odds = "45" }]\n'


def read(folder: Path, text: str, name: str = "mine") -> Any:
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return library.read_file(file)


def refused(folder: Path, text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        read(folder, text)
    assert len(caught.value.message) < 800
    return caught.value


def fault(folder: Path, text: str) -> Refused | None:
    """The refusal of a book, if it is refused."""
    try:
        read(folder, text)
    except Refused as error:
        return error
    return None


# ---- taking over


def test_a_book_takes_over_everything_that_it_does_not_say(tmp_path: Path) -> None:
    rules, base = read(tmp_path, START + BET), book("commission")
    assert (rules.topics, rules.table_of_play, rules.decks) == (base.topics, base.table_of_play, base.decks)
    assert rules.bets.keys() == {*base.bets, "mine"}
    assert rules.version is None
    assert rules.bases == ("commission",)
    assert rules.clauses.keys() == {*base.clauses, "bet:mine"}
    assert rules.law_hash != base.law_hash


def test_what_is_taken_over_keeps_its_words_and_what_is_new_has_its_own(tmp_path: Path) -> None:
    text = (
        START.replace("mine", "worded")
        + '[clauses."9.9"]\nkind = "notice"\nhandled_by = "engine"\ntext = { zh = "规则" }\n'
    )
    rules = read(tmp_path, text + '[bets.worded_bet]\nname = "A {bet} of my own"\n' + BET.split("\n", 1)[1])
    assert rules.summary(Clause("4.1.2")) == book("commission").summary(Clause("4.1.2"))
    assert rules.summary(Clause("9.9"), "en") == rules.summary(Clause("9.9"), "zh") == "规则"
    assert rules.bets["worded_bet"].name == say("bet.worded_bet", "zh") == "A {bet} of my own"


def test_false_leaves_out_and_layouts_are_written_anew(tmp_path: Path) -> None:
    layout = '[layouts.only]\nboxes = "5"\nclause = "2.1.1"\n'
    rules = read(tmp_path, START + "[bets]\ntie = false\n" + BET + layout)
    assert "tie" not in rules.bets
    assert list(rules.layouts) == ["only"]


def test_a_book_extends_another_file(tmp_path: Path) -> None:
    read(tmp_path, START + BET)
    rules = read(tmp_path, 'id = "further"\nextends = "mine.toml"\n[decks]\nleast = 8\n', "further")
    assert rules.bases == ("mine", "commission")
    assert (rules.decks.least, "mine" in rules.bets) == (8, True)


def test_books_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('id = "other"\nextends = "mine.toml"\n', encoding="utf-8")
    assert "circle" in refused(tmp_path, 'id = "mine"\nextends = "other.toml"\n').message


def test_a_long_row_of_books_is_refused(tmp_path: Path) -> None:
    for number in range(20):
        text = f'id = "b{number}"\nextends = "b{number + 1}.toml"\n'
        (tmp_path / f"b{number}.toml").write_text(text, encoding="utf-8")
    assert "more than 8 books" in refused(tmp_path, 'id = "mine"\nextends = "b0.toml"\n').message


# ---- the law


def test_the_order_of_lines_is_law_where_a_coup_matches_two(tmp_path: Path) -> None:
    six, tie = '{ when = { winner = "tie", points = 6 }, odds = "45" }', '{ when = { winner = "tie" }, odds = "8" }'
    one = read(tmp_path, f"{START}[bets.mine]\npays = [{six}, {tie}]\n")
    assert [str(line.verdict.odds) for line in one.bets["mine"].pays] == ["45", "8"]
    assert "never pay" in refused(tmp_path, f"{START}[bets.mine]\npays = [{tie}, {six}]\n").message
    small = '{ when = { cards = 4 }, odds = "2" }'
    either = [
        read(tmp_path, f"{START}[bets.mine]\npays = [{lines}]\n") for lines in (f"{six}, {small}", f"{small}, {six}")
    ]
    assert either[0].law_hash != either[1].law_hash


def test_otherwise_is_law_and_is_settled(tmp_path: Path) -> None:
    lost, returned = (
        read(tmp_path, START + BET.replace("pays", f'otherwise = "{word}"\npays')) for word in ("lose", "push")
    )
    assert lost.law_hash != returned.law_hash
    coup = returned.coup("Ks 2h Qs 5d 3h")
    assert decided(returned.bets["mine"], coup) is Result.PUSH
    assert returned.bets["mine"].verdict(coup).numerator == 1


# ---- the shelf


def test_a_folder_of_books_is_put_on_the_shelf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "_OWN", {})
    read(tmp_path, START + BET)
    (mine,) = library.put_on_shelf(tmp_path)
    assert book("mine") is mine
    assert "mine" in book_ids()


def test_two_books_of_one_id_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "_OWN", {})
    read(tmp_path, START + BET)
    read(tmp_path, START + BET, "again")
    with pytest.raises(Refused, match="already a book mine"):
        library.put_on_shelf(tmp_path)
    assert "mine" not in book_ids()


def test_an_id_that_comes_over_the_network_is_no_path(tmp_path: Path) -> None:
    read(tmp_path, START + BET)
    with pytest.raises(Refused) as caught:
        book(str(tmp_path / "mine.toml"))
    assert caught.value.code is Code.UNKNOWN_BOOK


@pytest.mark.parametrize("name", ["nothing.toml", ".", "no/such/book"])
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        library.game(str(tmp_path / name))
    assert caught.value.code is Code.UNREADABLE_BOOK


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path) -> None:
    for content in (b"\xff\xfe\x00", b"#" * (library.MAX_BOOK_BYTES + 1)):
        (tmp_path / "x.toml").write_bytes(content)
        with pytest.raises(Refused) as caught:
            library.read_file(tmp_path / "x.toml")
        assert caught.value.code is Code.UNREADABLE_BOOK


# ---- broken books

_VALUES = [
    *("0", "-1", "99999999999999999999999999", "1e400", "nan", "true", "[]", "{}", '""', '"\\u0000"', "[[[[]]]]"),
    *('"{0.__class__}"', '"../../../etc/passwd"', "1979-05-27", '["tie", "tie"]', "[1.5]", '"9x9"', '"K-K-K-K-K-K-K"'),
    *('"' + "x" * 5000 + '"', "{ a = { b = { c = 1 } } }"),
]
_NAMED = "[bets.b]\nname = VALUE\npays = [{ when = { winner = 'tie' }, odds = '1' }]"
_PLACES = [
    "extends = VALUE",
    "id = VALUE",
    "name = VALUE",
    "decks = VALUE",
    "bets = VALUE",
    "layouts = VALUE",
    "clauses = VALUE",
    "topics = VALUE",
    "insurance = VALUE",
    "table_of_play = VALUE",
    "[bets.b]\npays = VALUE",
    "[bets.b]\npays = [{ when = VALUE, odds = '1' }]",
    "[bets.b]\npays = [{ when = { winner = VALUE }, odds = '1' }]",
    "[bets.b]\npays = [{ when = { total = VALUE }, odds = '1' }]",
    "[bets.b]\npays = [{ when = { all_cards = VALUE }, odds = '1' }]",
    "[bets.b]\npays = [{ when = { pairs = VALUE }, odds = '1' }]",
    "[bets.b]\npays = [{ when = { winner = 'tie' }, odds = VALUE }]",
    _NAMED,
    "[bets.b]\notherwise = VALUE\npays = [{ when = { winner = 'tie' }, odds = '1' }]",
    "[bets.b]\nclause = VALUE\npays = [{ when = { winner = 'tie' }, odds = '1' }]",
]
_WORDS = ('"{0.__class__}"', '"../../../etc/passwd"', '"9x9"', '"K-K-K-K-K-K-K"')
FINE = {
    ("id = VALUE", '"9x9"'),
    *((place, word) for place in ("name = VALUE", _NAMED) for word in _WORDS),
    *((f"{table} = VALUE", "{}") for table in ("decks", "bets", "clauses", "topics", "table_of_play")),
    ("[bets.b]\npays = [{ when = { total = VALUE }, odds = '1' }]", "0"),
}
"""A name may be any text, and an empty table takes over everything."""


def test_a_broken_book_gets_one_clear_error(tmp_path: Path) -> None:
    """400 books, each with a value that cannot stand there: a refusal that names the file, never another exception."""
    accepted = set[tuple[str, str]]()
    for place in _PLACES:
        for value in _VALUES:
            text = place.replace("VALUE", value)
            head = START if text.startswith("[") else START.replace(f"{text.split(' =')[0]} = ", "other = ", 1)
            head = "".join(line for line in head.splitlines(keepends=True) if not line.startswith("other ="))
            error = fault(tmp_path, head + text + "\n")
            if error is None:
                accepted.add((place, value))
                continue
            assert error.code in {Code.BAD_BOOK, Code.UNREADABLE_BOOK}, text
            assert "mine.toml" in error.message or error.code is Code.UNREADABLE_BOOK, text
            assert "\x00" not in error.message, text
            assert len(error.message) < 1000, text
    assert accepted == FINE


def test_a_book_cut_anywhere_is_a_book_or_refused(tmp_path: Path) -> None:
    text = (EXAMPLES / "dragon-bonus.toml").read_text(encoding="utf-8")
    random = Random(3)  # noqa: S311 - no secret
    for _ in range(60):
        start, end = sorted(random.sample(range(len(text)), 2))
        error = fault(tmp_path, text[:start] + text[end:])
        assert error is None or error.code in {Code.BAD_BOOK, Code.UNREADABLE_BOOK}


# ---- the schema


def check(value: object, described: dict[str, Any], place: str = "") -> list[str]:
    """The places at which a value is not as the schema says; as much of JSON Schema as ours uses."""
    if "oneOf" in described:
        tried = [check(value, each, place) for each in described["oneOf"]]
        return [] if any(not each for each in tried) else [place]
    if "const" in described:
        return [] if value is described["const"] else [place]
    if "enum" in described:
        return [] if value in described["enum"] else [place]
    kinds = {"string": str, "integer": int, "array": list, "object": dict}
    if not isinstance(value, kinds[described["type"]]) or isinstance(value, bool):
        return [place]
    if isinstance(value, str):
        return [] if re.search(described.get("pattern", ""), value) else [place]
    if isinstance(value, int):
        return [] if described.get("minimum", value) <= value <= described.get("maximum", value) else [place]
    if isinstance(value, list):
        return [fault for at, each in enumerate(value) for fault in check(each, described["items"], f"{place}[{at}]")]
    assert isinstance(value, dict)
    faults = [f"{place}.{key}: missing" for key in described.get("required", ()) if key not in value]
    for key, each in value.items():
        inner = described.get("properties", {}).get(key, described["additionalProperties"])
        faults += [f"{place}.{key}: unknown"] if inner is False else check(each, inner, f"{place}.{key}")
    return faults


@pytest.mark.parametrize("text", [*map(text_of, book_ids()), *(each.read_text() for each in EXAMPLES.glob("*.toml"))])
def test_every_book_is_as_the_schema_says(text: str) -> None:
    assert check(tomllib.loads(text), schema()) == []


@pytest.mark.parametrize(
    "wrong", ["[bets.b]\npays = [{ when = { winer = 'tie' }, odds = '1' }]", "[decks]\nleast = 0", "edition = '3'"]
)
def test_the_schema_knows_what_is_wrong(wrong: str) -> None:
    assert check(tomllib.loads(START + wrong), schema()) != []
