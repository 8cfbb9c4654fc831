"""Questions: what they leave out, what is refused, and how their links are read."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import book as read_book
from punto.rules.refusals import Code, Refused
from punto.table.records.findings import IrregularityRaised
from punto.table.records.positions import Position
from punto.table.referee.laying import lay
from punto.table.referee.link import MAX_LINK_LENGTH, read_link, write_link
from punto.table.referee.outcomes import PlayerEnd, outcomes
from punto.table.referee.question import BetLaid, RefereeQuestion, read_question
from punto.table.refusals import TableCode
from tests.cases.irregularity_files import all_irregularities
from tests.table.referee.questions import question_of

GAME = "commission-insurance"
BOTH = (BetLaid(1, "banker", "100"), BetLaid(2, "player", "50"))
CROSSED = {"command": "report_wrong_side.1", "as_dealt": ["banker", "player", "banker", "player"]}


def asked(*happened: str | dict[str, Any], bets: tuple[BetLaid, ...] = BOTH, **more: Any) -> RefereeQuestion:
    return RefereeQuestion(book=GAME, bets=bets, happened=happened, **more)


def ends(question: RefereeQuestion) -> list[tuple[PlayerEnd, ...]]:
    book = read_book(question.book)
    laid = lay(book, question)
    assert laid.refusal is None, laid.refusal
    return [outcome.ends for outcome in outcomes(book, laid)]


# ---- what a question leaves out


def test_people_without_names_are_known_by_their_places() -> None:
    bets = (*BOTH, BetLaid(1, "tie", "10", seated=False), BetLaid(1, "tie", "20", "ann"))
    assert [end.who for end in ends(asked("9 2 K 3", bets=bets))[0]] == ["box 1", "box 2", "behind box 1", "ann"]


def test_a_finished_round_is_settled_without_being_told() -> None:
    assert ends(asked("9 2 K 3")) == [(PlayerEnd("box 1", -100_00), PlayerEnd("box 2", 50_00))]


def test_cards_that_are_not_out_yet_decide() -> None:
    assert ends(asked("2 9 A 4")) == [(PlayerEnd("box 1", None), PlayerEnd("box 2", None))]


def test_insurance_that_is_taken_was_offered() -> None:
    taken = {"command": "take_insurance.1", "who": "box 1", "box": 1, "stake_minor": 20_00}
    assert ends(asked("A 2 3 3", taken, "5 K", bets=BOTH[:1])) == [(PlayerEnd("box 1", -60_00),)]


def test_where_cards_lie_face_down_a_named_card_is_turned() -> None:
    laid = lay(read_book(GAME), asked("9 2 ??", table={"face_down": True}))
    assert laid.refusal is None
    assert laid.table.round is not None
    assert laid.table.round.cards == ("9", "2", None)


def test_a_card_before_the_close_is_raised() -> None:
    laid = lay(read_book(GAME), asked("9", betting_open=True))
    assert [type(event) for step in laid.steps if step.at >= 0 for event in step.events] == [IrregularityRaised]


def test_each_command_is_given_in_the_lowest_position_that_may() -> None:
    laid = lay(read_book(GAME), asked("9 2 K 3", CROSSED))
    assert laid.steps[-1].command.position is Position.PIT_SUPERVISOR


# ---- how it can end


def test_a_choice_and_an_order_give_every_end() -> None:
    lost = {**CROSSED, "reconstructable": False, "reason": "swept together"}
    found = ends(asked("2 9 3 K", lost))
    won, unknown, lost_ = (
        (PlayerEnd("box 1", banker, 0), PlayerEnd("box 2", player, 0))
        for banker, player in ((95_00, -50_00), (None, None), (-100_00, 50_00))
    )
    assert found == [won, unknown, lost_]


def test_nobody_ends_with_anything_after_a_step_that_cannot_be() -> None:
    question = asked("9 2 K 3", {"command": "choose_option.1", "who": "box 1", "choice": "return"}, "5")
    laid = lay(read_book(GAME), question)
    assert laid.refusal is not None
    assert (laid.refusal.code, laid.refused_at) == (TableCode.NO_OPTIONS, 1)
    assert outcomes(read_book(GAME), laid) == ()


# ---- what is no question


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (asked("9 2 Z 3"), Code.NOT_A_CARD),
        (asked("9 " * 100), Code.OUT_OF_RANGE),
        (asked(bets=(BetLaid(1, "banker", "ten"),)), Code.NOT_AN_AMOUNT),
        (asked({"command": "report_ghost.1"}), Code.WRONG_TYPE),
        (asked({"command": "settle.1", "colour": "red"}), Code.WRONG_TYPE),
        (asked({"command": "settle.1", "position": "casino_manager"}), Code.UNKNOWN_KEY),
        (asked(table={"colour": "red"}), Code.WRONG_TYPE),
        (asked(left=500), Code.OUT_OF_RANGE),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_makes_no_sense_is_refused_in_words(question: RefereeQuestion, code: Code) -> None:
    with pytest.raises(Refused) as refused:
        lay(read_book(GAME), question)
    assert refused.value.code == code
    assert refused.value.message


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (asked(bets=(BetLaid(1, "wu_dalang", "10"),)), Code.BET_NOT_ON_LAYOUT),
        (asked(bets=(BetLaid(99, "banker", "10"),)), Code.UNKNOWN_BOX),
        (asked(layout="Z"), Code.UNKNOWN_LAYOUT),
        (asked(decks=99), Code.DECKS_OUT_OF_RANGE),
        (asked(bets=(BetLaid(1, "tie", "10", "ann", seated=False),)), TableCode.NO_SEATED_BET),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_table_refuses_before_the_first_card_is_said(question: RefereeQuestion, code: str) -> None:
    laid = lay(read_book(GAME), replace_observing(question))
    assert laid.refusal is not None
    assert (laid.refusal.code, laid.refused_at) == (code, -1)


def test_more_than_anybody_has_cannot_be_staked() -> None:
    bets = (BetLaid(1, "banker", "1000000000000"), BetLaid(1, "tie", "5"))
    laid = lay(read_book(GAME), asked(bets=bets))
    assert laid.refusal is not None
    assert laid.refusal.code == Code.AMOUNT_TOO_LARGE


def replace_observing(question: RefereeQuestion) -> RefereeQuestion:
    """At a table that refuses what the book forbids. At a felt table it is flagged."""
    return msgspec.structs.replace(question, table={"observing": False})


NO_QUESTIONS = [
    *(b"", b"five of spades", b"[]", b'{"book": 5}', b'{"book": "commission", "colour": "red"}', b'{"happened": []}'),
    *(b'{"book": "\xff"}', b"[" * 100_000, b'{"book":"x","table":' + b'{"a":' * 5_000),
]


@pytest.mark.parametrize("text", NO_QUESTIONS, ids=range(len(NO_QUESTIONS)))
def test_a_text_that_is_no_question_is_refused(text: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read_question(text)
    assert refused.value.code in (Code.MALFORMED_JSON, Code.WRONG_TYPE)


# ---- nobody says who bets


ERROR = {"command": "report_dealing_error.1", "reason": "a card fell"}


@pytest.mark.parametrize("table", [{}, {"face_down": True}, {"cards_only": True}])
def test_where_no_bets_are_laid_everybody_with_a_bet_is_asked(table: dict[str, Any]) -> None:
    book, called = read_book(GAME), {"command": "call_time.1", "took_back": 2}
    laid = lay(book, asked("9 2", ERROR, bets=(), table=table))
    assert laid.table.round is not None
    options = laid.table.round.irregularities.options
    assert options is not None
    assert options.by_hand
    assert [end.ends for end in outcomes(book, laid)] == [()]
    laid = lay(book, asked("9 2", ERROR, called, "K 3", {"command": "settle.1"}, bets=(), table=table))
    assert laid.refusal is None
    assert laid.table.round is not None
    assert laid.table.round.settled


@pytest.mark.parametrize("table", [{"observing": True}, {"cards_only": False}, {"established_by_staked_bets": True}])
def test_a_question_can_say_that_nobody_bets(table: dict[str, Any]) -> None:
    laid = lay(read_book(GAME), asked("9 2", ERROR, bets=(), table=table))
    assert laid.refusal is None
    assert laid.table.round is not None
    assert laid.table.round.irregularities.options is None


def test_bets_may_come_later_in_the_question() -> None:
    bet = {"command": "place_bet.1", "who": "box 1", "box": 1, "bet": "banker", "stake_minor": 100_00}
    laid = lay(read_book(GAME), asked(bet, {"command": "close_betting.1"}, "9 2", ERROR, bets=(), betting_open=True))
    assert laid.refusal is None
    assert laid.table.round is not None
    assert laid.table.round.irregularities.must_choose("box 1")


# ---- links


@pytest.mark.parametrize("filed", all_irregularities()[::9], ids=lambda filed: f"{filed.book}::{filed.case.name}")
def test_a_link_holds_the_whole_question(filed: Any) -> None:
    question = read_question(msgspec.json.encode(question_of(filed)))
    link = write_link(question)
    assert read_link(link) == question
    assert len(link) <= 605  # the longest of all cases, which changes the settings


def test_a_link_is_short_and_reads_the_same_for_ever() -> None:
    question = asked("9 2 K 3", CROSSED)
    assert read_link("1g7t94FyjYKTgrWCspEP1pFUbWwsA") == question
    assert write_link(question) == "1g7t94FyjYKTgrWCspEP1pFUbWwsA"


@pytest.mark.parametrize(
    "text", ["1", "2AAAA", "1AAAA", "1____", "1é", "", "1" + "A" * MAX_LINK_LENGTH, "1=====", "1\x00"]
)
def test_a_damaged_link_is_refused_in_words(text: str) -> None:
    with pytest.raises(Refused) as refused:
        read_link(text)
    assert refused.value.code in (Code.WRONG_TYPE, Code.MALFORMED_JSON)
    assert refused.value.message


def test_a_link_cannot_grow_beyond_a_question() -> None:
    huge = write_link(asked("9 " * 100_000))
    assert len(huge) < MAX_LINK_LENGTH
    with pytest.raises(Refused) as refused:
        read_link(huge)
    assert refused.value.code == Code.WRONG_TYPE


@given(st.text(max_size=60))
def test_no_text_does_harm(text: str) -> None:
    for link in (text, f"1{text}"):
        try:
            question = read_link(link)
        except Refused:
            continue
        assert read_link(write_link(question)) == question
