"""Labels of boxes: what is printed on the felt where houses skip numbers. A box keeps its number."""

from typing import Any

import pytest

from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.records import commands
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from tests.marks import BOOKS, books
from tests.table.tables import DEALER, FLOAT_MINOR, SUPERVISOR, Evening, betting, opened, ready, settings

SIX = ("1", "2", "3", "5", "6", "7")
ALL = tuple(str(number) for number in range(1, 40) if number not in (4, 13, 14, 24, 34))
RULES = BOOKS[1]


def _wanted(rules: Rulebook, *labels: str, **changes: Any) -> Settings:
    return settings(rules, boxes=6, box_labels=labels, **changes)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: str(rules.id))
def test_every_layout_opens_with_labels_for_all_its_boxes(rules: Rulebook) -> None:
    for layout in rules.layouts.values():
        for boxes in {layout.least_boxes or 1, layout.most_boxes or 16}:
            wanted = settings(rules, layout=layout.id, boxes=boxes, box_labels=ALL[:boxes])
            evening = Evening(rules)
            evening.do(commands.OpenTable(*SUPERVISOR, wanted, FLOAT_MINOR))
            assert [wanted.box_label(box) for box in range(1, boxes + 1)] == [*ALL[:boxes]]


def test_without_labels_a_box_is_called_by_its_number() -> None:
    assert [settings(RULES).box_label(box) for box in (1, 4)] == ["1", "4"]


@pytest.mark.parametrize(
    ("labels", "variant"),
    [
        (SIX[:5], "box_labels"),
        ((*SIX, "8"), "box_labels"),
        (("", *SIX[1:]), "box_label"),
        (("A 1", *SIX[1:]), "box_label"),
        (("A-1", *SIX[1:]), "box_label"),
        (("1\n", *SIX[1:]), "box_label"),
        (("<b>", *SIX[1:]), "box_label"),
        (("\u200b", *SIX[1:]), "box_label"),
        (("1234", *SIX[1:]), "box_label"),
        ((*SIX[:5], "1"), "same_label"),
        (("a1", "2", "3", "A1", "5", "6"), "same_label"),
    ],
)
def test_labels_that_nobody_could_tell_apart_or_read_are_refused(labels: tuple[str, ...], variant: str) -> None:
    opening = commands.OpenTable(*SUPERVISOR, _wanted(RULES, *labels), FLOAT_MINOR)
    evening = opened(RULES, boxes=6, box_labels=SIX)
    for refusal in (
        decide(RULES, Table(), opening),
        evening.refuse(
            commands.ChangeSettings(*SUPERVISOR, _wanted(RULES, *labels)),
            TableCode.BAD_SETTING,
            *RULES.topics[Topic.BOXES],
        ),
    ):
        assert isinstance(refusal, Refusal)
        assert (refusal.code, refusal.variant) == (TableCode.BAD_SETTING, variant)


@pytest.mark.parametrize("labels", [("A1", "甲", "x", "乙1", "10", "999"), ("123", "12", "1", "a", "ab", "abc")])
def test_letters_and_digits_of_any_script_are_labels(labels: tuple[str, ...]) -> None:
    opened(RULES, boxes=6, box_labels=labels)


@pytest.mark.parametrize("labels", [(), ("1", "2", "3", "5", "6", "8")])
def test_labels_stay_as_they_are_while_the_table_is_open(labels: tuple[str, ...]) -> None:
    evening = opened(RULES, boxes=6, box_labels=SIX)
    change = commands.ChangeSettings(*SUPERVISOR, _wanted(RULES, *labels))
    refusal = evening.refuse(change, TableCode.BAD_SETTING, *RULES.topics[Topic.LAYOUTS])
    assert refusal.variant == "fixed"
    evening.do(commands.ChangeSettings(*SUPERVISOR, _wanted(RULES, *SIX, burn=True)))


# ---- refusals name a box by its label


def test_a_refusal_names_the_box_by_its_label() -> None:
    evening = ready(RULES, boxes=6, box_labels=SIX)
    evening.do(commands.BuyIn(*DEALER, "fay", 100_00))
    evening.do(commands.Sit("fay", Position.PLAYER, "fay", 4))
    taken = evening.refuse(
        commands.Sit("ann", Position.PLAYER, "ann", 4), TableCode.BOX_TAKEN, *RULES.topics[Topic.SEATED_PLAYER]
    )
    assert taken.message == "'fay' sits at box 5. Choose another box."
    assert taken.message_in("zh", to_player=True).startswith("5号位")


@pytest.mark.parametrize("rules", books(Topic.DIFFERENTIAL))
def test_a_sentence_inside_a_refusal_names_it_too(rules: Rulebook) -> None:
    evening = betting(rules, boxes=6, box_labels=("A", "B", "C", "D", "E", "F"), most=50_00)
    full = evening.refuse(
        evening.placing("dan", "banker", 60_00), TableCode.NO_SEATED_BET, *rules.topics[Topic.STANDING_PLAYER]
    )
    assert "box A" in full.message
    evening.bet("ann", "banker", 50_00)
    full = evening.refuse(evening.placing("dan", "banker", 60_00), TableCode.ABOVE_MAXIMUM, *rules.topics[Topic.LIMITS])
    assert full.message == "Box A is full on Banker: it holds at most 50."


def test_a_box_that_is_not_there_is_named_by_the_number_that_was_given() -> None:
    evening = ready(RULES, boxes=6, box_labels=SIX)
    refusal = evening.refuse(
        commands.Sit("ann", Position.PLAYER, "ann", 7), Code.UNKNOWN_BOX, *RULES.topics[Topic.BOXES]
    )
    assert refusal.message.startswith("There is no box number 7 at this table. Its boxes are counted from 1 to 6")
