"""The library finds the books of the package, and refuses a wrong one in the usual shape."""

from pathlib import Path

import pytest

from punto import book, book_ids, library
from punto.rules.interpretations import read_readings
from punto.rules.loader import BookError
from punto.rules.refusals import Code, Refused

COMMISSION = Path(library.__file__).parent / "rules" / "books" / "commission.toml"


GOOD = "[[readings]]\nid = 'a'\nsubject = 'B'\ntext = 'C'\ntopics = ['tie']\n"


def _shelved(text: str, monkeypatch: pytest.MonkeyPatch, folder: Path, name: str = "commission") -> Refused:
    """What the library says to a book with that text and file name, without its cache of the real ones."""
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(library, "_BOOKS", folder)
    monkeypatch.setattr(library, "book_ids", lambda: (name,))
    with pytest.raises(Refused) as refused:
        library.book.__wrapped__(name)
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
