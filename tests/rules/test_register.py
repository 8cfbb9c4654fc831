"""The register and the topics: every clause of every book is in its place."""

import re
import tokenize
from pathlib import Path
from typing import get_args

import pytest

from punto.library import readings, shown_by
from punto.rules.rulebook import HandledBy, Rulebook
from punto.rules.topics import Topic
from punto.table.vocabulary import AnyCommand
from tests.marks import BOOKS

ROOT = Path(__file__).parents[2]
COMMANDS = {kind.__struct_config__.tag.removesuffix(".1") for kind in get_args(AnyCommand)}

COUNTS = {
    "commission": 32,
    "commission-insurance": 92,
    "super-six-plus": 81,
    "da-hu-ying-xiong": 100,
    "tiger-buffalo": 116,
}


def test_the_register_holds_every_clause() -> None:
    assert {rules.id: len(rules.clauses) for rules in BOOKS} == COUNTS


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_no_number_is_missing_between_two_clauses(rules: Rulebook) -> None:
    for clause in rules.clauses:
        numbers = re.fullmatch(r"((?:\d+\.)*)(\d+)(?:\(([a-z])\))?", clause)
        if numbers is None:
            assert clause.startswith("1:")
            continue
        stem, last, letter = numbers[1], int(numbers[2]), numbers[3]
        before = f"{stem}{last}({chr(ord(letter) - 1)})" if letter else f"{stem}{last - 1}"
        if letter not in (None, "a") or (letter is None and last > 1):
            assert before in rules.clauses, f"{before} before {clause}"
        parent = f"{stem}{last}" if letter else stem.rstrip(".")
        if "." in parent:
            assert parent in rules.clauses, f"{parent} above {clause}"


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_every_clause_says_who_sees_to_it(rules: Rulebook) -> None:
    for clause in rules.clauses.values():
        assert (clause.command is not None) == (clause.handled_by is HandledBy.STAFF)
        assert (rules.offered(clause.id) is not None) == (clause.handled_by is HandledBy.PEOPLE)
        assert clause.command in {None, *COMMANDS}


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_every_clause_is_shown_by_a_test_or_handled_by_people(rules: Rulebook) -> None:
    shown = shown_by().clauses[rules.id]
    due = [one.id for one in rules.clauses.values() if one.handled_by is not HandledBy.PEOPLE]
    assert due
    assert [clause for clause in due if clause not in shown] == []


def test_every_reading_is_shown_by_a_test() -> None:
    assert [each.id for each in readings() if each.id not in shown_by().readings] == []
    for each in readings():
        assert any(each.clauses(rules) for rules in BOOKS), each.id


SAME_RULE = {  # commission, commission-insurance, super-six-plus, da-hu-ying-xiong, tiger-buffalo
    Topic.DECKS: ("2.2.1", "2.2.1", "2.2.1", "2.2.1", "2.2.1"),
    Topic.BETTING_CLOSED: ("3.2 5.2", "3.8 5.6", "3.8 5.6", "3.8 5.6", "3.8 5.6"),
    Topic.LATE_WITHDRAWAL: ("5.3", "5.6 5.14", "5.6 5.13", "5.6 5.14", "5.6 5.14"),
    Topic.TABLE_OF_PLAY: ("3.6", "3.15", "3.12", "3.15", "3.15"),
    Topic.PLAYER_STANDS: ("3.5", "3.13", "3.11", "3.13", "3.13"),
    Topic.TIE: ("3.8", "3.17", "3.14", "3.17", "3.17"),
    Topic.INSURANCE_CAP: ("", "3.12.2", "", "3.12.2", "3.12.2"),
    Topic.SQUEEZE: ("", "3.9", "3.9", "3.9", "3.9"),
    Topic.THIRD_CARD_WAIVER: ("", "3.14", "", "3.14", "3.14"),
    Topic.WALKING_AWAY: ("", "5.3 5.3.1", "5.3", "5.3 5.3.1", "5.3 5.3.1"),
    Topic.FOREIGN_CARD: ("5.1.1", "5.5.1", "5.5.1", "5.5.1", "5.5.1"),
    Topic.WRONG_NUMBER_OF_CARDS: ("5.1.2", "5.5.3", "5.5.3", "5.5.3", "5.5.3"),
    Topic.SHOE_RUN_OUT: ("5.1.3", "5.5.4", "5.5.4", "5.5.4", "5.5.4"),
    Topic.NOT_SHUFFLED: ("", "5.5.5", "5.5.5", "5.5.5", "5.5.5"),
    Topic.VOID_RETURNS: ("", "5.16", "5.15", "5.16", "5.16"),
    Topic.INSURANCE_NOT_OFFERED: ("", "5.13", "", "5.13.1 5.13.2", "5.13.1 5.13.2"),
    Topic.CHIPS_POSITION: ("", "5.14", "5.13", "5.14", "5.14"),
    Topic.DISPLAY: ("", "5.15", "5.14", "5.15", "5.15"),
    Topic.STAFF_BETS: ("", "5.17", "5.16", "5.17", "5.17"),
    Topic.RULING: ("", "5.18", "5.17", "5.18", "5.18"),
    Topic.PRO_RATA: ("", "5.1.1", "5.1.1", "5.1.1", "5.1.1"),
    Topic.COMMISSION: ("4.1.1", "4.1.1", "4.1.1", "", "4.1.1"),
}


@pytest.mark.parametrize("topic", SAME_RULE)
def test_each_book_numbers_the_same_rule_in_its_own_way(topic: Topic) -> None:
    by_id = {rules.id: rules for rules in BOOKS}
    for game, clauses in zip(COUNTS, SAME_RULE[topic], strict=True):
        assert " ".join(by_id[game].topics[topic]) == clauses, game


CLAUSE_NUMBER = re.compile(r"(?<![\d.])(?<!HTTP/)[1-5]\.[1-9]\d?(?:\.[1-9])?(?:\([a-z]\))?(?![\d.])")


DRAWINGS = ROOT / "src/punto/web/pages/trouble/drawings.py"
"""Its numbers are coordinates."""


def test_the_code_has_no_clause_numbers_outside_comments() -> None:
    numbers = []
    for path in sorted({*(ROOT / "src").rglob("*.py")} - {DRAWINGS}):
        if not CLAUSE_NUMBER.search(path.read_text(encoding="utf-8")):
            continue
        with path.open("rb") as file:
            numbers += [
                f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string[:60]}"
                for token in tokenize.tokenize(file.readline)
                if token.type not in (tokenize.COMMENT, tokenize.NUMBER)  # clauses are strings, not numbers
                and CLAUSE_NUMBER.search(token.string)
            ]
    assert numbers == []


def test_the_search_for_clause_numbers_finds_them() -> None:
    assert all(CLAUSE_NUMBER.search(text) for text in ('"3.8"', '"see 5.13.1"', '"4.2.1(a)"', "3.8"))
    assert all(CLAUSE_NUMBER.fullmatch(clause) for rules in BOOKS for clause in rules.clauses if ":" not in clause)
    assert not any(CLAUSE_NUMBER.search(text) for text in ('"0.1.0"', '"97.50"', "10_000", '"13.2.1.0"'))
    assert not any(CLAUSE_NUMBER.search(text) for text in ('"HTTP/1.1 400"', '"3.1.0"'))  # versions
