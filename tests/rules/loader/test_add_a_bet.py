"""The example of docs/books.md, "Add a bet", can be followed."""

import re
from pathlib import Path
from textwrap import dedent

from punto import Result, Rulebook, Stake, book, settle
from punto.rules.loader import read_book
from tests.markdown import sections

ROOT = Path(__file__).parents[3]
FILE = ROOT / "src/punto/rules/books/super-six-plus.toml"
(PAGE,) = [section.text for section in sections(ROOT / "docs/books.md") if section.heading == "Add a bet"]


def followed() -> Rulebook:
    """The book after steps 1 and 2."""
    clauses, bet = map(dedent, re.findall(r"^ *```toml\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL))
    text = FILE.read_text(encoding="utf-8")
    text = text.replace("[clauses]\n", f"[clauses]\n{clauses}", 1).replace("[bets.tie]", f"{bet}\n[bets.tie]", 1)
    return read_book(text, FILE.name)


def test_the_bet_of_the_example_pays_what_it_says() -> None:
    rules = followed()
    bet = rules.bets["dragon_seven"]
    found = re.search(r"^punto coup super-six-plus ([^#]+?) +#", PAGE, re.MULTILINE)
    assert found
    for cards, result, returned_minor in (
        (found[1], Result.WIN, 41_00),
        ("2s Ad Kh 3c 3d 2h", Result.LOSE, 0),  # 6 points
        ("Ks 4d 6h 3c", Result.LOSE, 0),  # 7 points on two cards
    ):
        (settled,) = settle(rules, rules.coup(cards), [Stake("ann", bet.id, 1_00)]).bets
        assert (settled.verdict.result, settled.returned_minor) == (result, returned_minor)
        assert set(settled.clauses) <= rules.clauses.keys()


def test_its_clauses_are_the_next_ones_of_the_book_and_its_sentences_are_named() -> None:
    new = followed().clauses.keys() - book("super-six-plus").clauses.keys()
    assert len(new) == 2
    assert all(f"`clause.super-six-plus.{clause}`" in PAGE for clause in new)
    for clause in new:
        chapter, _, last = clause.rpartition(".")
        assert f"{chapter}.{int(last) - 1}" in book("super-six-plus").clauses


def test_every_file_of_the_steps_is_there() -> None:
    files = set(re.findall(r"`((?:src|tests)/[\w./-]+)`", PAGE))
    assert len(files) >= 6
    assert [file for file in files if not (ROOT / file).is_file()] == []
