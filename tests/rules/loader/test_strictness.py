"""An invalid book is refused, and the message names the place and the clause."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from _pytest.mark import ParameterSet
from msgspec import Struct

from punto import book_ids
from punto.rules.loader import BookError, read_book
from punto.rules.topics import Topic
from tests.rules.loader.texts import changed, text_of


class Wrong(Struct, forbid_unknown_fields=True):
    """One change that makes a book invalid; ``wrong_books.toml`` explains the fields."""

    old: str
    new: str
    refused: str
    book: str = "commission"
    times: int = 1


def refusal(text: str) -> str:
    """The loader's message for an invalid book."""
    with pytest.raises(BookError) as caught:
        read_book(text, "x.toml")
    return str(caught.value)


def wrong_books() -> list[ParameterSet]:
    raw = tomllib.loads(Path(__file__).with_name("wrong_books.toml").read_text(encoding="utf-8"))
    groups = msgspec.convert(raw, dict[str, dict[str, Wrong]])
    return [
        pytest.param(wrong, id=f"{group}-{name}") for group, wrongs in groups.items() for name, wrong in wrongs.items()
    ]


@pytest.mark.parametrize("wrong", wrong_books())
def test_a_wrong_book_is_refused_at_its_place(wrong: Wrong) -> None:
    message = refusal(changed(text_of(wrong.book), wrong.old, wrong.new, wrong.times))
    assert message.startswith(f"x.toml: {wrong.refused}"), message


@pytest.mark.parametrize("book_id", book_ids())
def test_the_books_are_right_before_the_change(book_id: str) -> None:
    assert read_book(text_of(book_id), "x.toml").id == book_id


@pytest.mark.parametrize("topic", Topic)
def test_no_topic_may_be_left_out(topic: Topic) -> None:
    text, found = re.subn(rf"^{topic} = \[.*\]\n", "", text_of("commission"), flags=re.MULTILINE)
    assert found == 1
    assert refusal(text) == f"x.toml: topics.{topic}: missing."


@pytest.mark.parametrize("boxes", ["6-1", "0", "x", "", "0-6", "1-", "-6", "1-6-9", "1 - 6", "07", "100", "9 "])
def test_boxes_are_a_number_or_a_range(boxes: str) -> None:
    message = refusal(changed(text_of("commission"), 'boxes = "9"', f'boxes = "{boxes}"'))
    assert message.startswith("x.toml: layouts.A.boxes (clause 2.1.1(a)): expected ")
    assert message.endswith(f"not {boxes!r}.")


@pytest.mark.parametrize(
    ("boxes", "least", "most"), [("1", 1, 1), ("12", 12, 12), ("1-6", 1, 6), ("9-99", 9, 99), ("6-6", 6, 6)]
)
def test_boxes_within_reason_are_read(boxes: str, least: int, most: int) -> None:
    book = read_book(changed(text_of("commission"), 'boxes = "9"', f'boxes = "{boxes}"'), "x.toml")
    assert (book.layouts["A"].least_boxes, book.layouts["A"].most_boxes) == (least, most)


def test_a_line_is_dead_by_the_table_of_play_of_its_own_book() -> None:
    """Banker wins on two cards totalling 5 only where the Table of Play lets Banker stand on 5."""
    line = '{ when = { winner = "banker", points = [5], banker_cards = 2 }, odds = "8"'
    text = changed(text_of("commission"), '{ when = { winner = "tie" }, odds = "8"', line)
    assert read_book(text, "x.toml").bets["tie"].pays
    always_draws = changed(
        text,
        '{ points = [5], draws_on = [4, 5, 6, 7], stands_on = [0, 1, 2, 3, 8, 9], clause = "3.6" }',
        '{ points = [5], does = "draws", clause = "3.6" }',
    )
    dead = "x.toml: bets.tie.pays[0] (clause 4.1.2): no coup can ever match this line."
    assert refusal(always_draws) == dead


def test_lines_that_no_coup_can_match_together_do_not_overlap() -> None:
    """Banker wins with 6 on two cards only if Player drew: a Player who stands has no less than 6."""
    lines = (
        '{ when = { winner = "banker", points = [6], banker_cards = 2 }, odds = "22", clause = "4.1.2" }, '
        '{ when = { winner = "banker", cards = 4 }, odds = "8", clause = "4.1.2" }'
    )
    tie = '{ when = { winner = "tie" }, odds = "8", clause = "4.1.2" }'
    assert len(read_book(changed(text_of("commission"), tie, lines), "x.toml").bets["tie"].pays) == 2


def test_a_book_is_called_by_the_name_of_its_file() -> None:
    text = changed(text_of("commission"), 'id = "commission"', "id = 3")
    with pytest.raises(BookError, match=r"^books/house\.toml: id: "):
        read_book(text, "books/house.toml")
