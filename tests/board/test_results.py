"""Results as people write them, and from coups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import Code, Refused, book
from punto.board.results import Mark, read_marks
from punto.rules.coup.space import Winner
from tests.board.shoes import SHOES, written


def test_letters_and_suffixes() -> None:
    assert read_marks("B Pp Tb Bbp Ppb") == (
        Mark(Winner.BANKER),
        Mark(Winner.PLAYER, player_pair=True),
        Mark(Winner.TIE, banker_pair=True),
        Mark(Winner.BANKER, banker_pair=True, player_pair=True),
        Mark(Winner.PLAYER, banker_pair=True, player_pair=True),
    )


@pytest.mark.parametrize("text", ["B Pp T Tbp P", "BPpTTbpP", " B\tPp\nT Tbp\r\nP\n", "BPp TTpb P"])
def test_blanks_may_be_left_out(text: str) -> None:
    assert written(read_marks(text)) == "B Pp T Tbp P"


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_no_results_are_no_marks(text: str) -> None:
    assert read_marks(text) == ()


@pytest.mark.parametrize(
    ("text", "word", "at"),
    [
        ("b", "'b'", 1),
        ("B bp", "'bp'", 2),
        ("B P Bbb", "'Bbb'", 3),
        ("Bbpb", "'Bbpb'", 1),
        ("B,P", "'B,P'", 1),
        ("B 庄", "'庄'", 2),
        ("tie", "'tie'", 1),
        ("B P T 7", "'7'", 4),
        ("B\x00", "'B\\x00'", 1),
        ("P" * 60 + "x" + "B" * 60, "'x" + "B" * 39 + "'", 1),
    ],
)
def test_an_invalid_result_is_named_with_what_was_expected(text: str, word: str, at: int) -> None:
    with pytest.raises(Refused) as caught:
        read_marks(text)
    assert caught.value.code is Code.WRONG_TYPE
    assert caught.value.message.startswith(f"{word}, word {at} of the results, is not a result. Write B (Banker)")
    assert caught.value.clauses == ()


@given(SHOES)
def test_what_is_written_reads_back(shoe: list[Mark]) -> None:
    plain = tuple(Mark(mark.winner, mark.banker_pair, mark.player_pair) for mark in shoe)
    assert read_marks(written(shoe)) == plain
    assert read_marks(written(shoe).replace(" ", "")) == plain


@given(st.text("BPTbp x庄", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        marks = read_marks(text)
    except Refused:
        return
    assert sorted(written(marks).replace(" ", "")) == sorted("".join(text.split()))


@pytest.mark.parametrize(
    ("cards", "mark"),
    [
        ("5s Kd 3h 7c", Mark(Winner.PLAYER, natural=True)),
        ("Ks 2d Kh 7c", Mark(Winner.BANKER, player_pair=True, natural=True)),
        ("Ks 2d Ah Qc Tc 4s", Mark(Winner.BANKER)),
        ("7s 3d 7h 3c 5d", Mark(Winner.PLAYER, banker_pair=True, player_pair=True)),
        ("4s 3d Kh Tc 5d 6h", Mark(Winner.TIE)),
        ("7s 7d 7h 7c 6d 2s", Mark(Winner.BANKER, banker_pair=True, player_pair=True)),
        ("8s 4d Kh 4c", Mark(Winner.TIE, banker_pair=True, natural=True)),
    ],
)
def test_the_mark_of_a_coup(cards: str, mark: Mark) -> None:
    assert Mark.of(book("commission").coup(cards)) == mark


def test_a_coup_that_is_not_finished_has_no_mark() -> None:
    with pytest.raises(Refused):
        Mark.of(book("commission").coup("5s Kd 3h"))
